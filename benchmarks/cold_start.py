"""What a command takes from nothing: a new process each time; CPU time, time by the clock, memory.

    python benchmarks/cold_start.py                      # --help, --version, import
    python benchmarks/cold_start.py --corpus FOLDER      # also: add it, then status, search and ask
    python benchmarks/cold_start.py --workspace DIR      # the same on a workspace that is there
    python benchmarks/cold_start.py --imports            # the slowest imports of `suffice --help`

The first run of a command is thrown away, so files are in the page cache: what is measured is the work,
not the disk. `start-up` is what passes before the engine is open: interpreter, imports, settings, workspace.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

QUESTION = "How do I set an environment variable?"
START_UP = """
from pathlib import Path
import sys
from suffice.interfaces.cli import main
from suffice.engine import Engine
from suffice.interfaces.render import answer
from suffice.settings import load
Engine.open(Path(sys.argv[1]), load()).close()
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took; `memory_mib` is the largest resident set."""

    cpu_s: float
    clock_s: float
    memory_mib: float


def measure(command: Sequence[str], runs: int, environment: dict[str, str]) -> list[Cost]:
    """The cost of each run, the first one left out. Raises CalledProcessError when one fails."""
    costs = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        clock_s = time.perf_counter() - began
        if process.returncode not in (0, 10, 11):
            raise subprocess.CalledProcessError(process.returncode, command)
        costs.append(Cost(used.ru_utime + used.ru_stime, clock_s, used.ru_maxrss / 1024))
    return costs[1:]


def imports(n: int) -> list[tuple[int, str]]:
    """The n slowest modules of `suffice --help`: (microseconds of its own, name)."""
    command = [sys.executable, "-X", "importtime", "-m", "suffice", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [row.removeprefix("import time:").split("|") for row in done.stderr.splitlines() if "|" in row]
    timed = [(int(own), name.strip()) for own, _, name in rows if own.strip().isdigit()]
    return sorted(timed, reverse=True)[:n]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, help="a folder of documents")
    parser.add_argument("--workspace", type=Path, help="a workspace, in place of --corpus")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--imports", action="store_true")
    given = parser.parse_args()
    if given.imports:
        for microseconds, name in imports(15):
            print(f"{microseconds / 1000:8.1f} ms  {name}")
        return
    python, suffice = sys.executable, [sys.executable, "-m", "suffice"]
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "import suffice": [python, "-c", "import suffice"],
        "suffice --version": [*suffice, "--version"],
        "suffice --help": [*suffice, "--help"],
        "suffice ask --help": [*suffice, "ask", "--help"],
    }
    with tempfile.TemporaryDirectory() as place:
        workspace = given.workspace or Path(place) / ".suffice"
        environment = {**os.environ, "SUFFICE_WORKSPACE": str(workspace)}
        if given.corpus and not given.workspace:
            began = time.perf_counter()
            subprocess.run([*suffice, "add", str(given.corpus)], env=environment, check=True)
            print(f"suffice add: {time.perf_counter() - began:.1f} s\n")
        if given.corpus or given.workspace:
            commands |= {
                "start-up": [python, "-c", START_UP, str(workspace)],
                "suffice status": [*suffice, "status"],
                "suffice search": [*suffice, "search", QUESTION],
                "suffice ask": [*suffice, "ask", QUESTION],
            }
        print(f"{'command':<22}{'CPU least':>12}{'median':>9}{'clock least':>14}{'median':>9}{'memory':>10}")
        for name, command in commands.items():
            costs = measure(command, given.runs, environment)
            cpu, clock = [one.cpu_s * 1000 for one in costs], [one.clock_s * 1000 for one in costs]
            print(
                f"{name:<22}{min(cpu):>9.0f} ms{statistics.median(cpu):>6.0f} ms{min(clock):>11.0f} ms"
                f"{statistics.median(clock):>6.0f} ms{max(one.memory_mib for one in costs):>6.0f} MiB",
                flush=True,
            )


if __name__ == "__main__":
    main()
