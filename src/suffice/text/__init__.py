"""The only place where text is folded: terms, identifiers, languages, sentences, quotes, quantities."""

from __future__ import annotations

from suffice.text.identifiers import Identifier, identifiers
from suffice.text.languages import content_words, language
from suffice.text.sentences import sentences
from suffice.text.terms import terms

__all__ = ["Identifier", "content_words", "identifiers", "language", "sentences", "terms"]
