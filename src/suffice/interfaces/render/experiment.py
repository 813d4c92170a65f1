"""An experiment in the terminal: the judgement first, then the arms on the benchmark, then on the case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from suffice.experiments import check
from suffice.interfaces.render.text import BAD, DIM, GOOD, HEAD, grid, line, styled, wrap

if TYPE_CHECKING:
    from suffice.experiments.arms import Experiment

STYLES = {"helps": GOOD, "hurts": BAD}
MOST_COLUMNS = 6
"""Pieces that fit beside each other in 80 cells; the report has the others."""


def catalogue(found: Sequence[Experiment], width: int) -> list[Text]:
    """Name, hypothesis and needs of each."""
    out: list[Text] = []
    for one in found:
        out += wrap(styled((one.name, HEAD), (f"  {one.answers_to}", DIM)), width)
        out += wrap(styled(line(one.hypothesis)), width, first="  ", rest="  ")
        out += wrap(styled((f"needs {one.needs}", DIM)), width, first="  ", rest="  ")
    return out


def results(data: Mapping[str, Any], width: int) -> list[Text]:
    """What `results.json` holds."""
    out = wrap(styled((f"Experiment: {data['title']}", HEAD)), width)
    out += wrap(styled((line(data["hypothesis"]), DIM)), width)
    out.append(Text("", end=""))
    out += wrap(styled((line(data["judgement"]), HEAD)), width)
    out.append(Text("", end=""))
    out += _whole(data, width)
    if data["case"] is not None and any("metrics" in one for one in data["findings"]):
        out.append(Text("", end=""))
        out += _case(data, width)
    return out


def _whole(data: Mapping[str, Any], width: int) -> list[Text]:
    main, second = data["measures"][:2]
    rows = []
    for one in data["findings"]:
        if "metrics" in one:
            values = [_number(one["metrics"].get(name)) for name in (main, second)]
            tested = "p_holm" in one
            moved = (
                [f"{one['difference']:+.3f}", f"{len(one['wins'])}/{len(one['losses'])}"]
                if tested
                else ["", ""]
            )
            p = f"{one['p_holm']:.3f}" if tested else ""
            style = STYLES.get(one.get("word", ""), DIM)
            cells = [*map(styled, (*values, *moved, p)), styled((one.get("word", one["judgement"]), style))]
            rows.append([styled(line(one["arm"])), *cells])
    n = max((one.get("n", 0) for one in data["findings"]), default=0)
    out = wrap(styled(("On the whole benchmark", HEAD), (f"  {n} questions scored", DIM)), width)
    if rows:
        head = ["", main, second, "Δ", "won/lost", "p", ""]
        out += grid(rows, head, width, right=frozenset(range(1, 6)), least=8)
    for one in data["findings"]:
        if "metrics" not in one:
            said = line(one["judgement"])
            out += wrap(styled((said, DIM)), width, first=styled((f"{line(one['arm'])}: ", DIM)), rest="  ")
    return out


def _case(data: Mapping[str, Any], width: int) -> list[Text]:
    case = next((one for one in data["questions"] if one["id"] == data["case"]), None)
    out = wrap(styled((f"On the case {line(data['case'])}", HEAD)), width)
    if case is None:
        said = "it takes no part in this experiment: the questions that do are others"
        return out + wrap(styled((said, DIM)), width)
    out += wrap(styled((line(case["question"]), DIM)), width)
    pieces = list(case["pieces"])[:MOST_COLUMNS]
    main = data["measures"][0]
    rows = []
    for name, one in case["arms"].items():
        cells = [_rank(one["ranks"].get(piece), one["k"]) for piece in pieces]
        rows.append([styled(line(name)), *cells, styled(_number(check.scores(case, name).get(main)))])
    if rows:
        out += grid(rows, ["", *pieces, main], width, right=frozenset(range(1, len(pieces) + 2)), least=8)
    for name, one in case["arms"].items():
        if one["note"]:
            out += wrap(styled(line(one["note"])), width, first=styled((f"{line(name)}: ", DIM)), rest="  ")
    return out


def _rank(rank: int | None, k: int) -> Text:
    if rank is None:
        return styled(("–  ", DIM))
    return styled((f"{rank} ✓", GOOD)) if rank <= k else styled(f"{rank}  ")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
