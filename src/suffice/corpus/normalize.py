"""Raw bytes to a document: picks the parser, and leads a span of the text back to the bytes."""

from __future__ import annotations

import functools
import mimetypes
import re
from bisect import bisect_right
from dataclasses import replace
from pathlib import PurePosixPath

from suffice import registry
from suffice.errors import ParseError
from suffice.ports import Parser
from suffice.text.encodings import byte_offsets
from suffice.values import Document, RawFile, Segment, Span

_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
# Types that a server gives when it does not know: the name of the file says more.
_VAGUE = ("", "text/plain", "application/octet-stream", "binary/octet-stream")
_SNIFFED = 4096


def normalize(data: bytes, file: RawFile) -> Document:
    """The file as a document with its tenant and metadata. Raises ParseError with a reason for people."""
    parser = _parser(file, data)
    try:
        document = parser.parse(data, name=file.name, sha256=file.sha256, media_type=file.media_type)
    except ParseError:
        raise
    except Exception as error:  # one file must never stop a run, whatever a parser does with it
        raise ParseError(f"the {parser.name} parser failed: {type(error).__name__}: {error}") from error
    return replace(document, tenant=file.tenant, meta={**document.meta, **file.meta})


def media_type(name: str, data: bytes) -> str:
    """By the suffix, then by what the first bytes look like; `application/octet-stream` when unknown."""
    suffix = PurePosixPath(name).suffix.lower()
    parser = _by_suffix().get(suffix)
    if parser is not None:
        return parser.media_types[0]
    if _HTML.match(data[:_SNIFFED]):
        return "text/html"
    # The tables of the operating system differ between machines: only those of Python are asked.
    known, _ = _types().guess_type(f"file{suffix}")
    if known:
        return known
    if not suffix and b"\0" not in data[:_SNIFFED]:
        return "text/plain"
    return "application/octet-stream"


def raw_span(document: Document, data: bytes, span: Span) -> Span:
    """The bytes of the raw file that `document.text[span]` came from.

    What normalization put between pieces (a line end, a table's bars) came from nowhere: the span is then
    that of the pieces it touches. Raises ValueError where the span is not in the text.
    """
    start, end = span
    if not 0 <= start <= end <= len(document.text):
        raise ValueError(
            f"the span {span} is not in the text of {document.name} ({len(document.text)} characters)"
        )
    segments = document.segments
    if not segments:
        return (0, 0)
    first = max(bisect_right(segments, start, key=lambda segment: segment.span[0]) - 1, 0)
    if segments[first].span[1] <= start and first + 1 < len(segments):
        first += 1
    begin = _byte(segments[first], data, document.encoding, start, at_end=False)
    if end == start:
        return (begin, begin)
    last = max(bisect_right(segments, end - 1, key=lambda segment: segment.span[0]) - 1, 0)
    stop = _byte(segments[last], data, document.encoding, end, at_end=True)
    return (begin, max(stop, begin))


def _byte(segment: Segment, data: bytes, encoding: str, point: int, *, at_end: bool) -> int:
    """The byte at which a code point of the text starts (or the one before it ends)."""
    start, end = segment.raw_span
    if point <= segment.span[0]:
        return start
    if point >= segment.span[1]:
        return end
    if not segment.linear:
        return end if at_end else start
    return start + int(byte_offsets(data[start:end], encoding)[point - segment.span[0]])


def _parser(file: RawFile, data: bytes) -> Parser:
    stated = file.media_type.partition(";")[0].strip().lower()
    suffix = PurePosixPath(file.name).suffix.lower()
    by_type = {kind: parser for parser in _parsers() for kind in parser.media_types}
    parser = by_type.get(stated) if stated not in _VAGUE else None
    parser = (
        parser or _by_suffix().get(suffix) or by_type.get(stated) or by_type.get(media_type(file.name, data))
    )
    if parser is None:
        kind = stated if stated not in _VAGUE else media_type(file.name, data)
        known = ", ".join(sorted(_by_suffix()))
        raise ParseError(f"no parser for {suffix or 'a file without a suffix'} ({kind}); supported: {known}")
    return parser


@functools.cache
def _parsers() -> tuple[Parser, ...]:
    return tuple(registry.create("parser", name) for name in registry.names("parser"))


@functools.cache
def _by_suffix() -> dict[str, Parser]:
    return {suffix: parser for parser in reversed(_parsers()) for suffix in parser.suffixes}


@functools.cache
def _types() -> mimetypes.MimeTypes:
    return mimetypes.MimeTypes()
