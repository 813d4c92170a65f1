"""Two runs of the same questions: what changed, how sure that is, and a judgement in words.

Means are compared by a paired randomization test, yes/no measures by McNemar's exact test. One measure,
named beforehand, decides; the others are shown beside it. A case that B wins while the whole is lost is
called that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from suffice.errors import UsageError
from suffice.experiments import measures, record, stats, summary
from suffice.experiments.outcome import Outcome
from suffice.values import to_builtins

SCHEMA = "suffice.comparison/1"
ALPHA = 0.05
PRIMARY = "coverage@5"
YES_NO = ("full@", "gate.")
LOWER_IS_BETTER = ("gate.false_answer_rate",)

Word = Literal["better", "worse", "no difference shown"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure over the questions that both runs scored; `difference` is B minus A.

    `wins` and `losses` count the questions on which B is better or worse; the rest are ties.
    """

    name: str
    n: int
    a: float
    b: float
    difference: float
    wins: int
    losses: int
    test: Literal["randomization", "mcnemar"]
    p: float
    word: Word


@dataclass(frozen=True, slots=True)
class Change:
    """A question that is not the same in both, by the measure that decides."""

    id: str
    question: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`word` is that of the measure that decides; `named` the questions that the caller asked about."""

    primary: str
    word: Word
    judgement: str
    measures: tuple[Measure, ...]
    wins: tuple[Change, ...]
    losses: tuple[Change, ...]
    named: tuple[Change, ...]
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """`suffice.comparison/1`."""
        return {"schema": SCHEMA, **to_builtins(self)}


def compare(
    a: Mapping[str, Any], b: Mapping[str, Any], *, primary: str = PRIMARY, ids: Sequence[str] = ()
) -> Comparison:
    """Compare two results (`suffice.benchmark/1`). Raises UsageError for runs of different questions."""
    pairs = _paired(record.outcomes(a, "run A"), record.outcomes(b, "run B"))
    k = max(int(a.get("k", 5)), int(b.get("k", 5)))
    found = {name: _measure(name, pairs, measure) for name, measure in summary.of_one(k).items()}
    if primary not in found:
        raise UsageError(f"no measure is named {primary!r}; there are: {', '.join(found)}")
    main = found[primary]
    if main is None:
        raise UsageError(f"{primary} is not scored in both runs; decide by another with --measure")
    unknown = [name for name in ids if name not in {before.id for before, _ in pairs}]
    if unknown:
        raise UsageError(f"no question has the id {unknown[0]!r} in these runs")
    changes = _changes(pairs, summary.of_one(k)[primary])
    lower = primary in LOWER_IS_BETTER
    named = tuple(change for change in changes if change.id in ids)
    return Comparison(
        primary=primary,
        word=main.word,
        judgement=_judgement(main, named, ids, [one for one in found.values() if one is not None]),
        measures=tuple(one for one in found.values() if one is not None),
        wins=tuple(one for one in changes if one.a != one.b and (one.b > one.a) is not lower),
        losses=tuple(one for one in changes if one.a != one.b and (one.b > one.a) is lower),
        named=named,
        warnings=tuple(_warnings(a, b)),
    )


def _paired(a: Sequence[Outcome], b: Sequence[Outcome]) -> list[tuple[Outcome, Outcome]]:
    first, second = {one.id: one for one in a}, {one.id: one for one in b}
    odd = [name for name in {**first, **second} if name not in first or name not in second]
    if odd:
        raise UsageError(
            f"the runs are of different questions: {len(odd)} are in one only, such as {odd[0]!r}; "
            "run both on the same file"
        )
    changed = [name for name in first if first[name].question != second[name].question]
    if changed:
        raise UsageError(
            f"question {changed[0]!r} has other words in run B; the runs are of different questions"
        )
    if not first:
        raise UsageError("the runs hold no questions")
    return [(one, second[name]) for name, one in first.items()]


def _measure(name: str, pairs: Sequence[tuple[Outcome, Outcome]], measure: summary.OfOne) -> Measure | None:
    scored = [
        (float(x), float(y))
        for before, after in pairs
        if (x := measure(before)) is not None and (y := measure(after)) is not None
    ]
    if not scored:
        return None
    a, b = [x for x, _ in scored], [y for _, y in scored]
    lower = name in LOWER_IS_BETTER
    up, down = sum(y > x for x, y in scored), sum(y < x for x, y in scored)
    wins, losses = (down, up) if lower else (up, down)
    yes_no = name.startswith(YES_NO)
    p = stats.mcnemar(losses, wins) if yes_no else stats.randomization_test(a, b)
    before, after = measures.mean(a) or 0.0, measures.mean(b) or 0.0
    word: Word = "no difference shown"
    if p is not None and p < ALPHA and before != after:
        word = "better" if (after > before) is not lower else "worse"
    return Measure(
        name, len(scored), before, after, after - before, wins, losses,
        "mcnemar" if yes_no else "randomization", 1.0 if p is None else p, word,
    )  # fmt: skip


def _changes(pairs: Sequence[tuple[Outcome, Outcome]], measure: summary.OfOne) -> list[Change]:
    """Every question that both scored, the largest change first; those that are alike come last."""
    found = [
        Change(before.id, before.question, float(x), float(y))
        for before, after in pairs
        if (x := measure(before)) is not None and (y := measure(after)) is not None
    ]
    return sorted(found, key=lambda one: -abs(one.b - one.a))


def _judgement(
    main: Measure, named: Sequence[Change], ids: Sequence[str], all_measures: Sequence[Measure]
) -> str:
    numbers = (
        f"{main.name} {main.a:.3f} → {main.b:.3f}, p = {main.p:.3g}, {main.wins} wins, {main.losses} losses"
    )
    said = {
        "better": f"B is better ({numbers}).",
        "worse": f"B is worse ({numbers}).",
        "no difference shown": f"No difference shown ({numbers} of {main.n} questions).",
    }[main.word]
    lower = main.name in LOWER_IS_BETTER
    won = [one.id for one in named if one.a != one.b and (one.b > one.a) is not lower]
    lost = [one.id for one in named if one.a != one.b and (one.b > one.a) is lower]
    mean_lost = main.difference != 0 and (main.difference > 0) is lower
    if won and mean_lost:
        one = "one case" if len(won) == 1 else f"{len(won)} cases"
        whole = (
            "loses the whole: a reason against it, not for it"
            if main.word == "worse"
            else "the mean of the whole is worse, though that is not shown"
        )
        said += f" B wins {one} ({', '.join(won)}) and {whole}."
    elif won and not main.difference:
        said += f" B wins {', '.join(won)}, and the whole does not move."
    elif won:
        said += f" B wins {', '.join(won)}."
    if lost and main.word == "better":
        said += f" B loses {', '.join(lost)} and wins the whole."
    elif lost:
        said += f" B loses {', '.join(lost)}."
    same = [name for name in ids if name not in (*won, *lost)]
    if same:
        said += f" Nothing changes for {', '.join(same)}."
    for word in ("better", "worse"):
        others = [one.name for one in all_measures if one.word == word and one.name != main.name]
        if others:
            said += f" B is {word} by {', '.join(others)} too." if word == main.word else (
                f" By {', '.join(others)} B is {word}."
            )  # fmt: skip
    return said


def _warnings(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    found = []
    corpora = [(one.get("corpus") or {}).get("fingerprint") for one in (a, b)]
    if corpora[0] != corpora[1]:
        found.append("the runs are of different corpora: a difference may come from the documents alone")
    if len(a.get("gold_errors") or ()) != len(b.get("gold_errors") or ()):
        found.append("the runs could not find the same gold: questions that one could not score are left out")
    if a.get("answers") != b.get("answers"):
        found.append("one run has no answers: the gate cannot be compared")
    gates = [(one.get("calibration") or {}).get("threshold") for one in (a, b)]
    if None not in gates and gates[0] != gates[1]:
        found.append(f"the gate asked for a confidence of {gates[0]:g} in A and of {gates[1]:g} in B")
    same = gates[0] == gates[1] and all(
        a.get(name) == b.get(name) for name in ("settings", "generation", "mode", "k", "corpus")
    )
    if same:
        found.append("both runs have the same settings, index and corpus")
    return found
