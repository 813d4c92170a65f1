"""The public names are those of `__all__`; importing suffice loads none of what they need."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import suffice

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", suffice.__all__)
def test_every_public_name_is_there_and_comes_from_suffice(name: str) -> None:
    value = getattr(suffice, name)
    assert name == "__version__" or value.__module__.startswith("suffice.")


def test_all_is_sorted_without_repeats_and_listed_by_dir() -> None:
    names = [name for name in suffice.__all__ if name != "__version__"]
    assert sorted(set(suffice.__all__)) == sorted(suffice.__all__)
    assert set(suffice.__all__) <= set(dir(suffice))
    assert all(not name.startswith("_") for name in names)


def test_every_error_that_suffice_raises_is_public() -> None:
    from suffice import errors

    kinds = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert kinds <= set(suffice.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Enginge'"):
        suffice.Enginge  # noqa: B018


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert suffice.__version__ == project["version"]


def test_importing_suffice_loads_nothing_heavy() -> None:
    heavy = {"numpy", "onnxruntime", "rich", "msgspec", "click"}
    code = f"import sys, suffice; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
