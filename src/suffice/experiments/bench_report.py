"""A run in words and tables, as Markdown; every number is from `results.json` alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from suffice.experiments.check import cell, line

ROWS: tuple[tuple[str, str], ...] = (
    ("coverage@1", "pieces found in the first 1"),
    ("coverage@5", "pieces found in the first 5"),
    ("coverage@10", "pieces found in the first 10"),
    ("coverage@20", "pieces found in the first 20"),
    ("full@5", "questions with every piece in the first 5"),
    ("mrr", "mean reciprocal rank of the first evidence"),
    ("ndcg@10", "nDCG over chunks that overlap gold"),
    ("evidence_coverage", "pieces in what the gate was given"),
    ("gate.accuracy", "questions judged as their label says"),
    ("gate.false_answer_rate", "unanswerable questions that were not declined"),
    ("gate.answer_rate", "fully answerable questions that were not declined"),
    ("gate.auroc", "answerable against unanswerable, by confidence"),
)
_WORST = 20


def named_rows(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The measures to show, with what they say; those at the run's own k among them."""
    k = data.get("k", 5)
    extra = [(f"coverage@{k}", f"pieces found in the first {k}"),
             (f"full@{k}", f"questions with every piece in the first {k}")]  # fmt: skip
    return [*ROWS[:4], *(row for row in extra if row not in ROWS), *ROWS[4:]]


def value(metrics: Mapping[str, Any], name: str) -> Any:
    """A metric by its dotted name; None where it is not there."""
    found: Any = metrics
    for part in name.split(".") if name.startswith("gate.") else (name,):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def number(given: Any) -> str:
    """Three digits; a dash for what is unscored, which is not 0."""
    return "–" if given is None else f"{given:.3f}"


def threshold(data: Mapping[str, Any]) -> str:
    """Which threshold the gate asked for and where it came from; empty where it was not asked."""
    gate = data.get("calibration")
    if not gate:
        return ""
    rate = gate["false_answer_rate"]
    origin = {
        "manual": "set by gate.threshold",
        "uncalibrated": f"the judge's own for a false-answer rate of {rate}, uncalibrated for this corpus",
        "calibrated": f"fitted to labels of this corpus for a false-answer rate of {rate}",
    }[gate["status"]]
    n = data.get("n_fitted_on", 0)
    fitted = (
        f"; {n} of these questions are among those labels, so the gate looks better than it is" if n else ""
    )
    return f"{gate['threshold']:g}, {origin}{fitted}"


def report(data: Mapping[str, Any]) -> str:
    """The page."""
    metrics, corpus = data["metrics"], data["corpus"]
    out = [
        "# Benchmark run",
        "",
        f"{data['n']} questions over {corpus['n_documents']} documents ({corpus['n_chunks']} chunks), "
        f"{data['mode']} search, k {data['k']}. Settings {data['settings']}, generation "
        f"{data['generation']}, corpus {corpus['fingerprint']}.",
        *((f"The gate's threshold: {threshold(data)}.",) if threshold(data) else ()),
        "",
        "| measure | value | 95 % interval | questions | what it says |",
        "|---|---|---|---|---|",
    ]
    for name, says in named_rows(data):
        interval = data["intervals"].get(name)
        between = f"{interval[0]:.3f} – {interval[1]:.3f}" if interval else "–"
        n = data["n_scored"].get(name)
        out.append(f"| {name} | {number(value(metrics, name))} | {between} | {n if n else '–'} | {says} |")
    out += ["", "A dash is unscored: no question of the file says anything about it. Intervals: bootstrap "
            "over questions, 1,000 resamples, fixed seed.", ""]  # fmt: skip
    if data["answers"]:
        out += _answers(metrics)
    out += _groups(data)
    out += _gold_errors(data["gold_errors"])
    out += _worst(data["questions"])
    return "\n".join(out).rstrip() + "\n"


def _answers(metrics: Mapping[str, Any]) -> Iterable[str]:
    gate, cited, offered = metrics["gate"], metrics["citations"], metrics["suggestions"]
    latency = metrics["latency_ms"]
    if gate["confusion"]:
        yield from ("## Gate", "", "| label | sufficient | partial | insufficient |", "|---|---|---|---|")
        for label, row in gate["confusion"].items():
            yield f"| {label} | {row['sufficient']} | {row['partial']} | {row['insufficient']} |"
        yield ""
        yield (
            f"{gate['n_judged']} questions judged, {gate['n_search_failed']} searches failed. AUROC takes "
            "the least confident need of each question, a need without a proposal counting 0; "
            f"by the most confident need it is {number(gate['auroc_any'])}. "
            f"Area under the risk–coverage curve: {number(gate['aurc'])}."
        )
        yield ""
    yield from ("## Answers", "")
    yield (
        f"Citations: {cited['shown']} shown, {cited['verified']} verified, {_count(cited['on_gold'])} of "
        f"{cited['of_questions_with_gold']} on gold; {cited['dropped_claims']} claims dropped."
    )
    yield (
        f"Suggestions: offered on {offered['offered_on']} questions, of which "
        f"{_count(offered['gold_missing_on'])} lacked gold that the corpus holds; helpful on "
        f"{_count(offered['helpful_on'])}: the evidence of a suggestion has such a piece. The answer "
        f"did not show a piece that the corpus holds on {_count(offered.get('unshown_on'))}; the answer to a "
        f"suggestion shows such a piece on {_count(offered.get('shown_on'))}. Gold was missing and nothing "
        f"was offered on {_count(offered.get('missing_unoffered_on'))}."
    )
    yield f"Latency: p50 {_count(latency['p50'])} ms, p95 {_count(latency['p95'])} ms."
    yield ""


def _groups(data: Mapping[str, Any]) -> Iterable[str]:
    for by in ("kind", "lang"):
        groups = data["groups"][by]
        if len(groups) < 2:
            continue
        names = ("coverage@5", "coverage@10", "full@5", "mrr", "gate.accuracy")
        yield from (f"## By {by}", "", f"| {by} | questions | {' | '.join(names)} |", "|---" * 7 + "|")
        for name, found in groups.items():
            cells = " | ".join(number(value(found, measure)) for measure in names)
            yield f"| {cell(name) or '–'} | {found['n']} | {cells} |"
        yield ""


def _gold_errors(errors: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    if not errors:
        return
    yield from ("## Errors of the benchmark", "")
    yield "Gold that the corpus does not hold. These places are not scored, and are no misses."
    yield from ("", "| question | piece | document | reason |", "|---|---|---|---|")
    for error in errors:
        yield "| " + " | ".join(cell(error[name]) for name in ("question", "piece", "doc", "reason")) + " |"
    yield ""


def _worst(questions: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """The pieces that stand deepest, with their ranks under each scorer."""
    deep = [
        (piece["rank"] or 10**9, question, name, piece)
        for question in questions
        for name, piece in question["pieces"].items()
        if piece["held"] and (piece["rank"] is None or piece["rank"] > 5)
    ]
    if not deep:
        return
    deep.sort(key=lambda row: (-row[0], row[1]["id"], row[2]))
    yield from (f"## Deepest pieces ({min(_WORST, len(deep))} of {len(deep)} below rank 5)", "")
    yield "| question | piece | rank | dense | lexical | asks |"
    yield "|---|---|---|---|---|---|"
    for _, question, name, piece in deep[:_WORST]:
        ranks = [piece["rank"], piece["ranks"].get("dense"), piece["ranks"].get("lexical")]
        cells = " | ".join("–" if rank is None else str(rank) for rank in ranks)
        yield f"| {cell(question['id'])} | {cell(name)} | {cells} | {cell(line(question['question'])[:80])} |"
    yield ""


def _count(given: Any) -> str:
    return "–" if given is None else f"{given:,.0f}" if isinstance(given, float) else f"{given:,}"
