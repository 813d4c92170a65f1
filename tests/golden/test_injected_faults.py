"""A fault injected on purpose into real pages, layer by layer: every one must be named rightly.

The pages are the test's own (`fault_pages`), in six languages. What the right layer is follows from what was
done to the page or to the settings, never from the code under test. `N_LAYER` faults a layer, 275 in all.
"""

from __future__ import annotations

import html
import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

import fault_pages
import pytest

from suffice import registry
from suffice.corpus import snapshot
from suffice.diagnose import Diagnosis
from suffice.engine import Engine
from suffice.errors import EmbedderError
from suffice.gate.needs import split
from suffice.gold import Gold, Piece
from suffice.ports import Float32, Generated, Progress
from suffice.settings import load
from suffice.values import Chunk, DraftCitation, DraftClaim, Hit, Need, Passage, Support, Usage, to_builtins

N_LAYER = 25
REFUSED = "zq-refused-by-the-embedder"


class Judge:
    """Takes every passage for support of every need, always with the same confidence."""

    name, version = "agreeable", "1"
    operating_points: ClassVar[dict[float, float]] = {0.1: 0.5}

    def judge(self, question: str, needs: Sequence[Need], passages: Sequence[Passage]) -> tuple[Support, ...]:
        return tuple(
            Support(need.id, one.evidence, one.span, 0.9, self.name) for need in needs for one in passages
        )


class Writer:
    """Quotes what it was told to, wherever in the evidence it stands; else the end of the last chunk."""

    name, version = "obedient", "1"

    def __init__(self, quote: str = "") -> None:
        self.quote = quote

    def generate(
        self,
        question: str,
        needs: Sequence[Need],
        supports: Sequence[Support],
        evidence: Sequence[Hit],
        language: str,
    ) -> Generated:
        cited = next((hit for hit in evidence if self.quote and self.quote in hit.text), None)
        hit, quote = (cited, self.quote) if cited else (evidence[-1], evidence[-1].text.strip())
        citation = DraftCitation(hit.rank, quote, None)
        return Generated((DraftClaim("It is so.", tuple(need.id for need in needs), (citation,)),), Usage())


class Refusing:
    """The hashing embedder, but for texts with a certain word in them."""

    def __init__(self) -> None:
        self.inner = registry.create("embedder", "hashing")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Float32:
        if any(REFUSED in text for text in texts):
            raise EmbedderError("the model does not take this text")
        return self.inner.embed_passages(texts, progress)


Opened = Callable[..., Engine]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens an engine on a workspace of its own, with fakes where nothing else is asked for."""
    engines = []

    def make(name: str = "ws", embedder: Any = None, **settings: Any) -> Engine:
        given = {
            "embed.name": "hashing",
            **{key.replace("__", "."): value for key, value in settings.items()},
        }
        engine = Engine.open(tmp_path / name, load(None, {}, given), create=True)
        engine.__dict__["judge"] = Judge()
        if embedder is not None:
            engine.__dict__["embedder"] = embedder
        engine.generator = lambda name: Writer()  # type: ignore[assignment]
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Pages that a test may change."""
    fault_pages.write(tmp_path / "pages")
    return tmp_path / "pages"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the pages as they are; each test works on a copy."""
    place = tmp_path_factory.mktemp("kept")
    fault_pages.write(place / "pages")
    with Engine.open(place / "ws", load(None, {}, {"embed.name": "hashing"}), create=True) as engine:
        engine.add([str(place / "pages")])
    return place / "ws"


@pytest.fixture
def copied(opened: Opened, kept: Path, tmp_path: Path) -> Opened:
    """Opens an engine on a copy of that workspace."""

    def make(**settings: Any) -> Engine:
        shutil.copytree(kept, tmp_path / "ws")
        return opened(**settings)

    return make


def sentences(engine: Engine, n: int, *, least: int = 40) -> list[tuple[Chunk, str]]:
    """One line of prose from each of n chunks, from as many pages as there are, each once in the corpus.

    The pages of the languages take turns, so that any n of them are of all languages.
    """
    generation = engine.workspace.active_generation()
    assert generation is not None
    chunks = [
        row.chunk
        for item in engine.workspace.indexed(generation.id)
        for row in engine.workspace.document_chunks(generation.id, item.tenant, item.document)
    ]
    everything = "\n".join(chunk.text for chunk in chunks)
    found: dict[str, list[tuple[Chunk, str]]] = {}
    for chunk in chunks:
        for quote in map(str.strip, chunk.text.split("\n")):
            is_prose = len(quote) >= least and not quote.startswith(("#", "|", "```", "<"))
            if is_prose and everything.count(quote) == 1:
                found.setdefault(chunk.document, []).append((chunk, quote))
                break
    pages = sorted(found, key=lambda name: PurePosixPath(name).stem.split("-")[::-1])
    turns = [one for turn in range(n) for name in pages for one in found[name][turn : turn + 1]]
    assert len(turns) >= n, f"the pages give {len(turns)} quotes; {n} are needed"
    assert {PurePosixPath(chunk.document).parent.name for chunk, _ in turns[:n]} == set(fault_pages.TONGUES)
    return turns[:n]


def diagnosed(engine: Engine, question: str, quote: str, document: str = "", **options: Any) -> Diagnosis:
    return engine.diagnose(question, [Piece("C1", "", (Gold(document, quote),))], **options)


def layers(found: Sequence[Diagnosis]) -> list[str]:
    return [one.pieces[0].layer for one in found]


def all_named(found: Sequence[Diagnosis], layer: str, n: int = N_LAYER) -> None:
    wrong = [
        (one.question[:40], one.pieces[0].layer, one.pieces[0].note)
        for one in found
        if one.pieces[0].layer != layer
    ]
    assert not wrong, f"{len(wrong)} of {len(found)} were not called {layer}: {wrong[:3]}"
    assert len(found) == n
    assert all(one.pieces[0].note.endswith((".", "!", "?")) for one in found)


# --- the corpus ---------------------------------------------------------------------------------


def test_not_in_corpus(opened: Opened, pages: Path) -> None:
    engine = opened()
    engine.add([str(pages)])
    chosen = sentences(engine, N_LAYER)
    removed, changed, never = chosen[:10], chosen[10:20], chosen[20:]
    for chunk, quote in changed:
        path = pages.parent / chunk.document
        path.write_text(path.read_text("utf-8").replace(quote, "It says something else now."), "utf-8")
    engine.update()
    engine.remove(sorted({chunk.document for chunk, _ in removed}))
    gone = {chunk.document for chunk, _ in removed}
    found = [diagnosed(engine, quote, quote, chunk.document) for chunk, quote in removed]
    found += [
        diagnosed(engine, quote, quote, "" if chunk.document in gone else chunk.document)
        for chunk, quote in changed
    ]
    found += [diagnosed(engine, quote, f"{quote[:30]} zyx {quote[30:]}") for _, quote in never]
    all_named(found, "not_in_corpus")
    assert all("removed it on" in one.pieces[0].note for one in found[:10])
    assert all("of snapshot" in one.pieces[0].note for one in found[:20])
    assert all(one.pieces[0].k_needed is None and not any(one.pieces[0].ranks.values()) for one in found)


def test_lost_in_parsing(copied: Opened, tmp_path: Path) -> None:
    engine = copied()
    chosen = sentences(engine, N_LAYER)
    hidden = (
        "<div hidden>{}</div>",
        "<p style='display:none'>{}</p>",
        "<template><p>{}</p></template>",
        "<dialog>{}</dialog>",
    )
    site = tmp_path / "site"
    site.mkdir()
    quotes = [f"Page {number}: {quote}" for number, (_, quote) in enumerate(chosen)]
    for number, quote in enumerate(quotes):
        node = hidden[number % len(hidden)].format(html.escape(quote))
        page = f"<html><body><main><h1>Page {number}</h1><p>What can be seen.</p>{node}</main></body></html>"
        (site / f"p{number}.html").write_text(page, "utf-8")
    engine.add([str(site)])
    found = [diagnosed(engine, quote, quote) for quote in quotes]
    all_named(found, "lost_in_parsing")
    assert all("normalization took out" in one.pieces[0].note for one in found)


# --- chunks and vectors -------------------------------------------------------------------------


def test_cut_by_chunking(opened: Opened, pages: Path) -> None:
    """Quotes over the border of two chunks, in prose and at the end of tables; the evidence has one."""
    engine = opened(chunk__max_chars=300)
    engine.add([str(pages)])
    generation = engine.workspace.active_generation()
    assert generation is not None
    found: dict[str, list[Diagnosis]] = {"prose": [], "table": []}
    for item in engine.workspace.indexed(generation.id):
        rows = engine.workspace.document_chunks(generation.id, item.tenant, item.document)
        file = next(row.file for row in engine.workspace.documents() if row.name == item.document)
        document = engine.workspace.normalized(file)
        assert document is not None
        kind = "table" if len(found["table"]) <= len(found["prose"]) else "prose"
        for one, other in itertools.pairwise(rows):
            begin, end = max(one.chunk.span[1] - 60, one.chunk.span[0]), other.chunk.span[0] + 60
            quote = document.text[begin : min(end, other.chunk.span[1])].strip()
            sides = (one.chunk.span[1] - begin, min(end, other.chunk.span[1]) - other.chunk.span[0])
            in_table = "table" in one.chunk.kinds or "table" in other.chunk.kinds
            if min(sides) >= 40 and document.text.count(quote) == 1 and in_table is (kind == "table"):
                found[kind].append(diagnosed(engine, quote, quote, item.document, k=1))
                break
    taken = [*found["table"][: N_LAYER // 2], *found["prose"][: N_LAYER - N_LAYER // 2]]
    all_named(taken, "cut_by_chunking")
    for one in taken:
        piece = one.pieces[0]
        assert len(piece.chunk_ids) >= 2
        assert piece.k_needed is not None and piece.k_whole is not None
        assert piece.k_whole > max(piece.k_needed, one.k), "found by the first, whole only with the last"
        gold = [Piece("C1", "", (Gold(piece.document or "", one.question),))]
        reached = engine.diagnose(one.question, gold, k=piece.k_whole).pieces[0].layer
        assert reached not in ("cut_by_chunking", "deep", "just_outside_k")
        short = engine.diagnose(one.question, gold, k=piece.k_whole - 1).pieces[0].layer
        assert short == "cut_by_chunking"


def test_not_embedded(opened: Opened, pages: Path, tmp_path: Path) -> None:
    """A page whose text the model refuses, a heading with nothing below it, a page that waits."""
    engine = opened(embedder=Refusing())
    engine.add([str(pages)])
    chosen = sentences(engine, N_LAYER)
    refused, lonely, waiting = chosen[:10], chosen[10:18], chosen[18:]
    more = tmp_path / "more"
    more.mkdir()
    for number, (_, quote) in enumerate(refused):
        (more / f"r{number}.md").write_text(
            f"# R {number}\n\nNew {number}: {quote}\n\n{REFUSED} stands here.\n", "utf-8"
        )
    for number, _ in enumerate(lonely):
        (more / f"h{number}.md").write_text(
            f"# H {number}\n\nSome text.\n\n## A heading number {number} that has nothing at all below it\n",
            "utf-8",
        )
    engine.add([str(more)])
    late = tmp_path / "late"
    late.mkdir()
    for number, (_, quote) in enumerate(waiting):
        (late / f"w{number}.md").write_text(f"# W {number}\n\nLate {number}: {quote}\n", "utf-8")
    snapshot.take(engine.workspace, snapshot.specs([str(late)]))
    found = [diagnosed(engine, quote, f"New {number}: {quote}") for number, (_, quote) in enumerate(refused)]
    found += [
        diagnosed(engine, f"heading {number}", f"A heading number {number} that has nothing at all below it")
        for number, _ in enumerate(lonely)
    ]
    found += [
        diagnosed(engine, quote, f"Late {number}: {quote}") for number, (_, quote) in enumerate(waiting)
    ]
    all_named(found, "not_embedded")
    assert all("cannot be embedded" in one.pieces[0].note for one in found[:10])
    assert all("waits to be indexed" in one.pieces[0].note for one in found[18:])


def test_filtered_out(opened: Opened, pages: Path) -> None:
    engine = opened()
    for code in fault_pages.TONGUES:
        engine.add([str(pages / code)], meta={"part": code, "year": 2020 + len(code)})
    found = []
    for number, (chunk, quote) in enumerate(sentences(engine, N_LAYER)):
        code = PurePosixPath(chunk.document).parent.name
        ways = ([f"part!={code}"], ["path=*/nothing/*", f"part={code}"], [f"part={code}", "year<2000"])
        found.append(diagnosed(engine, quote, quote, where=ways[number % 3]))
    all_named(found, "filtered_out")
    assert len({one.pieces[0].note.split(": ")[0] for one in found}) >= 10


def test_what_another_tenant_has_is_not_in_the_corpus(opened: Opened, pages: Path) -> None:
    """Nothing of the whole finding may show that there is such a document, or such a tenant."""
    engine = opened()
    engine.add([str(pages / "zh"), str(pages / "en")], tenant="acme")
    engine.add([str(pages / "de")], tenant="zenith")
    engine.add([str(pages / "fr"), str(pages / "es"), str(pages / "ja")])
    chosen = sentences(engine, 3 * N_LAYER)
    engine.remove(
        [chunk.document for chunk, _ in chosen if chunk.document == "zh/zh-0.md"][:1], tenant="acme"
    )
    theirs = [(chunk, quote) for chunk, quote in chosen if chunk.tenant is not None][:N_LAYER]
    found = []
    for number, (chunk, quote) in enumerate(theirs):
        asker = None if number % 2 else "zenith" if chunk.tenant == "acme" else "acme"
        doc = "" if number % 3 else chunk.document
        found.append(
            diagnosed(engine, "What is written there?", quote, doc, tenant=asker, repairs=number < 3)
        )
        said = str(to_builtins(found[-1]))
        assert chunk.tenant not in said.replace(f"'tenant': {asker!r}", "")
        assert chunk.document not in said.replace(f"no document is named {doc}", "")
        assert chunk.id not in said
    all_named(found, "not_in_corpus")


# --- ranks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("layer", "times"), [("just_outside_k", (1.01, 2.0)), ("deep", (2.01, 100.0))])
def test_k_too_small(copied: Opened, layer: str, times: tuple[float, float]) -> None:
    """The rank is that of `search`, which shares no code with `diagnose` above the scores."""
    engine = copied()
    chosen = sentences(engine, 3 * N_LAYER)
    found: list[Diagnosis] = []
    for number, (chunk, quote) in enumerate(chosen):
        question = chosen[(number + 7) % len(chosen)][1].rstrip(".?!") + "?"
        ranking = engine.search(question, k=None)
        rank = next(hit.rank for hit in ranking.hits if hit.chunk_id == chunk.id)
        k = rank // 2 + 1 if layer == "just_outside_k" else max(rank // 3, 1)
        whole = len(split(question, "en")) == 1  # else the evidence is not taken from this ranking alone
        if whole and rank >= 4 and times[0] * k <= rank <= times[1] * k and len(found) < N_LAYER:
            found.append(diagnosed(engine, question, quote, k=k))
            assert found[-1].pieces[0].k_needed == found[-1].pieces[0].ranks["hybrid"] == rank
            assert found[-1].depth == ranking.depth
    all_named(found, layer)
    assert all(one.pieces[0].outranked_by for one in found)
    reached = [
        diagnosed(engine, one.question, one.pieces[0].quote, k=one.pieces[0].k_needed) for one in found[:10]
    ]
    assert set(layers(reached)) == {"answered"}, "the writer quotes the last chunk, which the k was to bring"


# --- the gate and the answer --------------------------------------------------------------------


def test_gate_too_strict(copied: Opened) -> None:
    engine = copied(gate__threshold=1.0)
    found = [diagnosed(engine, quote, quote, k=3) for _, quote in sentences(engine, N_LAYER)]
    all_named(found, "unrecognised_by_gate")
    assert all("0.90" in one.pieces[0].note and "1.00" in one.pieces[0].note for one in found)


def test_answer_ignores_the_evidence(copied: Opened) -> None:
    engine = copied()
    found = []
    for chunk, quote in sentences(engine, N_LAYER):
        other = next(hit for hit in engine.search(quote, k=5).hits if hit.chunk_id != chunk.id)
        words = max(other.text.split("\n"), key=len).strip()
        engine.generator = lambda name, words=words: Writer(words)  # type: ignore[assignment]
        found.append(diagnosed(engine, quote, quote, k=5))
    all_named(found, "unused_by_answer")


def test_answered(copied: Opened) -> None:
    engine = copied()
    found = []
    for _, quote in sentences(engine, N_LAYER):
        engine.generator = lambda name, quote=quote: Writer(quote)  # type: ignore[assignment]
        found.append(diagnosed(engine, quote, quote, k=5))
    all_named(found, "answered")
    assert all((one.pieces[0].k_needed or 99) <= 5 for one in found)
