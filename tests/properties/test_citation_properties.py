# ruff: noqa: E501
"""Over sources of our own making: what changes the meaning is never verified, what changes typography always is."""

from __future__ import annotations

import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suffice.answer.citations import Located, locate
from suffice.text.folding import fold

WORDS = (
    "valve",
    "pump",
    "lamp",
    "table",
    "reader",
    "garden",
    "winter",
    "signal",
    "border",
    "window",
    "carbon",
)
UNITS = ["MB", "GB", "ms", "seconds", "kPa", "%"]
NAMES = ["max_pool_size", "v1.2.3", "ERR_LAMP_OFF", "poolSize", "lamp-reader", "/api/v1/lamps"]

word = st.sampled_from(WORDS)
number = st.integers(10, 99_999).map(str) | st.decimals(1, 99, places=2).map(str)


@st.composite
def sentence(draw: st.DrawFn) -> str:
    verb = draw(st.sampled_from(["does not exceed", "must not pass", "is at least", "takes up to"]))
    name, value, unit = draw(st.sampled_from(NAMES)), draw(number), draw(st.sampled_from(UNITS))
    return f"The {draw(word)} of the {draw(word)} with {name} {verb} {value} {unit} per {draw(word)}."


paragraphs = st.lists(sentence(), min_size=1, max_size=4)


@given(paragraphs, st.data())
def test_a_changed_digit_is_never_verified(sentences: list[str], data: st.DataObject) -> None:
    quote = data.draw(st.sampled_from(sentences))
    places = [i for i, c in enumerate(quote) if c.isdigit()]
    at = data.draw(st.sampled_from(places))
    how = data.draw(st.sampled_from(["change", "drop", "add"]))
    digit = data.draw(st.sampled_from("0123456789"))
    new = {"change": quote[:at] + digit + quote[at + 1 :], "drop": quote[:at] + quote[at + 1 :]}.get(
        how, quote[:at] + digit + quote[at:]
    )
    assume(new not in sentences)
    assert not isinstance(locate(new, " ".join(sentences)), Located)


@given(paragraphs, st.data())
def test_a_changed_unit_sign_or_negation_is_never_verified(sentences: list[str], data: st.DataObject) -> None:
    quote = data.draw(st.sampled_from(sentences))
    unit = next(unit for unit in UNITS if f" {unit} per" in quote)
    other = data.draw(st.sampled_from([u for u in UNITS if u != unit] + [""]))
    changed = [
        quote.replace(f" {unit} per", f" {other} per"),
        re.sub(r"(\d\S*) (\S+ per)", r"-\1 \2", quote),
        quote.replace(" not ", " ") if " not " in quote else re.sub(" (is|takes) ", r" \1 not ", quote),
    ]
    for new in changed:
        assume(new not in sentences)
        assert not isinstance(locate(new, " ".join(sentences)), Located), new


@given(paragraphs, st.data())
def test_a_changed_identifier_is_never_verified(sentences: list[str], data: st.DataObject) -> None:
    quote = data.draw(st.sampled_from(sentences))
    name = next(name for name in NAMES if f" {name} " in quote)
    at = data.draw(st.integers(0, len(name) - 1))
    new = data.draw(
        st.sampled_from([name[:at] + name[at + 1 :], name[:at] + "x" + name[at:], name.swapcase()])
    )
    assume(new != name)
    assert not isinstance(locate(quote.replace(name, new), " ".join(sentences)), Located)


@given(paragraphs, st.data())
def test_a_slice_never_begins_or_ends_inside_a_word_or_figure(
    sentences: list[str], data: st.DataObject
) -> None:
    text = " ".join(sentences)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = locate(text[start:end], text)
    if isinstance(found, Located):
        a, b = found.span
        assert not (a and text[a - 1 : a + 1].isalnum()) and not (
            b < len(text) and text[b - 1 : b + 1].isalnum()
        )


VARIANTS = [
    lambda s, i: s[:i] + s[i:].replace(" ", "\u00a0"),
    lambda s, i: s[:i] + s[i:].replace(" ", "\n", 1),
    lambda s, i: s[:i] + s[i:].replace(" ", "\u2009 ", 2),
    lambda s, i: s.replace("-", "\u2011"),
    lambda s, i: s[:i] + "\u200b" + s[i:],
    lambda s, i: s[:i] + "\u00ad" + s[i:],
    lambda s, i: "“" + s + "”",
    lambda s, i: s.replace(" not ", " **not** "),
    lambda s, i: re.sub(r" with (\S+) ", r" with `\1` ", s),
    lambda s, i: s.replace("The ", "*The* ", 1),
]


@given(paragraphs, st.data())
def test_an_honest_typographic_variant_is_verified_on_either_side(
    sentences: list[str], data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(0, len(sentences) - 1))
    vary = data.draw(st.sampled_from(VARIANTS))
    varied = vary(sentences[chosen], data.draw(st.integers(1, 60)))
    plain = "\n\n".join(sentences)
    found = locate(varied, plain)
    assert isinstance(found, Located), (varied, found)
    assert plain[slice(*found.span)].rstrip(".") == sentences[chosen].rstrip(".")
    written = "\n\n".join([*sentences[:chosen], varied, *sentences[chosen + 1 :]])
    assert isinstance(locate(sentences[chosen], written), Located)


@settings(max_examples=200)
@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=200), st.data())
def test_any_strings_at_all(quote: str, text: str, data: st.DataObject) -> None:
    if text and data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(text) - 1))
        quote = text[start : data.draw(st.integers(start, len(text)))]
    found = locate(quote, text)
    if isinstance(found, Located):
        start, end = found.span
        assert 0 <= start < end <= len(text)
        if found.check == "verified":
            assert text[start:end] == quote.strip()
        else:
            letters = re.compile(r"[^\W_]")
            assert letters.findall(fold(text[start:end], markup="all").text) == letters.findall(
                fold(quote, markup="all").text
            )
