"""A calibration: risk and coverage by threshold, what was fitted, and what the labels can promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from suffice.interfaces.render.corpus import count
from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, NUMBER, WARN, grid, styled, wrap

ROWS = 12
"""So many thresholds are shown; `--json` has all."""
_HEAD = ("threshold", "of the answerable", "in part", "of the unanswerable", "at most", "")


def lines(data: Mapping[str, Any], width: int) -> list[Text]:
    """The table first, then the fit and its promise."""
    labels = data["labels"]
    head = (
        f"{count(sum(labels.values()))} labels: {labels['full']} fully answerable, "
        f"{labels['partial']} in part, {labels['none']} not at all"
    )
    out = wrap(styled((head, HEAD), (_left(data["left_out"]), DIM)), width)
    said = "Risk and coverage: what each threshold would answer (95% intervals), and what it promises at most"
    out += [*wrap(styled((said, DIM)), width), Text("", end=""), *_table(data, width), Text("", end="")]
    out += _fit(data, width)
    for remark in (_crossed(data), _auroc(data), _ending(data)):
        out += wrap(styled((remark, DIM)), width, first="  ", rest="  ") if remark else []
    return out


def _fit(data: Mapping[str, Any], width: int) -> list[Text]:
    fitted, before = data["fitted"], data["before"]
    if fitted is None:
        why = styled(("No threshold keeps the rate: ", HEAD), _why_none(data))
        return wrap(why, width, first=styled(("✗ ", BAD)), rest="  ")
    was = {"uncalibrated": "the judge's own", "manual": "gate.threshold", "calibrated": "an earlier fit"}
    change = f" (before: {before['threshold']:g}, {was[before['status']]})"
    said = styled(("Threshold ", HEAD), (f"{fitted['threshold']:g}", NUMBER), (change, DIM))
    mark = ("✓ ", GOOD) if fitted["promised"] else ("! ", WARN)
    return [
        *wrap(said, width, first=styled(("✓ ", GOOD)), rest="  "),
        *wrap(styled(_promise(data)), width, first=styled(mark), rest="  "),
    ]


def _table(data: Mapping[str, Any], width: int) -> list[Text]:
    fitted, before = data["fitted"], data["before"]
    rows = {row["threshold"]: row for row in _thinned(data["table"])}
    rows |= {row["threshold"]: row for row in (before, fitted) if row is not None}
    cells = []
    for at in sorted(rows, reverse=True):
        row = rows[at]
        marks = [
            word for word, one in (("fitted", fitted), ("before", before)) if one and one["threshold"] == at
        ]
        columns = [f"{at:.4f}", *(_share(row[name]) for name in ("answered", "partial", "false"))]
        columns[2] = columns[2].split("  ")[0]  # of those in part the count says enough
        columns.append(f"{row['upper_bound']:.0%}")
        style = HEAD if "fitted" in marks else ""
        mark = styled((f"← {', '.join(marks)}" if marks else "", GOOD))
        cells.append([*(styled((cell, style)) for cell in columns), mark])
    return grid(cells, _HEAD, width, right=frozenset({0, 4}))


def _thinned(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Strict ones closely, loose ones widely."""
    n = len(rows)
    if n <= ROWS:
        return list(rows)
    return [rows[place] for place in sorted({round((n - 1) ** (i / (ROWS - 1))) for i in range(ROWS)} | {0})]


def _share(share: Mapping[str, Any]) -> str:
    if not share["of"]:
        return "–"
    low, high = share["interval"]
    return f"{share['n']} of {share['of']}  {share['rate']:.0%} ({100 * low:.0f}–{100 * high:.0f})"


def _promise(data: Mapping[str, Any]) -> str:
    fitted, rate = data["fitted"], data["false_answer_rate"]
    bound = f"of unanswerable questions at most {fitted['upper_bound']:.1%} are answered, with 95% confidence"
    if fitted["promised"]:
        return f"Promised: {bound}."
    said = (
        f"Too few labels to promise {100 * rate:.3g}%: {bound}. To promise it takes "
        f"{data['unanswerable_needed']} unanswerable questions without a false answer; here are "
        f"{data['labels']['none']}."
    )
    if fitted["promise"] == "on average":
        return f"{said} On average over such sets of labels it is at most {fitted['expected_bound']:.1%}."
    return f"{said} So few labels never set the threshold below the judge's own."


def _crossed(data: Mapping[str, Any]) -> str:
    answered, false = data["cross_fitted"]["answered"], data["cross_fitted"]["false"]
    shares = [f"{_share(answered)} answered of the answerable"] if answered["of"] else []
    shares += [f"{_share(false)} of the unanswerable"] if false else []
    if not shares:
        return "Too few labels to say how the fit does on questions that it has not seen."
    return f"Each question by a threshold fitted to the others: {', '.join(shares)}."


def _auroc(data: Mapping[str, Any]) -> str:
    if data["auroc"] is None:
        return ""
    between = data["auroc_interval"]
    said = f" ({between[0]:.3f}–{between[1]:.3f})" if between else ""
    return f"AUROC {data['auroc']:.3f}{said}: answerable above unanswerable, by confidence."


def _why_none(data: Mapping[str, Any]) -> str:
    top = data["table"][0]["false"] if data["table"] else {"n": 0}
    return (
        f"{top['n']} unanswerable questions have the highest confidence there is; look at their labels "
        "(--json lists every question with its score)"
    )


def _left(left: Mapping[str, int]) -> str:
    said = [
        f"{n} {words}"
        for n, words in (
            (left["unlabelled"], "without a label"),
            (left["repeated"], "asked before"),
            (left["failed"], "could not be searched"),
        )
        if n
    ]
    return f"; left out: {', '.join(said)}" if said else ""


def _ending(data: Mapping[str, Any]) -> str:
    if data["saved"]:
        return (
            "Saved. It holds until the judge, the index or the settings of search change (suffice doctor "
            "tells); to remove it: suffice calibrate --reset"
        )
    return "Nothing was saved; the gate is as it was."
