"""The terminal picture of the README: a real answer of the manual, drawn by the command line's own renderer.

python benchmarks/screenshot.py [QUESTION] [--out docs/.images/screenshot.svg]
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from suffice.engine import Engine
from suffice.interfaces.render import answer
from suffice.interfaces.render.text import HEAD, NUMBER
from suffice.settings import Settings

# In a hidden folder: `suffice add docs/` and the demo would list a picture as a file that they cannot read.
DOCS = Path(__file__).resolve().parents[1] / "docs"
QUESTION = "What is a snapshot, and what does a support contract cost?"
WIDTH = 92


def drawn(question: str) -> str:
    """The SVG of one `suffice ask`."""
    with (
        tempfile.TemporaryDirectory() as place,
        Engine.open(Path(place) / ".suffice", Settings(), create=True) as engine,
    ):
        engine.add([str(DOCS)])
        found = engine.ask(question)
    console = Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
    )
    console.print(Text.assemble(("$ ", NUMBER), (f'suffice ask "{question}"', HEAD)), soft_wrap=True)
    for row in answer.lines(found, WIDTH):
        console.print(row, soft_wrap=True)
    svg = console.export_svg(title="suffice ask", unique_id="suffice")
    # Nothing is fetched from elsewhere to show it: the fonts are those of whoever looks.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--out", type=Path, default=DOCS / ".images/screenshot.svg")
    given = parser.parse_args()
    given.out.write_text(drawn(given.question), "utf-8")


if __name__ == "__main__":
    main()
