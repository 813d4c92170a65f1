"""Prints the numbers of docs/walkthrough.md, or writes them into it between its marks.

`python benchmarks/walkthrough.py WORKSPACE questions.jsonl --experiments DIR [--write docs/walkthrough.md]`

WORKSPACE is an index of the folder `pages` that the page names; DIR holds a folder an experiment, made by
`suffice experiment run NAME questions.jsonl --id q7 --out DIR/NAME` (`boundary` with `--id q9a`).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from suffice.diagnose import Diagnosis, shown
from suffice.engine import Engine
from suffice.experiments import suite
from suffice.experiments.suite import Question
from suffice.settings import load
from suffice.values import Answer

MARK = re.compile(r"(<!-- numbers: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
LAYERS = ("dense", "lexical", "hybrid")


def row(*cells: object) -> str:
    return "| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in cells) + " |"


def table(head: list[str], rows: Iterator[list[object]]) -> list[str]:
    return [row(*head), "|" + "---|" * len(head), *(row(*cells) for cells in rows)]


def rank(value: int | None, k: int | None = None) -> str:
    if value is None:
        return "–"
    return f"**{value}**" if k is not None and value <= k else str(value)


def answered(answer: Answer) -> list[str]:
    claims = answer.answer.claims if answer.answer else ()
    cited = [one for claim in claims for one in claim.citations]
    needs = "; ".join(f"{one.need.text} *{one.status}*" for one in answer.verdict.needs)
    lines = [
        f"Verdict: **{answer.status}**. Needs: {needs}. {len(answer.evidence)} chunks of evidence, "
        f"{len(claims)} claims, {len(cited)} citations, {len(answer.dropped_claims)} dropped.",
    ]
    for claim in claims:
        places = ", ".join(
            f"`{one.document}` {one.span[0]}–{one.span[1]} ({one.check})" for one in claim.citations
        )
        quote = claim.text if len(claim.text) <= 400 else claim.text[:399] + "…"
        # Fenced, since its links lead nowhere from here.
        lines += ["", "````text", *quote.splitlines(), "````", "", f"— {places}"]
    if answer.message:
        lines += ["", f"Message: {answer.message}"]
    if answer.suggestions:
        lines += ["", "Suggested instead: " + "; ".join(f"{one.question}" for one in answer.suggestions)]
    return lines


def pieces(found: Diagnosis) -> list[str]:
    head = ["piece", "what it asks for", "layer", *LAYERS, "`-k` that reaches it"]
    return [
        *table(
            head,
            ([one.id, one.need, one.layer, *(rank(one.ranks.get(leg)) for leg in LAYERS), rank(one.k_needed)]
             for one in found.pieces),
        ),
        "",
        f"{found.judgement} ({found.k} chunks of {found.depth} are the evidence; verdict {found.status}.)",
    ]  # fmt: skip


def repairs(found: Diagnosis) -> list[str]:
    ids = [one.id for one in found.pieces]

    def rows() -> Iterator[list[object]]:
        before = found.repairs[0].ranks_before
        yield ["as it was", *(rank(before.get(name), found.k) for name in ids), "", "", ""]
        for one in found.repairs:
            k = one.setting.get("k")
            within = k if isinstance(k, int) else found.k
            cells: list[object] = [rank(one.ranks.get(name), within) if one.was_run else "" for name in ids]
            held = f"{one.coverage_after:.0%}" if one.coverage_after is not None else ""
            yield [shown(one), *cells, held, f"{one.cost_ms:,.0f}" if one.was_run else "", one.judgement]

    return table(["repair", *ids, "held", "ms", "judgement"], rows())


def suggestions(answer: Answer, found: Diagnosis) -> list[str]:
    ids = [one.id for one in found.pieces]
    by_question = {one.setting.get("question"): one for one in found.repairs if one.name == "suggestion"}

    def rows() -> Iterator[list[object]]:
        for one in answer.suggestions:
            tried = by_question[one.question]
            status = one.preview.status if one.preview else "not tried"
            yield [one.id, one.question, status, *(rank(tried.ranks.get(name), 5) for name in ids)]

    if not answer.suggestions:
        return [f"Nothing is suggested: the verdict is {answer.status}."]
    return table(["", "suggestion", "its own verdict", *ids], rows())


def experiments(folder: Path) -> list[str]:
    def rows() -> Iterator[list[object]]:
        for path in sorted(folder.glob("*/results.json")):
            data: dict[str, Any] = json.loads(path.read_text("utf-8"))
            if data.get("schema") != "suffice.experiment/1":
                continue
            main = data["measures"][0]
            for one in data["findings"]:
                value = (one.get("metrics") or {}).get(main)
                tested = "p_holm" in one
                yield [
                    data["title"], one["arm"], main, "–" if value is None else f"{value:.3f}",
                    f"{one['difference']:+.3f}" if tested else "",
                    f"{len(one['wins'])}/{len(one['losses'])}" if tested else "",
                    f"{one['p_holm']:.3f}" if tested else "", one["judgement"],
                ]  # fmt: skip

    return table(["experiment", "arm", "measure", "value", "Δ", "won/lost", "p", "judgement"], rows())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--experiments", type=Path, required=True)
    parser.add_argument("--write", type=Path, help="the page whose marked parts are replaced")
    given = parser.parse_args()
    asked: dict[str, Question] = {one.id: one for one in suite.read(given.questions)}
    with Engine.open(given.workspace, load()) as engine:
        q5, q7, q9a = (engine.ask(asked[name].question, keep=False) for name in ("q5", "q7", "q9a"))
        found = engine.diagnose(asked["q7"].question, asked["q7"].pieces, repairs=True)
        status = engine.status()
        parts: dict[str, Callable[[], list[str]]] = {
            "corpus": lambda: [
                f"{status.n_documents} documents, {status.n_chunks} chunks; settings "
                f"{engine.settings.fingerprint()}, generation {engine.searcher.generation}."
            ],
            "q5": lambda: answered(q5),
            "q9a": lambda: answered(q9a),
            "q7": lambda: answered(q7),
            "pieces": lambda: pieces(found),
            "repairs": lambda: repairs(found),
            "suggestions": lambda: suggestions(q7, found),
            "experiments": lambda: experiments(given.experiments),
        }
        made = {name: "\n".join(make()) for name, make in parts.items()}
    if given.write is None:
        for name, text in made.items():
            sys.stdout.write(f"--- {name}\n{text}\n")
        return 0
    page = given.write.read_text("utf-8")
    given.write.write_text(MARK.sub(lambda mark: f"{mark[1]}\n{made[mark[2]]}\n\n{mark[3]}", page), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
