"""What the README, the architecture page and the manual say about the tree and the command line holds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

from suffice.interfaces.cli import cli
from suffice.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *DOCS.glob("**/*.md"),
        *(ROOT / folder / "README.md" for folder in ("changelog.d", "benchmarks", "training")),
    ]
)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)>\s]+)>?[^)]*\)")
CODE = re.compile(r"^(```+|~~~+).*?^\1\s*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
SHARED_OPTIONS = {"--workspace", "--config", "--json", "--quiet", "--help", "-h", "--version", "-V"}


def links(page: Path) -> list[str]:
    """Targets of the links and images of a page, those in code left out."""
    return LINK.findall(CODE.sub("", page.read_text("utf-8")))


def section(text: str, title: str) -> str:
    """What stands under the heading, up to the next one of its level."""
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no heading {title!r}"
    return found[2]


def listed() -> list[str]:
    """The paths of the README's file list, in order."""
    rows = section((ROOT / "README.md").read_text("utf-8"), "The files, in reading order").splitlines()
    return [found[1] for row in rows if (found := re.match(r"\| `([^`]+)` \|", row))]


def commands(command: click.Command = cli, name: str = "suffice") -> Iterator[tuple[str, click.Command]]:
    """(full name, command) of all commands and groups below the root."""
    for own, inner in getattr(command, "commands", {}).items():
        yield f"{name} {own}", inner
        yield from commands(inner, f"{name} {own}")


def test_every_path_of_the_file_list_is_there() -> None:
    missing = [path for path in listed() if not (ROOT / path).exists()]
    assert not missing, f"the README lists what is not in the tree: {missing}"
    assert len(listed()) == len(set(listed()))


def test_the_file_list_names_every_module_and_package() -> None:
    modules = {
        f"src/suffice/{path.name}" + "/" * path.is_dir()
        for path in (ROOT / "src/suffice").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    } - {"src/suffice/__main__.py"}
    assert {path for path in listed() if path.startswith("src/suffice/")} == modules


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        place = page if not parts.path else page.parent / unquote(parts.path)
        assert place.exists(), f"{page.name} links to {target}, which is not there"
        if parts.fragment:
            anchors = {
                re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", place.read_text("utf-8"), re.MULTILINE)
            }
            assert parts.fragment in anchors, f"{page.name} links to {target}, a heading that is not there"


def test_the_manual_never_links_out_of_itself() -> None:
    """It is shipped in the wheel and shown without the repository around it."""
    for page in DOCS.glob("**/*.md"):
        for target in links(page):
            if not urlsplit(target).scheme:
                assert (page.parent / urlsplit(target).path).resolve().is_relative_to(DOCS), (
                    f"{page}: {target}"
                )


def test_every_page_of_the_manual_is_linked_from_its_index() -> None:
    index = DOCS / "index.md"
    linked = {(DOCS / target).resolve() for target in links(index)}
    missing = [
        str(page.relative_to(DOCS)) for page in DOCS.glob("**/*.md") if page not in linked and page != index
    ]
    assert not missing, f"docs/index.md does not link to {missing}"


def test_every_page_has_one_title() -> None:
    for page in PAGES:
        titles = re.findall(r"^# .+$", CODE.sub("", page.read_text("utf-8")), re.MULTILINE)
        assert len(titles) == 1, f"{page}: {titles}"


def test_the_reference_names_every_command_and_no_other() -> None:
    text = (DOCS / "reference/commands.md").read_text("utf-8")
    named = re.findall(r"^## (suffice .+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(name for name, _ in commands())


@pytest.mark.parametrize(
    ("name", "command"), commands(), ids=lambda value: str(getattr(value, "name", value))
)
def test_the_reference_names_every_option_of_a_command(name: str, command: click.Command) -> None:
    text = section((DOCS / "reference/commands.md").read_text("utf-8"), name)
    rows = [row.split(" | ")[0].split("|", 1)[1] for row in text.splitlines() if row.startswith("| `")]
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(rows)))
    known = {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    assert named == known - SHARED_OPTIONS
    assert f"\n{name}" in text.replace("```\n", "```\n\n"), f"{name}: the reference shows no example"


def test_the_reference_names_every_setting_with_its_default() -> None:
    text = (DOCS / "reference/settings.md").read_text("utf-8")
    for table in Settings.__struct_fields__:
        rows = dict(re.findall(r"^\| `(\w+)` \|(.*?)\|", section(text, table), re.MULTILINE))
        values = getattr(Settings(), table)
        assert sorted(rows) == sorted(values.__struct_fields__)
        for key, shown in rows.items():
            value = getattr(values, key)
            said = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            assert shown.strip().strip("`") == said, f"{table}.{key}"


def test_the_dependencies_page_names_every_dependency_and_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = [one for extra in project.get("optional-dependencies", {}).values() for one in extra]
    wanted = {re.split(r"[^\w-]", one)[0] for one in (*project["dependencies"], *optional)}
    tools = (ROOT / "requirements/dev.in").read_text("utf-8").splitlines()
    wanted |= {re.split(r"[^\w-]", row)[0] for row in tools if row and row[0] != "#"}
    text = (DOCS / "dependencies.md").read_text("utf-8")
    named = {
        name
        for title in ("At run time", "Optional", "For development only")
        for name in re.findall(r"^\| ([\w-]+) \|", section(text, title), re.MULTILINE)
    } - {"package"}
    assert named == wanted


def test_the_architecture_names_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    paths = re.findall(r"`((?:[\w<>-]+/)*[\w-]+(?:\.py|/))`", text)
    assert len(paths) > 20
    for path in paths:
        if "<" not in path:
            assert (ROOT / "src/suffice" / path).exists() or (ROOT / path).exists(), path


def test_changelog_entries_are_named_by_what_they_change() -> None:
    for entry in (ROOT / "changelog.d").iterdir():
        assert entry.name == "README.md" or re.fullmatch(
            r"[\w-]+\.(added|changed|fixed|removed)\.md", entry.name
        ), f"{entry.name}: see changelog.d/README.md"
        assert entry.read_text("utf-8").strip()
