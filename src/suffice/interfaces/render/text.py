"""Lines of styled text: made safe for a terminal, wrapped for scripts with and without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from rich.cells import cell_len, get_character_cell_size
from rich.text import Text

HEAD = "bold"
DIM = "dim"
GOOD = "green"
BAD = "red"
WARN = "yellow"
NUMBER = "bold cyan"
CODE = "cyan"

# Whole escape sequences first, so that their tails ("[31m") do not stay behind as litter.
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: window titles, links, the clipboard
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor, erase
    r"|\x1b[ -/]*[0-~]?"
)
# C0 but tab and line feed, DEL, C1; bidirectional overrides, which can show a quote as what it is not.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029|\x85")

_NOT_FIRST = frozenset(
    "、。，．：；？！）］｝〕〉》」』】〗’”…‥・ー々〻ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;?!)]}%‰°"
)
_NOT_LAST = frozenset("（［｛〔〈《「『【〖‘“([{$£¥￥")
_BREAK_AFTER = frozenset("/\\_-.,;:=&?|")


def plain(text: str) -> str:
    """The text without anything that a terminal would obey; line breaks as `\\n`, tabs as four spaces."""
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text)).replace("\t", "    ")


def line(text: str) -> str:
    """The same in one line."""
    return " ".join(plain(text).split())


def clipped(text: str, most: int = 400) -> str:
    """One line of a question; of one that is a page long, its beginning."""
    said = line(text)
    return said if len(said) <= most else f"{said[:most].rstrip()}…"


def styled(*parts: str | tuple[str, str]) -> Text:
    """A line from strings and (string, style) pairs, each made safe."""
    text = Text(end="")
    for part in parts:
        words, style = (part, "") if isinstance(part, str) else part
        text.append(line_or_space(words), style or None)
    return text


def line_or_space(text: str) -> str:
    """One line that keeps its own spaces (padding, indents)."""
    return plain(text).replace("\n", " ")


def wrap(text: Text, width: int, *, first: str | Text = "", rest: str | Text = "") -> list[Text]:
    """Lines of at most `width` cells; `first` stands before the first line, `rest` before the others.

    Breaks at spaces, and between characters of scripts that have none (not before closing marks, not
    after opening ones). A word wider than the line is broken after a slash or the like, else anywhere.
    Rich's own wrapping moves a run of Han characters to a new line as one word, which leaves holes.
    """
    room = max(width - max(_cells(first), _cells(rest)), min(width, 8), 1)
    lines = text.divide(_offsets(text.plain, room))
    out = []
    for number, part in enumerate(lines or [text]):
        part.rstrip()
        part.end = ""
        out.append(Text.assemble(rest if number else first, part, end=""))
    return out


def _cells(text: str | Text) -> int:
    return cell_len(text if isinstance(text, str) else text.plain)


def _offsets(text: str, width: int) -> list[int]:
    """Where to cut so that each part is at most `width` cells (spaces at its end not counted)."""
    offsets: list[int] = []
    start = used = 0
    at_word = in_word = None
    for i, char in enumerate(text):
        size = get_character_cell_size(char)
        if i > start:
            if _may_break(text[i - 1], char):
                at_word = i
            elif text[i - 1] in _BREAK_AFTER and size:
                in_word = i
        if used + size > width and not char.isspace() and i > start:
            cut = at_word or in_word or (i if size else i - 1)
            if cut <= start:
                cut = i
            offsets.append(cut)
            start, at_word = cut, None
            in_word = in_word if in_word is not None and in_word > cut else None
            used = cell_len(text[cut:i])
        used += size
    return offsets


def _may_break(before: str, after: str) -> bool:
    if after.isspace():
        return False
    if before.isspace():
        return True
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    return (_spaceless(before) or _spaceless(after)) and get_character_cell_size(after) > 0


def _spaceless(char: str) -> bool:
    """Whether the script of this character is written without spaces (Hangul is not)."""
    if char < "\u2e80":
        return False
    return unicodedata.east_asian_width(char) in "WF" and not "\uac00" <= char <= "\ud7a3"


def grid(
    rows: Iterable[Iterable[Text]],
    header: Iterable[str],
    width: int,
    *,
    right: frozenset[int] = frozenset(),
    indent: int = 0,
    least: int = 8,
) -> list[Text]:
    """A table whose columns fit `width`, cells wrapped; a record a row where they cannot fit."""
    heads = [Text(line_or_space(name), HEAD, end="") for name in header]
    cells = [list(row) for row in rows]
    n = max([len(heads), *(len(row) for row in cells)], default=0)
    heads += [Text("", end="")] * (n - len(heads))
    cells = [row + [Text("", end="")] * (n - len(row)) for row in cells]
    wanted = [max(cell.cell_len for cell in column) for column in zip(heads, *cells, strict=True)]
    widths = _fit(wanted, width - indent - 2 * (n - 1), least)
    pad = " " * indent
    if widths is None:
        return _records(heads, cells, width, pad)
    out: list[Text] = []
    if any(head.plain for head in heads):
        out += _row(heads, widths, right, pad)
        out.append(Text(pad + "  ".join("─" * size for size in widths), DIM, end=""))
    for row in cells:
        out += _row(row, widths, right, pad)
    return out


def _fit(wanted: list[int], room: int, least: int) -> list[int] | None:
    """Column widths within `room`: the widest give way first, none below `least`; None if that cannot be."""
    widths = list(wanted)
    while sum(widths) > room:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= least:
            return None
        others = max([size for i, size in enumerate(widths) if i != widest], default=0)
        over = sum(widths) - room
        widths[widest] -= max(1, min(over, widths[widest] - max(others, least)))
    return widths


def _row(row: list[Text], widths: list[int], right: frozenset[int], pad: str) -> list[Text]:
    columns = [wrap(cell, max(size, 1)) for cell, size in zip(row, widths, strict=True)]
    out = []
    for number in range(max(len(column) for column in columns)):
        made = Text(pad, end="")
        for i, (column, size) in enumerate(zip(columns, widths, strict=True)):
            cell = column[number] if number < len(column) else Text("", end="")
            gap = " " * max(size - cell.cell_len, 0)
            made.append(gap if i in right else "")
            made.append_text(cell)
            made.append(("" if i in right else gap) + ("  " if i < len(widths) - 1 else ""))
        made.rstrip()
        out.append(made)
    return out


def _records(heads: list[Text], cells: list[list[Text]], width: int, pad: str) -> list[Text]:
    out: list[Text] = []
    for number, row in enumerate(cells):
        if number:
            out.append(Text("", end=""))
        for head, cell in zip(heads, row, strict=True):
            if cell.plain:
                name = Text.assemble(head, ": " if head.plain else "", end="")
                out += wrap(Text.assemble(name, cell, end=""), width, first=pad, rest=pad + "  ")
    return out
