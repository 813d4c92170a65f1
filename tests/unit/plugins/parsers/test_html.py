"""HTML to the text that a reader sees."""

from __future__ import annotations

import pytest

from suffice.corpus.normalize import raw_span
from suffice.plugins.parsers import html
from suffice.values import Document


def parse(page: str | bytes, media_type: str = "text/html") -> Document:
    data = page.encode() if isinstance(page, str) else page
    return html.create().parse(data, name="a-page.html", sha256="", media_type=media_type)


def blocks(page: str) -> list[tuple[str, int, str]]:
    document = parse(page)
    return [(block.kind, block.level, document.text[slice(*block.span)]) for block in document.blocks]


def test_bare_text_paragraphs_and_line_breaks() -> None:
    page = "bare<p>one<br>two<br/>three<div>four<p>fi<b>v</b>e\n\n  six"
    assert [words for _, _, words in blocks(page)] == ["bare", "one\ntwo\nthree", "four", "five six"]


def test_pre_is_kept_byte_for_byte() -> None:
    assert blocks("<p>a<pre>\nx:\n  y\n\n\tz &lt;b&gt;  q</pre>") == [
        ("paragraph", 0, "a"),
        ("code", 0, "x:\n  y\n\n\tz <b>  q"),
    ]


def test_lists_have_marks_numbers_and_depth() -> None:
    page = "<ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul><ol start=7><li>x<li value=9>y</ol>"
    assert blocks(page) == [
        ("list_item", 1, "- a"),
        ("list_item", 2, "  - b"),
        ("list_item", 1, "- c"),
        ("paragraph", 0, "  d"),
        ("list_item", 1, "7. x"),
        ("list_item", 1, "9. y"),
    ]


def test_a_term_stands_with_its_definition() -> None:
    assert blocks("<dl><dt>TTL<dd>Seconds to live.<dt>Key<dd>A name.</dl>") == [
        ("list_item", 1, "- TTL\n  Seconds to live."),
        ("list_item", 1, "- Key\n  A name."),
    ]


def test_a_table_is_a_pipe_table_with_its_caption_before_it() -> None:
    page = "<table><caption>Limits</caption><tr><th>Plan<th>Soft</tr><tr><td>a|b<td>96<br>MiB</table>"
    assert blocks(page) == [
        ("paragraph", 0, "Limits"),
        ("table", 0, "| Plan | Soft |\n| --- | --- |\n| a\\|b | 96 MiB |"),
    ]


def test_spanning_cells_stand_in_every_place_that_they_cover() -> None:
    page = "<table><tr><th rowspan=2>P<th colspan=2>Limit<tr><th>lo<th>hi<tr><td>x<td>1<td>2</table>"
    assert blocks(page)[0][2] == "| P | Limit | Limit |\n| --- | --- | --- |\n| P | lo | hi |\n| x | 1 | 2 |"


@pytest.mark.parametrize("huge", ["99999999999999999999", "-3", "x", "0"])
def test_absurd_spans_do_no_harm(huge: str) -> None:
    assert (
        blocks(f"<table><tr><td colspan={huge}>a<td>b<tr><td>c<td rowspan={huge}>d</table>")[0][0] == "table"
    )


def test_a_page_cannot_ask_for_millions_of_cells() -> None:
    page = "<table><tr>" + "<td colspan=1000 rowspan=1000>a" * 200 + "<tr><td>b" * 200
    assert len(parse(page).text) < 2_000_000
    page = "<table><tr><td rowspan=50 colspan=50>" + "long " * 1000 + "<td>c" + "<tr><td>b" * 50
    assert len(parse(page).text) < 100_000


def test_a_layout_table_is_read_as_the_page_that_it_arranges() -> None:
    assert blocks("<table><tr><td><h2>H</h2><p>a<td><p>b</table>") == [
        ("heading", 2, "H"),
        ("paragraph", 0, "a"),
        ("paragraph", 0, "b"),
    ]


def test_details_are_one_block() -> None:
    assert blocks("<details><summary>Why?</summary><p>So.<ul><li>x</ul></details><p>y")[0] == (
        "details",
        0,
        "Why?\n\nSo.\n\n- x",
    )


def test_what_nobody_sees_is_removed_and_counted() -> None:
    document = parse(
        "<html><head><title>T</title><style>s</style></head><body><a class=skip-link href=#m>Skip</a>"
        "<header>top</header><nav>n</nav><script>s()</script>"
        "<main><header><h1>H</h1></header><aside>A note.</aside><p hidden>h<p style='display: none'>d</p>"
        "<span aria-hidden=true>i</span>seen<button>Copy</button></p><template>t</template></main>"
        "<footer>f</footer><div role=navigation>m</div>"
    )
    assert document.text == "H\n\nA note.\n\nseen"
    assert {removal.rule: removal.count for removal in document.removed} == {
        **{"page header": 1, "navigation": 2, "script": 1, "hidden": 1, "hidden by style": 1},
        **{"aria-hidden": 1, "form control": 1, "skip link": 1, "template": 1, "page footer": 1},
    }


def test_a_page_of_nothing_but_its_frame_keeps_it() -> None:
    assert parse("<body><nav><a>Only</a> links</nav><script>s()</script>").text == "Only links"


def test_tab_panels_and_headings_of_buttons_are_content() -> None:
    page = "<h3><button>Question?</button></h3><div role=tabpanel hidden>Second tab.</div>"
    assert [words for _, _, words in blocks(page)] == ["Question?", "Second tab."]


def test_a_raised_number_is_not_glued_to_the_one_before_it() -> None:
    assert parse("<p>10<sup>2</sup> and 5 TiB<sup>1</sup>, H<sub>2</sub>O").text == "10^2 and 5 TiB1, H2O"


def test_title_and_what_the_head_says() -> None:
    document = parse(
        "<html lang=de><head><title> A \n B </title><meta name=description content='What it is'>"
        "<meta property='og:title' content=OG></head><svg><title>icon</title></svg><h1>H</h1>"
    )
    assert (document.title, document.meta) == ("A B", {"lang": "de", "description": "What it is"})
    assert parse("<meta property=og:title content=OG><h1>H</h1>").title == "OG"
    assert parse("<h1>H <i>x</i></h1>").title == "H x"


@pytest.mark.parametrize(
    ("encoding", "label"),
    [("gb18030", "gb2312"), ("cp1252", "iso-8859-1"), ("cp932", "shift_jis"), ("utf-8", "iso-8859-1")],
)
def test_the_label_of_the_page_is_honoured_unless_it_cannot_be_true(encoding: str, label: str) -> None:
    words = {"gb18030": "限额𠮷", "cp932": "設定①", "utf-8": "naïve – 10 €", "cp1252": "“naïve”"}[encoding]
    document = parse(f"<meta charset={label}><p>{words}".encode(encoding))
    assert (document.text, document.encoding) == (words, encoding)


def test_the_label_of_the_server_is_used_where_the_page_has_none() -> None:
    assert parse("<p>ÄÖ".encode("cp1250"), "text/html; charset=windows-1250").encoding == "cp1250"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_every_word_leads_back_to_its_bytes(line_end: str, encoding: str) -> None:
    page = "<title>限</title>\n<p>a &amp; b\n  c<b>d</b>e 限额 f&nbsp;g"
    page += "<table>moved<tr><td>x<td>y|z</table><pre>l1\n l2</pre>"
    data = page.replace("\n", line_end).encode(encoding)
    document = parse(data)
    for words, there in {
        **{"a": "a", "&": "&amp;", "c": "c", "cde": "c<b>d</b>e", "限额": "限额", "moved": "moved", "y": "y"},
        **{"l1\n l2": f"l1{line_end} l2", "f\xa0g": "f&nbsp;g", "a & b c": f"a &amp; b{line_end}  c"},
    }.items():
        start = document.text.index(words)
        begin, stop = raw_span(document, data, (start, start + len(words)))
        assert data[begin:stop].decode(document.encoding) == there


def test_tags_nested_thousands_deep_are_read() -> None:
    assert parse("<div>" * 20_000 + "x" + "</div>" * 20_000).text == "x"
