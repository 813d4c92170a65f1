"""A ranking: rank, score, the rank under each scorer, and where each chunk stands."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from suffice.interfaces.render import markdown
from suffice.interfaces.render.answer import place
from suffice.interfaces.render.text import DIM, HEAD, NUMBER, line, styled, wrap
from suffice.values import Hit, Ranking

NARROW = 64
"""Below this many cells the numbers stand above the passage, not beside it."""


def lines(ranking: Ranking, width: int) -> list[Text]:
    """A row a hit; what failed comes last and is never taken for an empty result."""
    out: list[Text] = []
    legs = dict.fromkeys(name for hit in ranking.hits for name in hit.ranks)
    scorers = [name for name in legs if name != ranking.scorer]  # its ranks are the first column
    if ranking.hits:
        out += _stacked(ranking, scorers, width) if width < NARROW else _table(ranking, scorers, width)
        out.append(Text("", end=""))
    elif not ranking.failures:
        out += wrap(styled("Nothing to rank: no document takes part in this search."), width)
    for failure in ranking.failures:
        mark = styled(("▲ ", "magenta"), (f"{line(failure.stage)} could not run: ", HEAD))
        out += wrap(styled(line(failure.reason)), width, first=mark, rest="  ")
    if ranking.hits:
        said = f"{len(ranking.hits)} of {ranking.depth} chunks ranked by {ranking.scorer}"
        out += wrap(styled((f"{said} · generation {line(ranking.generation)}", DIM)), width)
    return out


def _table(ranking: Ranking, scorers: list[str], width: int) -> list[Text]:
    ranks = [[_number(hit.ranks.get(name)) for name in scorers] for hit in ranking.hits]
    scores = [f"{hit.score:.3f}" for hit in ranking.hits]
    n_rank = max(1, *(len(str(hit.rank)) for hit in ranking.hits))
    n_score = max(5, *map(len, scores))
    n_each = [max(len(name), *(len(row[i]) for row in ranks)) for i, name in enumerate(scorers)]
    head = "  ".join([f"{'#':>{n_rank}}", f"{'score':>{n_score}}"])
    head = "  ".join(
        [head, *(f"{name:>{size}}" for name, size in zip(scorers, n_each, strict=True)), "passage"]
    )
    out = [styled((head, DIM))]
    for hit, score, row in zip(ranking.hits, scores, ranks, strict=True):
        first = styled((f"{hit.rank:>{n_rank}}", NUMBER), f"  {score:>{n_score}}")
        for cell, size in zip(row, n_each, strict=True):
            first.append(f"  {cell:>{size}}", DIM)
        first.append("  ")
        rest = " " * first.cell_len
        out += wrap(styled((place(hit), HEAD)), width, first=first, rest=rest)
        out += _below(hit, width, rest)
    return out


def _stacked(ranking: Ranking, scorers: list[str], width: int) -> list[Text]:
    out: list[Text] = []
    for hit in ranking.hits:
        ranks = " · ".join(f"{name} {_number(hit.ranks.get(name))}" for name in scorers)
        first = styled((f"{hit.rank} ", NUMBER))
        rest = " " * min(first.cell_len, 2)
        out += wrap(styled((place(hit), HEAD)), width, first=first, rest=rest)
        out += wrap(styled((f"score {hit.score:.3f} · {ranks}", DIM)), width, first=rest, rest=rest)
        out += _below(hit, width, rest)
    return out


def _below(hit: Hit, width: int, rest: str) -> Iterator[Text]:
    yield from wrap(styled((line(hit.document), DIM)), width, first=rest, rest=rest)
    said = wrap(styled(markdown.gist(hit.text)), width, first=rest, rest=rest)
    yield said[0] if len(said) == 1 else _ended(said[0], width)


def _ended(row: Text, width: int) -> Text:
    """The line with a mark that it goes on."""
    row.truncate(width - 1, overflow="crop")
    row.rstrip()
    row.append("…", DIM)
    return row


def _number(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
