"""A benchmark run, a comparison, scores: numbers in columns, unscored as a dash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from suffice.experiments.bench_report import named_rows, number, threshold, value
from suffice.interfaces.render.corpus import MANY, count, more, pairs
from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, NUMBER, WARN, line, styled, wrap

if TYPE_CHECKING:
    from suffice.experiments.compare import Change, Comparison, Measure

WIDE = 76
"""From this many cells on, a measure's row has room for what it says."""
NARROW = 70
"""Below this many cells what does not fit beside a measure's name stands under it."""
NAME = 24


def results(data: Mapping[str, Any], width: int) -> list[Text]:
    """The measures with their intervals, then what the answers did, then what is wrong with the gold."""
    metrics = data["metrics"]
    out: list[Text] = []
    for name, says in named_rows(data):
        found = value(metrics, name)
        if found is None and name.startswith(("gate.", "evidence")) and not data["answers"]:
            continue
        interval = data["intervals"].get(name)
        between = f"{interval[0]:.3f} – {interval[1]:.3f}" if interval else ""
        row = styled(f"{name:<{NAME}}", (f"{number(found):>5}", NUMBER))
        if width >= NARROW:
            row.append(f"  {between:<13}", DIM)
        if width >= WIDE:
            row.append(f"  {says}", DIM)
        row.rstrip()
        row.truncate(width, overflow="ellipsis")
        out.append(row)
        if width < NARROW and between:
            out += wrap(styled((between, DIM)), width, first="  ", rest="  ")
    out.append(Text("", end=""))
    out += pairs(_facts(data), width)
    errors = data["gold_errors"]
    if errors:
        places = "1 place of the benchmark is" if len(errors) == 1 else (
            f"{count(len(errors))} places of the benchmark are"
        )  # fmt: skip
        said = f"{places} not in the corpus and not scored"
        out += [Text("", end=""), *wrap(styled((said, HEAD)), width, first=styled(("! ", WARN)), rest="  ")]
        for error in errors[:MANY]:
            where = f"{line(error['question'])} {line(error['piece'])}  "
            out += wrap(styled(where, (line(error["reason"]), DIM)), width, first="  ", rest="    ")
        out += more(len(errors) - MANY)
    return out


def _facts(data: Mapping[str, Any]) -> dict[str, str]:
    metrics, corpus = data["metrics"], data["corpus"]
    gate, cited, offered = metrics["gate"], metrics["citations"], metrics["suggestions"]
    latency = metrics["latency_ms"]
    facts = {
        "questions": f"{count(data['n'])} over {count(corpus['n_documents'])} documents "
        f"({count(corpus['n_chunks'])} chunks), {data['mode']}, k {data['k']}",
        "latency": f"p50 {number(latency['p50'])} ms, p95 {number(latency['p95'])} ms"
        if latency["p50"] is not None
        else "",
    }
    if data["answers"]:
        facts |= {
            "threshold": threshold(data),
            "gate": "; ".join(
                f"{label}: " + ", ".join(f"{n} {status}" for status, n in row.items() if n)
                for label, row in (gate["confusion"] or {}).items()
                if any(row.values())
            ),
            "failed": f"{gate['n_search_failed']} searches" if gate["n_search_failed"] else "",
            "citations": f"{cited['shown']} shown, {cited['verified']} verified, "
            f"{_known(cited['on_gold'])} of {cited['of_questions_with_gold']} on gold",
            "suggestions": f"offered on {offered['offered_on']}, gold missing on "
            f"{_known(offered['gold_missing_on'])} of these, helpful on {_known(offered['helpful_on'])}; "
            f"gold not shown on {_known(offered.get('unshown_on'))}, shown by one of them on "
            f"{_known(offered.get('shown_on'))}",
        }
    return {name: fact for name, fact in facts.items() if fact}


def comparison(found: Comparison, width: int) -> list[Text]:
    """The judgement first, then each measure, then the questions that changed."""
    style = {"better": GOOD, "worse": BAD}.get(found.word, HEAD)
    out = wrap(styled((found.judgement, style)), width)
    for warning in found.warnings:
        out += wrap(styled(warning), width, first=styled(("! ", WARN)), rest="  ")
    out.append(Text("", end=""))
    if width >= NARROW:
        head = f"{'':<{NAME}}{'A':>5}  {'B':>5}  {'B - A':>6}  {'wins':>5}  {'losses':>6}  {'p':>6}"
        out += [styled((head, DIM)), *(_row(measure) for measure in found.measures)]
    else:
        for measure in found.measures:
            out += _stacked(measure, width)
    for title, changes in (("B wins", found.wins), ("B loses", found.losses)):
        out += _changed(title, changes, width)
    return out


def _row(one: Measure) -> Text:
    style = {"better": GOOD, "worse": BAD}.get(one.word, "")
    return styled(
        f"{one.name:<{NAME}}",
        f"{one.a:>5.3f}  {one.b:>5.3f}  ",
        (f"{one.difference:>+6.3f}", style),
        f"  {one.wins:>5}  {one.losses:>6}  {one.p:>6.3f}",
    )


def _stacked(one: Measure, width: int) -> list[Text]:
    style = {"better": GOOD, "worse": BAD}.get(one.word, "")
    rest = f"{one.a:.3f} → {one.b:.3f}, {one.wins} wins, {one.losses} losses, p {one.p:.3f}"
    name = styled(one.name, "  ", (f"{one.difference:+.3f}", style))
    return [*wrap(name, width), *wrap(styled((rest, DIM)), width, first="  ", rest="  ")]


def _changed(title: str, changes: Sequence[Change], width: int) -> list[Text]:
    if not changes:
        return []
    out = [Text("", end=""), styled((f"{title} on {count(len(changes))}", HEAD))]
    for change in changes[:MANY]:
        first = styled(f"  {line(change.id)}  ", (f"{change.a:.2f} → {change.b:.2f}  ", NUMBER))
        out += wrap(styled((line(change.question), DIM)), width, first=first, rest="    ")[:1]
    return out + more(len(changes) - MANY)


def scores(data: Mapping[str, Any], width: int) -> list[Text]:
    """Means, and over how many queries they are."""
    facts = {
        name: number(found)
        for name, found in data.items()
        if isinstance(found, float) or (found is None and name != "schema")
    }
    facts["queries"] = f"{count(data['n_used'])} of {count(data['n_all'])} have judgements"
    return pairs(facts, width)


def _known(n: int | None) -> str:
    return "–" if n is None else str(n)
