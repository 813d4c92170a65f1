"""The only place where text is folded: terms, identifiers, languages, sentences, quotes, quantities."""

from __future__ import annotations

from suffice.text.folding import Folded, fold
from suffice.text.identifiers import Identifier, identifiers
from suffice.text.languages import content_words, language
from suffice.text.numbers import Quantity, numbers
from suffice.text.sentences import sentences
from suffice.text.terms import terms

__all__ = [
    "Folded",
    "Identifier",
    "Quantity",
    "content_words",
    "fold",
    "identifiers",
    "language",
    "numbers",
    "sentences",
    "terms",
]
