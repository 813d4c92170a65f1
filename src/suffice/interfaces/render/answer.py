"""An answer, or why there is none, readable at a glance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.text import Text

from suffice.interfaces.render import markdown
from suffice.interfaces.render.text import (
    BAD,
    DIM,
    GOOD,
    HEAD,
    NUMBER,
    WARN,
    clipped,
    line,
    plain,
    styled,
    wrap,
)
from suffice.values import Answer, Citation, Claim, Hit, Status, Suggestion

BADGES: dict[Status, tuple[str, str, str]] = {
    "sufficient": ("●", "SUFFICIENT", "bold white on green4"),
    "partial": ("◐", "PARTIAL", "bold black on yellow3"),
    "insufficient": ("○", "INSUFFICIENT", "bold white on red3"),
    "search_failed": ("▲", "SEARCH FAILED", "bold white on dark_magenta"),
}
COLOURS: dict[Status, str] = {
    "sufficient": GOOD,
    "partial": WARN,
    "insufficient": BAD,
    "search_failed": "magenta",
}
PROMISES: dict[Status, str] = {
    "sufficient": "will be answered",
    "partial": "will be answered in part",
    "insufficient": "not enough evidence either",
    "search_failed": "could not be tried",
}
CHECKS = {"verified": "✓ verified", "verified_normalized": "✓ verified after folding"}
LONG_MESSAGE = 1500
"""A message names the missing needs; of a question that is a page long, its beginning is enough."""
_MARKS = re.compile(r"\s*\[\d{1,3}\]")


def lines(answer: Answer, width: int, *, quiet: bool = False) -> list[Text]:
    """The whole page for one question; `quiet` leaves out hints and the closing line of ids."""
    parts = [list(_head(answer, width)), list(_body(answer, width)), list(_rest(answer, width))]
    parts += [list(_suggestions(answer.suggestions, width, quiet=quiet))]
    if not quiet:
        parts.append(list(_foot(answer, width)))
    out: list[Text] = []
    for part in filter(None, parts):
        out += [*([Text("", end="")] if out else []), *part]
    return out


def summary(answer: Answer, name: str, width: int) -> list[Text]:
    """One line for a question of a batch."""
    mark, word, _ = BADGES[answer.status]
    head = styled((f"{mark} {word.lower():<13}", COLOURS[answer.status]), f" {name}  ")
    return wrap(styled(clipped(answer.question)), width, first=head, rest=" " * 17)


def badge(status: Status) -> Text:
    """The verdict as a coloured word; without colour the symbol and the word remain."""
    mark, word, style = BADGES[status]
    return Text.assemble((f" {mark} {word} ", style), end="")


def place(hit: Hit) -> str:
    """title › heading path, the title not said twice."""
    path = [line(part) for part in hit.heading_path if line(part)]
    title = line(hit.title) or hit.document
    return " › ".join(path if path and path[0] == title else [title, *path])


def _head(answer: Answer, width: int) -> Iterator[Text]:
    needs = answer.verdict.needs
    n_met = sum(need.status == "supported" for need in needs)
    said = {
        "sufficient": "the evidence covers the question",
        "partial": f"the evidence covers {n_met} of {len(needs)} things asked",
        "insufficient": "the evidence found does not cover the question",
        "search_failed": "not every search could run, so nothing is said about the evidence",
    }[answer.status]
    mark, words = badge(answer.status), styled((said, COLOURS[answer.status]))
    if mark.cell_len + 2 + words.cell_len <= width:
        yield Text.assemble(mark, "  ", words, end="")
    else:
        yield mark
        yield from wrap(words, width, first=" ", rest=" ")
    yield Text("", end="")
    question = styled((clipped(answer.question), HEAD))
    if len(needs) == 1 and (
        clipped(needs[0].need.text) == clipped(answer.question) or not needs[0].need.text
    ):
        yield from wrap(question, width, first=_tick(answer, 0), rest="  ")
        return
    yield from wrap(question, width)
    for number, need in enumerate(needs):
        yield from wrap(styled(clipped(need.need.text)), width, first=_tick(answer, number), rest="  ")


def _tick(answer: Answer, number: int) -> Text:
    if answer.status == "search_failed":
        return styled(("? ", "magenta"))
    met = answer.verdict.needs[number].status == "supported"
    return styled(("✓ ", GOOD) if met else ("✗ ", BAD))


def _body(answer: Answer, width: int) -> Iterator[Text]:
    if answer.answer is None:
        return
    hits = {hit.rank: hit for hit in answer.evidence}
    claims = answer.answer.claims
    if not all(_is_quotation(claim) for claim in claims):
        for row in markdown.lines(answer.answer.text, width):
            row.highlight_regex(r"\[\d{1,3}\]", NUMBER)
            yield row
        yield Text("", end="")
        yield styled(("Quotes", HEAD))
        for citation in _each(claims):
            yield from _source(citation, hits.get(citation.evidence), width)
            yield from markdown.lines(citation.quote, width, bar="    │ ")
        return
    # The answer is the quotes themselves: each is shown once, above the place where it stands.
    texts = {judged.need.id: clipped(judged.need.text) for judged in answer.verdict.needs}
    for number, (needs, group) in enumerate(_grouped(claims, list(texts)).items()):
        if number:
            yield Text("", end="")
        if len(texts) > 1:
            yield from wrap(styled((" · ".join(texts[need] for need in needs), HEAD)), width)
        for i, (citations, evidence) in enumerate(group):
            if i:
                yield Text("", end="")
            for citation in citations:
                yield from markdown.lines(citation.quote, width, bar="│ ")
            yield from _source(citations[0], hits.get(evidence), width)


def _grouped(
    claims: tuple[Claim, ...], order: list[str]
) -> dict[tuple[str, ...], list[tuple[list[Citation], int]]]:
    """Runs of quotes from one piece of evidence, under the needs that they serve, in order of need."""
    groups: dict[tuple[str, ...], list[tuple[list[Citation], int]]] = {}
    for claim in claims:
        runs = groups.setdefault(tuple(need for need in order if need in claim.needs), [])
        for citation in claim.citations:
            if not runs or runs[-1][1] != citation.evidence:
                runs.append(([], citation.evidence))
            if citation not in runs[-1][0]:
                runs[-1][0].append(citation)
    return dict(sorted(groups.items(), key=lambda item: [order.index(need) for need in item[0]]))


def _each(claims: tuple[Claim, ...]) -> list[Citation]:
    """Every citation once, by number."""
    seen = {(c.evidence, c.span, c.quote): c for claim in claims for c in claim.citations}
    return sorted(seen.values(), key=lambda citation: (citation.evidence, citation.span))


def _is_quotation(claim: Claim) -> bool:
    """Whether the claim's words are its quotes' words, so that showing both would say everything twice."""
    said = "".join(_MARKS.sub("", claim.text).split())
    quoted = "".join("".join(_MARKS.sub("", citation.quote).split()) for citation in claim.citations)
    return bool(claim.citations) and said == quoted


def _source(citation: Citation, hit: Hit | None, width: int) -> Iterator[Text]:
    number = styled((f"[{citation.evidence}] ", NUMBER))
    where = styled((place(hit) if hit else citation.document, HEAD))
    rest = " " * number.cell_len
    page = f", page {hit.page}" if hit and hit.page is not None else ""
    # A no-break space keeps the mark beside its word.
    check = CHECKS[citation.check].replace(" ", "\u00a0", 1)
    check += ", found here and not where the writer said" if citation.reattributed else ""
    below = styled((line(citation.document) + page, DIM), "  ", (check, GOOD))
    if number.cell_len + where.cell_len + 2 + below.cell_len <= width:
        yield Text.assemble(number, where, "  ", below, end="")
        return
    yield from wrap(where, width, first=number, rest=rest)
    yield from wrap(below, width, first=rest, rest=rest)


def _rest(answer: Answer, width: int) -> Iterator[Text]:
    """What the evidence does not include, what failed, what was dropped, what was looked at in vain."""
    said = plain(answer.message).strip()
    said = said if len(said) <= LONG_MESSAGE else f"{said[:LONG_MESSAGE]}…"
    if said and answer.status != "sufficient":
        for row in said.split("\n"):
            yield from wrap(_coloured(markdown.inline(row), answer.status), width)
    for failure in answer.verdict.failures:
        if line(failure.reason) in line(said):
            continue
        mark = styled(("✗ ", BAD), (line(failure.stage), HEAD), " ")
        yield from wrap(styled(line(failure.reason)), width, first=mark, rest="  ")
    if answer.dropped_claims:
        n = len(answer.dropped_claims)
        head = f"Not shown: {n} statement{'s' * (n > 1)} that could not be checked"
        yield from wrap(styled((head, DIM)), width)
        for dropped in answer.dropped_claims:
            yield from wrap(
                styled((f"{line(dropped.text)} ({line(dropped.reason)})", DIM)), width, first="  ", rest="  "
            )
    for note in answer.notes:
        yield from wrap(styled((line(note), DIM)), width, first=styled(("! ", WARN)), rest="  ")
    if answer.status == "insufficient" and answer.evidence:
        if said:
            yield Text("", end="")
        yield styled(("Read, and not enough:", DIM))
        for hit in _places(answer.evidence)[:3]:
            yield from wrap(styled((place(hit), DIM)), width, first="  ", rest="    ")


def _coloured(text: Text, status: Status) -> Text:
    text.stylize_before(COLOURS[status])
    return text


def _places(hits: tuple[Hit, ...]) -> list[Hit]:
    return list({place(hit): hit for hit in reversed(hits)}.values())[::-1]


def _suggestions(suggestions: tuple[Suggestion, ...], width: int, *, quiet: bool) -> Iterator[Text]:
    if not suggestions:
        return
    yield styled(("You could ask", HEAD))
    for number, suggestion in enumerate(suggestions, 1):
        first = styled((f"{number} ", NUMBER))
        yield from wrap(styled(clipped(suggestion.question)), width, first=first, rest="  ")
        if suggestion.preview is not None:
            status = suggestion.preview.status
            found = styled((f"{BADGES[status][0]} {PROMISES[status]}", COLOURS[status]))
            if suggestion.preview.document and status in ("sufficient", "partial"):
                found.append(f"  {line(suggestion.preview.document)}", DIM)
            yield from wrap(found, width, first="  ", rest="    ")
    best = _best(suggestions)
    if best is not None and not quiet:
        yield styled(("→ ", DIM), f"suffice pick {best}")


def _best(suggestions: tuple[Suggestion, ...]) -> int | None:
    """Number of the first suggestion that will be answered, else of the first that will be in part."""
    for wanted in ("sufficient", "partial"):
        for number, suggestion in enumerate(suggestions, 1):
            if suggestion.preview is None or suggestion.preview.status == wanted:
                return number
    return None


def _foot(answer: Answer, width: int) -> Iterator[Text]:
    if answer.n_pending:
        noun = "document waits" if answer.n_pending == 1 else "documents wait"
        said = (
            f"{answer.n_pending:,} {noun} to be indexed; this answer does not know them (run: suffice update)"
        )
        yield from wrap(styled(("! ", WARN), said), width)
    parts = [f"answer {answer.id}"]
    total = answer.timings_ms.get("total")
    if total is not None:
        parts.append(f"{total / 1000:.2f} s")
    if answer.usage.model:
        tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
        parts.append(f"{line(answer.usage.model)}, {tokens} tokens")
    yield from wrap(styled((" · ".join(parts), DIM)), width)
