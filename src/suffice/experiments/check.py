"""Checks an experiment's folder offline: every number of report.md is computed again from results.json.

Run `python check.py` here, or `suffice experiment check DIR`. It needs nothing but Python: this file made the
numbers and was copied beside them. Status 0: all are as recomputed. 1: what differs is named.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

SCHEMA = "suffice.experiment/1"
SEED, N_RESAMPLES, N_FLIPS = 20261130, 1_000, 10_000
ALPHA = 0.05
YES_NO = ("full@k", "declined")
HASHED = ("settings.json", "results.json", "timings.json", "questions.jsonl", "coverage.svg", "ranks.svg")
UNFINISHED = "INCOMPLETE"
AGREES = "every number of report.md is as recomputed from results.json"
_SHOWN = 12
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(r"[\\`|\[\]#]")

Data = dict[str, Any]


def scores(question: Mapping[str, Any], arm: str) -> dict[str, float | None]:
    """Every measure of one arm on one question; None or absent where unscored, which is not 0."""
    one = question["arms"].get(arm)
    if one is None:
        return {}
    ranks, k = list(one["ranks"].values()), one["k"]
    found = {name: None if value is None else float(value) for name, value in one["values"].items()}
    if ranks:
        found["coverage@k"] = _share(ranks, k)
        found["full@k"] = float(_share(ranks, k) == 1)
        found["coverage@10"] = _share(ranks, 10)
        found["coverage@20"] = _share(ranks, 20)
        reached = [rank for rank in ranks if rank is not None]
        found["mrr"] = 1 / min(reached) if reached else 0.0
    return found


def _share(ranks: Sequence[int | None], k: int) -> float:
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def interval(values: Sequence[float]) -> list[float] | None:
    """95 % percentile bootstrap of the mean, over questions. None below two values."""
    if len(values) < 2:
        return None
    drawn, n = random.Random(SEED), len(values)
    means = [math.fsum(values[int(drawn.random() * n)] for _ in range(n)) / n for _ in range(N_RESAMPLES)]
    cuts = statistics.quantiles(means, n=40, method="inclusive")
    return [cuts[0], cuts[-1]]


def randomization(differences: Sequence[float]) -> float:
    """Two-sided p of the paired randomization test: signs of the differences flipped at random.

    All flips are counted up to 12 differences that are not 0; beyond, 10,000 of them are drawn.
    """
    moved = [value for value in differences if value]
    if not moved:
        return 1.0
    least = abs(math.fsum(moved)) - 1e-9 * math.fsum(map(abs, moved))
    whole, size = math.fsum(moved), len(moved)

    def extreme(flips: int) -> bool:
        down = math.fsum(value for at, value in enumerate(moved) if flips >> at & 1)
        return abs(whole - 2 * down) >= least

    if size <= 12:
        return sum(extreme(flips) for flips in range(1 << size)) / (1 << size)
    drawn = random.Random(SEED)
    return (1 + sum(extreme(drawn.getrandbits(size)) for _ in range(N_FLIPS))) / (1 + N_FLIPS)


def mcnemar(wins: int, losses: int) -> float:
    """Exact two-sided p that yes/no pairs which differ fall either way with equal chance."""
    n = wins + losses
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(min(wins, losses) + 1)) / (1 << n)) if n else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """p adjusted for so many arms being tried (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    found, most = [0.0] * len(p_values), 0.0
    for place, at in enumerate(order):
        most = max(most, min(1.0, p_values[at] * (len(p_values) - place)))
        found[at] = most
    return found


def completed(raw: Mapping[str, Any]) -> Data:
    """The raw results with `findings` and `judgement`, which follow from them."""
    main, baseline = raw["measures"][0], raw["arms"][0]["name"]
    found = [_finding(raw, arm, baseline, main) for arm in raw["arms"]]
    tested = [one for one in found if one.get("p") is not None]
    for one, adjusted in zip(tested, holm([one["p"] for one in tested]), strict=True):
        one["p_holm"] = adjusted
        word = "no difference shown"
        if adjusted < ALPHA and one["difference"]:
            word = "helps" if one["difference"] > 0 else "hurts"
        one["word"] = word
        one["judgement"] = _words(word, one["difference"], one["on_case"])
    kept = {name: value for name, value in raw.items() if name not in ("findings", "judgement")}
    return {**kept, "findings": found, "judgement": _judgement(raw, found)}


def _finding(raw: Mapping[str, Any], arm: Mapping[str, Any], baseline: str, main: str) -> Data:
    name = arm["name"]
    if arm["not_run"]:
        return {"arm": name, "judgement": f"not run: {arm['not_run']}"}
    by_question = {one["id"]: (scores(one, baseline), scores(one, name)) for one in raw["questions"]}
    columns = {
        measure: [value for _, own in by_question.values() if (value := own.get(measure)) is not None]
        for measure in raw["measures"]
    }
    finding: Data = {
        "arm": name,
        "n": len(columns[main]),
        "n_applied": sum(bool((one["arms"].get(name) or {}).get("applied")) for one in raw["questions"]),
        "metrics": {
            measure: statistics.fmean(column) if column else None for measure, column in columns.items()
        },
        "interval": interval(columns[main]),
    }
    if name == baseline:
        return {**finding, "judgement": "baseline"}
    pairs = {
        key: after - before
        for key, (base, own) in by_question.items()
        if (before := base.get(main)) is not None and (after := own.get(main)) is not None
    }
    if not pairs:
        return {**finding, "judgement": "not scored: no question says anything about it"}
    wins = [key for key, difference in pairs.items() if difference > 0]
    losses = [key for key, difference in pairs.items() if difference < 0]
    yes_no = main in YES_NO
    return {
        **finding,
        "n_pairs": len(pairs),
        "difference": math.fsum(pairs.values()) / len(pairs),
        "wins": wins,
        "losses": losses,
        "on_case": pairs.get(raw["case"]),
        "test": "McNemar" if yes_no else "randomization",
        "p": mcnemar(len(wins), len(losses)) if yes_no else randomization(list(pairs.values())),
    }


def _words(word: str, difference: float, on_case: float | None) -> str:
    """The judgement of one arm: the benchmark decides, and what the case says stands beside it."""
    if on_case is None:
        return word
    whole = {"helps": "helps the benchmark", "hurts": "hurts the benchmark"}.get(word)
    whole = whole or ("no difference shown on the benchmark" + (", where it loses" if difference < 0 else ""))
    verb = "helps" if on_case > 0 else "hurts" if on_case < 0 else "does not move"
    return f"{verb} this case{'; ' if word == 'no difference shown' else ' and '}{whole}"


def _judgement(raw: Mapping[str, Any], found: Sequence[Data]) -> str:
    tested = [one for one in found if "word" in one]
    if not tested:
        reasons = dict.fromkeys(one["judgement"] for one in found if one["judgement"].startswith("not "))
        return " ".join(f"{reason[:1].upper()}{reason[1:]}." for reason in reasons) or "Nothing was compared."
    good = [one["arm"] for one in tested if one["word"] == "helps"]
    bad = [one["arm"] for one in tested if one["word"] == "hurts"]
    n = len(tested)
    said = f"Shown to help: {', '.join(good)}." if good else (
        f"None of the {n} arms is shown to help." if n > 1 else f"Not shown to help: {tested[0]['arm']}."
    )  # fmt: skip
    if bad:
        said += f" Shown to hurt: {', '.join(bad)}."
    won = [one for one in tested if (one["on_case"] or 0) > 0]
    if raw["case"] is not None and any(one["on_case"] is not None for one in tested):
        said += f" The case {raw['case']} is helped by {_listed([one['arm'] for one in won])}."
        for loses, what in (
            (True, "loses on the benchmark"),
            (False, "lowers the benchmark's mean (not shown)"),
        ):
            lost = [one["arm"] for one in won if one["difference"] < 0 and (one["word"] == "hurts") is loses]
            said += f" A win on the case that {what}: {_listed(lost)}." if lost else ""
    return said


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "none of them"


def report(data: Mapping[str, Any], timings: Mapping[str, Any], hashes: Mapping[str, str]) -> str:
    """The page, from completed results, timings and the sha256 of the files beside it."""
    return "\n".join(_lines(data, timings, hashes)).rstrip() + "\n"


def _lines(data: Mapping[str, Any], timings: Mapping[str, Any], hashes: Mapping[str, str]) -> Iterator[str]:
    yield from (f"# Experiment: {data['title']}", "")
    yield from (f"**Hypothesis.** {data['hypothesis']}", "", f"**It answers to:** {data['answers_to']}", "")
    yield from (f"**Judgement.** {cell(data['judgement'])}", "")
    about = data["about"]
    yield (
        f"{len(data['questions'])} questions of {about['n_in_file']} take part, over {about['n_documents']} "
        f"documents; {about['mode']} search, k {data['k']}. Settings {about['settings']}, generation "
        f"{about['generation']}, corpus {about['corpus']}."
    )
    yield from ("", "## Arms on the whole benchmark", "")
    yield from _whole(data)
    if data["remark"]:
        yield from (data["remark"], "")
    for name, says in (("coverage.svg", "the arms with their intervals"), ("ranks.svg", "the rank strip")):
        if name in hashes:
            yield from (f"![{says}]({name})", "")
    if data["case"] is not None and any("metrics" in one for one in data["findings"]):
        yield from _case(data)
    yield from _changes(data)
    yield from _cost(data, timings)
    yield from ("## Check", "", "`python check.py` in this folder computes every number above again from")
    yield from ("results.json, as `suffice experiment check` does.", "", "| file | sha256 |", "|---|---|")
    yield from (f"| {name} | {digest} |" for name, digest in hashes.items())


def _whole(data: Mapping[str, Any]) -> Iterator[str]:
    main, *others = data["measures"]
    yield _row("arm", main, "95 %", *others, "Δ", "wins", "losses", "p", "judgement")
    yield "|---" * (8 + len(others)) + "|"
    for one in data["findings"]:
        metrics, between = one.get("metrics") or {}, one.get("interval")
        cells = [one["arm"], _number(metrics.get(main))]
        cells.append(f"{between[0]:.3f}–{between[1]:.3f}" if between else "–")
        cells += [_number(metrics.get(name)) for name in others]
        if "p_holm" in one:
            cells += [f"{one['difference']:+.3f}", str(len(one["wins"])), str(len(one["losses"]))]
            cells.append(f"{one['p_holm']:.3f}")
        else:
            cells += ["–"] * 4
        yield _row(*cells, one["judgement"])
    n = max((one.get("n", 0) for one in data["findings"]), default=0)
    yield ""
    yield (
        f"Means over the {n} questions that are scored; a dash is unscored, which is not 0. Δ is against the "
        f"first arm, by {main}, which decides; p by a paired test of the same questions "
        f"({'McNemar, exact' if main in YES_NO else 'randomization'}), adjusted for the number of arms "
        f"(Holm). Under {ALPHA} a difference counts as shown."
    )
    for one in data["findings"]:
        if one.get("n_applied", 0) < one.get("n", 0):
            yield f"{cell(one['arm'])}: something to change on {one['n_applied']} of {one['n']} questions."
        if one.get("n", n) < n:
            yield f"{cell(one['arm'])}: scored on {one['n']} of {n} questions; it failed on the others."
    yield ""


def _case(data: Mapping[str, Any]) -> Iterator[str]:
    case = next((one for one in data["questions"] if one["id"] == data["case"]), None)
    yield from (f"## On the case {cell(data['case'])}", "")
    if case is None:
        yield from ("It takes no part in this experiment: the questions that do are others.", "")
        return
    yield from (f"> {cell(case['question'])}", "")
    for piece, need in case["pieces"].items():
        yield f"- {cell(piece)}: {cell(need) or 'no description'}"
    yield from ("", "The rank of each piece's first evidence, in bold within k; a dash: at no rank.", "")
    main = data["measures"][0]
    yield _row("arm", *case["pieces"], main)
    yield "|---" * (len(case["pieces"]) + 2) + "|"
    for name, one in case["arms"].items():
        cells = [_rank(one["ranks"].get(piece), one["k"]) for piece in case["pieces"]]
        yield _row(name, *cells, _number(scores(case, name).get(main)))
    yield ""
    notes = [f"- **{cell(name)}**: {cell(one['note'])}" for name, one in case["arms"].items() if one["note"]]
    yield from (*notes, "") if notes else ()


def _row(*cells: Any) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def _rank(rank: int | None, k: int) -> str:
    return "–" if rank is None else f"**{rank}**" if rank <= k else str(rank)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def _changes(data: Mapping[str, Any]) -> Iterator[str]:
    moved = [
        f"- {cell(one['arm'])} {title}: {cell(_listed(one.get(title, ())))}"
        for one in data["findings"] for title in ("wins", "losses") if one.get(title)
    ]  # fmt: skip
    said = [
        f"- {cell(one['id'])}, {cell(name)}: {cell(own['note'])}"
        for one in data["questions"] for name, own in one["arms"].items()
        if own["note"] and data["case"] is None
    ]  # fmt: skip
    wrong = [
        f"- {cell(one['question'])}, {cell(one['piece'])}: {cell(one['reason'])}"
        for one in data["gold_errors"]
    ]
    for title, lines in (
        ("Questions that changed", moved),
        ("What was tried, by question", said[: 4 * _SHOWN]),
        ("Errors of the benchmark: places that the corpus does not hold, not scored", wrong),
    ):
        if lines:
            yield from (f"## {title}", "", *lines, "")


def _cost(data: Mapping[str, Any], timings: Mapping[str, Any]) -> Iterator[str]:
    if not timings["arms"]:
        return
    yield from ("## Cost", "", "On the machine of this run, with whatever else ran there.", "")
    yield from ("| arm | ms added to a question | s to build its index |", "|---|---|---|")
    for arm in data["arms"]:
        if own := timings["arms"].get(arm["name"]):
            built = "–" if own["build_s"] is None else f"{own['build_s']:.1f}"
            yield _row(arm["name"], f"{own['mean_ms']:.1f}", built)
    yield ""


def line(text: Any) -> str:
    """One line of text, without what a terminal would obey."""
    return _CONTROLS.sub("\ufffd", " ".join(str(text).split()))


def cell(text: Any) -> str:
    """One line that Markdown shows as it is: no cell, heading, link, image, code or HTML begins in it."""
    return _MARKUP.sub(r"\\\g<0>", line(text)).replace("<", "&lt;")


# --- the check ------------------------------------------------------------------------------------


def hashes(folder: Path) -> dict[str, str]:
    """sha256 of the files that a report rests on, those that are there."""
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in HASHED
        if (folder / name).is_file()
    }


def differences(folder: Path) -> list[str]:
    """Everything in the folder that is not as recomputed from results.json; empty when all is."""
    if (folder / UNFINISHED).exists():
        return [f"the run was not finished: {folder / UNFINISHED} is there"]
    try:
        results = json.loads((folder / "results.json").read_text("utf-8"))
        timings = json.loads((folder / "timings.json").read_text("utf-8"))
        written = (folder / "report.md").read_text("utf-8")
        if results["schema"] != SCHEMA:
            return [f"results.json holds {results['schema']!r} and not {SCHEMA}"]
        again = completed(results)
        page = report(again, timings, hashes(folder))
    except OSError as error:
        return [f"{error.filename} cannot be read: {error.strerror}"]
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return [f"the folder does not hold an experiment's results: {type(error).__name__}: {error}"]
    found = list(_unlike("results.json", results, again))
    found += [
        f"report.md, line {number}: it says {was!r}, recomputed {is_now!r}"
        for number, (was, is_now) in enumerate(zip(written.split("\n"), page.split("\n"), strict=False), 1)
        if was != is_now
    ]
    if written.count("\n") != page.count("\n"):
        found.append(f"report.md has {written.count(chr(10))} lines, recomputed {page.count(chr(10))}")
    return found


def _unlike(where: str, was: Any, is_now: Any) -> Iterator[str]:
    if isinstance(was, dict) and isinstance(is_now, dict) and was.keys() == is_now.keys():
        for name in was:
            yield from _unlike(f"{where}.{name}", was[name], is_now[name])
    elif isinstance(was, list) and isinstance(is_now, list) and len(was) == len(is_now):
        for at, (one, other) in enumerate(zip(was, is_now, strict=True)):
            yield from _unlike(f"{where}[{at}]", one, other)
    elif was != is_now or type(was) is not type(is_now):
        yield f"{where} is {was!r}, recomputed {is_now!r}"


def main(arguments: Sequence[str]) -> int:
    """Print what differs; 1 if anything does."""
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    found = differences(folder)
    print(*found or [AGREES], sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
