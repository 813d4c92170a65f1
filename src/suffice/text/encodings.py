"""Bytes to text without loss, and the way back: which bytes a code point came from.

A file is decoded strictly or not at all: nothing is replaced, nothing ignored, and the whole file decides,
not its head (a GB18030 file may hold its first four-byte character in its last line).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.errors import ParseError
from suffice.text._guess import guess, wide
from suffice.values import Segment

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
# What a label promises is often a subset of what was written: the superset decodes both.
_SUPERSETS = {
    "ascii": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP or Office file"),
    (b"\x89PNG", "a PNG image"),
    (b"GIF8", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
)
_TEXT_CONTROLS = b"\t\n\x0b\x0c\r\x1b\x08"
_CONTROLS = bytes(set(range(32)) - set(_TEXT_CONTROLS)) + b"\x7f"
_MOST_CONTROLS = 0.01


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with LF line ends and no byte order mark; `segments` lead back to the bytes."""

    text: str
    encoding: str
    segments: tuple[Segment, ...]


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Text of a file. Order: byte order mark, `declared` label, UTF-8, a guess over the whole file.

    Raises ParseError where the bytes are not text, or no encoding decodes all of them.
    """
    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise ParseError(f"not text: it looks like {what}")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                return _decoded(data, len(bom), encoding, data[len(bom) :].decode(encoding))
            except UnicodeDecodeError as error:
                raise ParseError(f"it says that it is {encoding}, but byte {error.start} is not") from error
    text, encoding = _strict(data, declared)
    return _decoded(data, 0, encoding, text)


def charset(media_type: str) -> str | None:
    """The charset parameter of a media type such as `text/html; charset=gbk`."""
    match = re.search(r"charset=[\"']?([\w.:-]+)", media_type, re.IGNORECASE)
    return match[1] if match else None


def byte_offsets(data: bytes, encoding: str) -> NDArray[np.int64]:
    """(n + 1,) offsets: code point i of the decoded text starts at byte `offsets[i]`."""
    if encoding == "utf-8":
        raw = np.frombuffer(data, dtype=np.uint8)
        return np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(data))
    text = data.decode(encoding)
    widths = np.fromiter((len(char.encode(encoding)) for char in text), dtype=np.int64, count=len(text))
    offsets = np.concatenate(([0], np.cumsum(widths)))
    if int(offsets[-1]) == len(data):
        return offsets
    # Some encodings write one character in several ways, of different widths: read byte by byte instead.
    starts: list[int] = []
    decoder = codecs.getincrementaldecoder(encoding)()
    start = 0
    for i in range(len(data)):
        out = decoder.decode(data[i : i + 1])
        if out:
            starts += [start] * len(out)
            start = i + 1
    return np.array([*starts, *([start] * (len(text) - len(starts))), len(data)], dtype=np.int64)


def _strict(data: bytes, declared: str | None) -> tuple[str, str]:
    label = _known(declared)
    try:
        text = data.decode("utf-8")
        utf8 = True
    except UnicodeDecodeError:
        utf8 = False
    # Pages often carry a stale one-byte label above UTF-8 text; a multi-byte label is rarely wrong.
    if label and label != "utf-8" and not (utf8 and not _multibyte(label)) and not data.isascii():
        try:
            return data.decode(label), label
        except UnicodeDecodeError:
            pass
    share = (len(data) - len(data.translate(None, _CONTROLS))) / max(len(data), 1)
    if share > _MOST_CONTROLS or (b"\0" in data and not utf8):
        found = wide(data)
        if found is not None:
            return found
    if share > _MOST_CONTROLS:
        raise ParseError(f"not text: {share:.0%} of its bytes are control characters")
    if utf8:
        return text, "utf-8"
    found = guess(data)
    if found is not None:
        return found
    raise ParseError("its encoding was not recognised: not UTF-8, and no other reads all of it")


def _known(label: str | None) -> str | None:
    if not label:
        return None
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _SUPERSETS.get(name, name)
    try:
        b"a".decode(name)  # "hex", "rot13" and the like are codecs, but not encodings of text
    except Exception:  # whatever such a codec raises, it is not an encoding
        return None
    return None if name.startswith(("utf-16", "utf-32", "utf-7")) or name in _ESCAPES else name


_ESCAPES = ("unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "utf-8-sig", "utf-7")


def _multibyte(encoding: str) -> bool:
    return encoding in ("gb18030", "cp932", "cp949", "big5hkscs", "euc_jp", "euc_jis_2004", "cp950")


def _decoded(data: bytes, start: int, encoding: str, raw: str) -> Decoded:
    if "\r" not in raw:
        whole = (Segment(span=(0, len(raw)), raw_span=(start, len(data))),) if raw else ()
        return Decoded(raw, encoding, whole)
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    offsets = byte_offsets(data[start:], encoding) + start
    segments = []
    at = begin = 0  # in the text, in the raw text
    for piece in raw.split("\r\n"):
        # From the second piece on, the LF of the pair before it belongs to the piece; its CR to none.
        lead = 1 if begin else 0
        n = len(piece) + lead
        if n:
            raw_begin = begin - lead
            raw_span = (int(offsets[raw_begin]), int(offsets[raw_begin + n]))
            segments.append(Segment(span=(at, at + n), raw_span=raw_span))
        at += n
        begin += len(piece) + 2
    return Decoded(text, encoding, tuple(segments))
