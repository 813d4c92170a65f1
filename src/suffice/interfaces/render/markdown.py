"""A quoted passage as lines: lists, tables, code and emphasis stay legible at any width.

Rich's own Markdown is not used: it re-flows, centres headings, boxes code and hides marks, and a quote should
look like what stands in the document; it also costs 60 ms of imports.
"""

from __future__ import annotations

import re

from rich.cells import get_character_cell_size
from rich.text import Text

from suffice.interfaces.render.text import CODE, DIM, HEAD, grid, line, plain, wrap

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([^\s`]*)")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$")
_QUOTED = re.compile(r"^\s{0,3}((?:>\s?)+)(.*)$")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_HTML = re.compile(r"^\s*</?(?:details|summary|br|div|p|span)\b[^>]*>\s*$", re.IGNORECASE)
_INLINE = re.compile(
    r"(?P<code>(`+)(?P<inner>.+?)\2(?!`))"
    r"|(?P<link>!?\[(?P<label>(?:[^\[\]\\]|\\.)*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\))"
    r"|(?P<strong>\*\*(?=\S)(?P<bold>.+?)(?<=\S)\*\*|__(?=\S)(?P<bold2>.+?)(?<=\S)__)"
    r"|(?P<em>(?<![\w*])\*(?=[^\s*])(?P<it>[^*]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])(?P<it2>[^_]+?)(?<=\S)_(?!\w))"
)


def lines(text: str, width: int, *, bar: str = "") -> list[Text]:
    """The passage within `width` cells, each line behind `bar`."""
    source = plain(text).strip("\n").split("\n")
    out: list[Text] = []
    room = max(width - len(bar), 8)
    i = 0
    while i < len(source):
        fence = _FENCE.match(source[i])
        if fence:
            end = _fence_end(source, i + 1, fence[2])
            out += code(source[i + 1 : end], room)
            i = end + 1
        elif "|" in source[i] and i + 1 < len(source) and _is_delimiter(source[i + 1]):
            end = i + 2
            while end < len(source) and "|" in source[end]:
                end += 1
            out += grid(_rows(source[i + 2 : end]), _heads(source[i]), room)
            i = end
        elif _ROW.match(source[i]):
            end = i + 1
            while end < len(source) and _ROW.match(source[end]):
                end += 1
            out += grid(_rows(source[i:end]), [], room)  # rows quoted without their header
            i = end
        else:
            end = i + 1
            if _is_prose(source[i]):
                while end < len(source) and _is_prose(source[end]) and not _is_table(source, end):
                    end += 1
                out += wrap(inline(" ".join(row.strip() for row in source[i:end])), room)
            else:
                while end < len(source) and _ITEM.match(source[i]) and _continues(source[end]):
                    end += 1
                out += _block(source[i], source[i + 1 : end], room)
            i = end
    return [_behind(bar, row) for row in _squeezed(out)]


def _behind(bar: str, row: Text) -> Text:
    made = Text.assemble((bar, DIM), row, end="")
    made.rstrip()
    return made


def code(rows: list[str], width: int) -> list[Text]:
    """Code as it stands; what is too long goes on behind an arrow, from a space if one is near the end."""
    margin = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    out = []
    for row in rows:
        rest = Text(row[margin:] if row[:margin].isspace() or not margin else row, CODE, end="")
        first = True
        while rest.plain or first:
            room = max(width - (2 if first else 4), 8)
            head, rest = _cut(rest, room)
            out.append(Text.assemble("  " if first else ("  ↪ ", DIM), head, end=""))
            first = False
    return out


def inline(text: str) -> Text:
    """Emphasis, code spans and links as styles; a link keeps its target only where it leads somewhere."""
    out = Text(end="")
    at = 0
    for match in _INLINE.finditer(text):
        out.append(_unescaped(text[at : match.start()]))
        if match["code"]:
            # The ticks stay: in a pipe they alone say where a command ends.
            out.append(match["code"], CODE)
        elif match["link"]:
            label = inline(match["label"]) if match["label"] else Text(match["target"], end="")
            out.append_text(label)
            if (
                match["target"].startswith(("http://", "https://", "mailto:"))
                and match["label"] != match["target"]
            ):
                out.append(f" ({match['target']})", DIM)
        elif match["strong"]:
            inner = inline(match["bold"] or match["bold2"])
            inner.stylize(HEAD)
            out.append_text(inner)
        else:
            inner = inline(match["it"] or match["it2"])
            inner.stylize("italic")
            out.append_text(inner)
        at = match.end()
    out.append(_unescaped(text[at:]))
    return out


def gist(text: str) -> str:
    """The first line that says something, without marks: what a list of results has room for."""
    for row in plain(text).split("\n"):
        heading, item = _HEADING.match(row), _ITEM.match(row)
        words = inline((item[4] if item else row).strip().strip("|").strip()).plain
        if not heading and not _FENCE.match(row) and not _HTML.match(row) and any(map(str.isalnum, words)):
            return line(words)
    return line(text)


def _block(row: str, more: list[str], width: int) -> list[Text]:
    """A heading, a list item with the lines that belong to it, a quotation, an HTML tag or an empty line."""
    if not row.strip() or _HTML.match(row):
        return [Text("", end="")]
    if heading := _HEADING.match(row):
        made = inline(heading[2])
        made.stylize(HEAD)
        return wrap(made, width)
    if item := _ITEM.match(row):
        indent = " " * min(len(item[1].expandtabs(4)), width // 3)
        mark = item[2] if item[2][0].isdigit() else "•"
        if item[3] is not None:
            mark = "☐" if item[3] == " " else "☑"
        words = " ".join([item[4], *(other.strip() for other in more)])
        return wrap(inline(words), width, first=f"{indent}{mark} ", rest=f"{indent}{' ' * len(mark)} ")
    quoted = _QUOTED.match(row)
    if quoted:
        depth = quoted[1].count(">")
        return wrap(inline(quoted[2]), width, first="▎ " * depth, rest="▎ " * depth)
    return wrap(inline(row.strip()), width)


def _continues(row: str) -> bool:
    """Whether the line goes on with the list item above it."""
    return _is_prose(row) and row[:1].isspace()


def _is_prose(row: str) -> bool:
    return bool(row.strip()) and not (
        _FENCE.match(row)
        or _HEADING.match(row)
        or _ITEM.match(row)
        or _QUOTED.match(row)
        or _HTML.match(row)
        or _ROW.match(row)
    )


def _is_table(source: list[str], i: int) -> bool:
    return "|" in source[i] and i + 1 < len(source) and _is_delimiter(source[i + 1])


def _is_delimiter(row: str) -> bool:
    return "-" in row and "|" in row and bool(_DELIMITER.match(row))


def _cells(row: str) -> list[str]:
    body = row.strip().removeprefix("|")
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", body)]


def _rows(rows: list[str]) -> list[list[Text]]:
    return [[inline(cell) for cell in _cells(row)] for row in rows]


def _heads(row: str) -> list[str]:
    return [inline(cell).plain for cell in _cells(row)]


def _fence_end(source: list[str], i: int, mark: str) -> int:
    while i < len(source) and not re.match(rf"^\s*{re.escape(mark[0])}{{{len(mark)},}}\s*$", source[i]):
        i += 1
    return i


def _cut(text: Text, width: int) -> tuple[Text, Text]:
    end = used = 0
    for char in text.plain:
        used += get_character_cell_size(char)
        if used > width and end:
            break
        end += 1
    space = text.plain.rfind(" ", end // 2, end) + 1
    if end < len(text) and space and text.plain[:space].strip():
        end = space
    head, *tail = text.divide([end]) if end < len(text) else [text]
    return head, tail[0] if tail else Text("", end="")


def _squeezed(rows: list[Text]) -> list[Text]:
    """No empty line at either end, never two in a row."""
    out: list[Text] = []
    for row in rows:
        if row.plain.strip() or (out and out[-1].plain.strip()):
            out.append(row)
    while out and not out[-1].plain.strip():
        out.pop()
    return out


def _unescaped(text: str) -> str:
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!|<>~])", r"\1", text)
