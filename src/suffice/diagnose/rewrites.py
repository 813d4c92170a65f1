"""The same question in other words: cut at its clauses, or reduced to words and lent the headings found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from suffice.text import content_words, identifiers, language
from suffice.values import Chunk

_CLAUSE = re.compile(
    r"[,，;；。？?！!\n、]|(?:\s(?:and|und|et|y|e|or|oder|ou|o)\s)|(?:以及|并且|还有|和|および|並びに)"
)
_HEADING_WORDS = 8
_WORD = re.compile(r"[^\W_][\w./-]*")


def clauses(question: str) -> list[str]:
    """The question's clauses, if it has two or more that say something; else none."""
    parts = [part.strip() for part in _CLAUSE.split(question) if part and part.strip()]
    kept = [part for part in parts if content_words(part, language(question)) or identifiers(part)]
    return kept if len(kept) > 1 else []


def rewritten(question: str, top: Sequence[Chunk]) -> str:
    """Identifiers and content words of the question, then the words that head its best chunks.

    Pseudo relevance feedback on headings alone: they name a topic in the corpus's own words and language, and
    bring far fewer stray words than whole passages do.
    """
    own = [found.text.strip("`") for found in identifiers(question)]
    own += [word for word in content_words(question, language(question)) if word not in own]
    known = {word.casefold() for word in own}
    counts: Counter[str] = Counter()
    for chunk in top:
        lines = dict.fromkeys((chunk.title, *chunk.heading_path))
        words = dict.fromkeys(
            word.casefold() for line in lines for word in content_words(line, language(line))
        )
        counts.update(word for word in words if _WORD.fullmatch(word) and word not in known)
    lent = sorted(counts, key=lambda word: (-counts[word], word))[:_HEADING_WORDS]
    return " ".join(dict.fromkeys([*own, *lent]))
