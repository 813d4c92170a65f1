"""The same documents cut to other sizes, and by every other chunker that is installed."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from suffice import registry
from suffice.engine import Engine
from suffice.experiments.arms import Arm, Experiment, Plan, as_it_is
from suffice.settings import Settings

SIZES = (600, 1200, 2400, 4800)


def _arm(settings: Settings, name: str, size: int) -> Arm:
    chunk = msgspec.structs.replace(settings.chunk, name=name, max_chars=size)
    return Arm(
        f"{name}, {size} characters",
        as_it_is,
        {"chunk.name": name, "chunk.max_chars": size},
        index=msgspec.structs.replace(settings, chunk=chunk),
    )


def _arms(engine: Engine, _plan: Plan) -> Sequence[Arm]:
    now = engine.settings.chunk
    sizes = [_arm(engine.settings, now.name, size) for size in SIZES if size != now.max_chars]
    others = [
        _arm(engine.settings, name, now.max_chars) for name in registry.names("chunker") if name != now.name
    ]
    return (Arm(f"{now.name}, {now.max_chars} characters (as it is)", as_it_is), *sizes, *others)


EXPERIMENT = Experiment(
    name="chunking",
    title="chunking",
    hypothesis="Pieces are diluted in chunks that are too large, or cut apart by chunks that are too small.",
    answers_to="a piece that shares its chunk with other topics, or lies across two",
    needs="gold; time to embed the corpus once a size",
    arms=_arms,
    remark=(
        "Gold is quotes in documents, so that it outlives every cut; a chunk that overlaps the quote "
        "counts. The first k large chunks are more text than the first k small ones: coverage at the same"
        " k favours large ones."
    ),
)
