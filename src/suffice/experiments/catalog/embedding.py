"""The same chunks under every embedder that can be loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from suffice import registry
from suffice.engine import Engine
from suffice.errors import SufficeError
from suffice.experiments.arms import Arm, Experiment, Plan, as_it_is
from suffice.settings import Settings


def _others(settings: Settings) -> Iterator[Arm]:
    for name in registry.names("embedder"):
        if name == settings.embed.name:
            continue
        embed = msgspec.structs.replace(settings.embed, name=name)
        yield _arm(name, msgspec.structs.replace(settings, embed=embed), {"embed.name": name})
    if settings.embed.name == "e5":
        precision = "float32" if settings.embed.precision == "int8" else "int8"
        embed = msgspec.structs.replace(settings.embed, precision=precision)
        yield _arm(
            f"e5, {precision}",
            msgspec.structs.replace(settings, embed=embed),
            {"embed.name": "e5", "embed.precision": precision},
        )


def _arm(name: str, settings: Settings, setting: dict[str, str]) -> Arm:
    try:
        registry.create("embedder", settings.embed.name)
    except SufficeError as error:
        return Arm(name, as_it_is, setting, not_run=str(error))
    return Arm(name, as_it_is, setting, index=settings)


def _arms(engine: Engine, _plan: Plan) -> Sequence[Arm]:
    embed = engine.settings.embed
    name = f"{embed.name}, {embed.precision}" if embed.name == "e5" else embed.name
    return (Arm(f"{name} (as it is)", as_it_is), *_others(engine.settings))


EXPERIMENT = Experiment(
    name="embedding",
    title="embedding",
    hypothesis="Another embedding model brings question and pieces nearer to each other.",
    answers_to="a model that does not see that question and piece are about the same",
    needs="gold; time to embed the corpus once a model",
    arms=_arms,
    remark=(
        "`hashing` counts letters and knows no meaning: it is the weak control. The lexical leg is the "
        "same in all arms."
    ),
)
