"""The one normaliser under which a quote and its source are compared, with the way back to the source.

What it folds is typography: white space, Unicode form, quote marks, dashes and hyphens one for one, CJK
punctuation and full-width forms, invisible characters, and (with `markup`) Markdown's marks. Letters, digits,
signs and their order survive. NFKC over the whole text was rejected: it turns 10² into 102.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from suffice.text.markup import marks
from suffice.text.scripts import IGNORABLE, MARKS, UNSPACED_CJK
from suffice.values import Span

Markup = Literal["keep", "quote", "emphasis", "all"]
OF_SOURCE: tuple[Markup, ...] = ("keep", "emphasis", "all")
"""How a source may be folded when words are looked for in it, the closest first."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. Character `i` came from the source's `[starts[i], ends[i])`; both ascend."""

    text: str
    starts: array[int]
    ends: array[int]
    n_source: int

    @property
    def offsets(self) -> list[int]:
        """Source start of every folded character, then the end of the source."""
        return [*self.starts, self.n_source]

    def span(self, start: int, end: int) -> Span:
        """The source span of the folded `[start, end)`, which must not be empty."""
        return (self.starts[start], self.ends[end - 1])

    def at(self, source: int) -> int:
        """Index of the first folded character that starts at or after this place of the source."""
        return bisect_left(self.starts, source)


_ONE_FOR_ONE = {
    **dict.fromkeys("“”„‟«»「」『』〝〞〟", '"'),
    **dict.fromkeys("‘’‚‛‹›", "'"),
    **dict.fromkeys("‐‑‒–—―−﹘﹣⁃", "-"),
    **{"、": ",", "。": ".", "｡": ".", "､": ",", "〜": "~", "・": "·", "･": "·"},
    "µ": "μ",
}
_WIDE = "\uff01-\uff5e\uffe0-\uffe6\uff61-\uff9f\ufb00-\ufb06"
_DROPPED = f"[{IGNORABLE}]"
_SPECIAL = re.compile(
    rf"(?P<space>[\s{IGNORABLE}]*\s[\s{IGNORABLE}]*)|(?P<drop>{_DROPPED}+)"
    rf"|(?P<dots>\.{{3,}}|…+)"
    rf"|(?P<wide>[\uff66-\uff9d][\uff9e\uff9f]|[{_WIDE}])"
    rf"|(?P<one>[{''.join(map(re.escape, _ONE_FOR_ONE))}])"
    # A base with its marks, jamo, and every other character beyond Latin-1 that NFC may change.
    rf"|(?P<marked>(?:[^\s{IGNORABLE}])?[{MARKS}\u3099\u309a]+"
    rf"|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
    rf"|[\uac00-\ud7a3][\u11a8-\u11c2]|[\u1e00-\u1fff\u2000-\u21ff\u2329\u232a\u2adc\uf900-\ufaff\ufb1d-\ufb4e"
    rf"\U0001d15e-\U0001d1c0\U0002f800-\U0002fa1d\u0340-\u037e\u0387])"
)
_MAX_MARKS = 30  # sorting marks is quadratic in their number: longer stacks are normalised piece by piece
_CJK = UNSPACED_CJK + "，。、；：！？（）「」『』【】《》"
_CJK_SPACE = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])|(?<= ) |\A +| +\Z")


def fold(text: str, *, markup: Markup = "keep") -> Folded:
    """Fold any string, in time linear in its length.

    `markup` "emphasis" also drops emphasis, code, list, quote and heading marks, "all" link targets too, and
    "quote" is "emphasis" without the numbers of lists: in a quote a number may be a figure that was changed.
    Space beside Han or kana is dropped: it is typesetting there, as is a line break.
    """
    return _fold(text, markup) if len(text) > _CACHED else _fold_cached(text, markup)


_CACHED = 20_000  # code points: a chunk is folded once for all the quotes that cite it


@lru_cache(maxsize=64)
def _fold_cached(text: str, markup: Markup) -> Folded:
    return _fold(text, markup)


def _fold(text: str, markup: Markup) -> Folded:
    dropped = marks(text, links=markup == "all", list_numbers=markup != "quote") if markup != "keep" else []
    out: list[str] = []
    starts: array[int] = array("q")
    ends: array[int] = array("q")
    position = 0
    for begin, end in dropped:
        _plain(text, position, begin, out, starts, ends)
        position = end
    _plain(text, position, len(text), out, starts, ends)
    return _tidy("".join(out), starts, ends, len(text))


def _plain(text: str, begin: int, end: int, out: list[str], starts: array[int], ends: array[int]) -> None:
    position = begin
    for match in _SPECIAL.finditer(text, begin, end):
        at, stop = match.span()
        if at > position:
            _copy(text, position, at, out, starts, ends)
        position = stop
        kind = match.lastgroup
        if kind == "drop":
            continue
        if kind == "space":
            folded = " "
        elif kind == "one":
            folded = _ONE_FOR_ONE[match.group()]
        elif kind == "dots":
            folded = "…"
        elif kind == "wide":
            folded = unicodedata.normalize("NFKC", match.group())
            folded = "".join(_ONE_FOR_ONE.get(c, c) for c in folded)
        else:
            _compose(text, at, stop, out, starts, ends)
            continue
        out.append(folded)
        starts.extend([at] * len(folded))
        ends.extend([stop] * len(folded))
    if end > position:
        _copy(text, position, end, out, starts, ends)


def _copy(text: str, begin: int, end: int, out: list[str], starts: array[int], ends: array[int]) -> None:
    out.append(text[begin:end])
    starts.extend(range(begin, end))
    ends.extend(range(begin + 1, end + 1))


def _compose(text: str, begin: int, end: int, out: list[str], starts: array[int], ends: array[int]) -> None:
    for at in range(begin, end, _MAX_MARKS):
        stop = min(end, at + _MAX_MARKS)
        composed = unicodedata.normalize("NFC", text[at:stop])
        out.append(composed)
        if composed == text[at:stop]:
            starts.extend(range(at, stop))
            ends.extend(range(at + 1, stop + 1))
        else:
            starts.extend([at] * len(composed))
            ends.extend([stop] * len(composed))


def _tidy(text: str, starts: array[int], ends: array[int], n_source: int) -> Folded:
    """Take out spaces beside Han and kana, and all but one of those that dropped marks left side by side."""
    out: list[str] = []
    new_starts: array[int] = array("q")
    new_ends: array[int] = array("q")
    position = 0
    for match in _CJK_SPACE.finditer(text):
        out.append(text[position : match.start()])
        new_starts.extend(starts[position : match.start()])
        new_ends.extend(ends[position : match.start()])
        position = match.end()
    if not position:
        return Folded(text, starts, ends, n_source)
    out.append(text[position:])
    new_starts.extend(starts[position:])
    new_ends.extend(ends[position:])
    return Folded("".join(out), new_starts, new_ends, n_source)
