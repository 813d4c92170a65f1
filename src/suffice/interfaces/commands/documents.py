"""`add`, `update`, `remove`, `snapshots`, `index`, `lint`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from suffice.errors import UsageError
from suffice.interfaces import inputs, schema
from suffice.interfaces.group import Command, Group
from suffice.interfaces.invocation import Invocation, width

if TYPE_CHECKING:
    from suffice.engine import AddReport


@click.command(
    cls=Command,
    examples=(
        "suffice add docs/",
        'suffice add handbook/ --include "**/*.md" --exclude "drafts/*" --tenant acme --meta team=billing',
    ),
)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.option("--include", multiple=True, metavar="GLOB", help="Only files whose path fits. Repeatable.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No files whose path fits. Repeatable.")
@click.option("--tenant", metavar="T", help="Whose documents these are.")
@click.option(
    "--meta", multiple=True, metavar="K=V", help="Metadata of every document, for --where. Repeatable."
)
def add(
    sources: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    tenant: str | None,
    meta: tuple[str, ...],
) -> int:
    """Take a snapshot of files and index what is new.

    Files that cannot be read are listed with their reason and do not stop the run. Stopped half-way, the
    same command goes on from there.
    """
    run = Invocation.current()
    if not sources:
        raise UsageError("there is no SOURCE; name a folder or files, as in: suffice add docs/")
    pairs = inputs.meta(meta)
    with run.engine(create=True) as engine, run.progress() as progress:
        report = engine.add(
            sources, include=include, exclude=exclude, tenant=tenant, meta=pairs, progress=progress
        )
    return _report(run, report)


@click.command(cls=Command, examples=("suffice update",))
def update() -> int:
    """Read the recorded sources again.

    A new snapshot is made only if something changed.
    """
    run = Invocation.current()
    with run.engine() as engine, run.progress() as progress:
        report = engine.update(progress=progress)
    return _report(run, report)


@click.command(cls=Command, examples=("suffice remove handbook/old-prices.md",))
@click.argument("documents", nargs=-1, metavar="DOCUMENT...")
@click.option("--tenant", metavar="T", help="Whose documents these are.")
def remove(documents: tuple[str, ...], tenant: str | None) -> int:
    """Remove documents.

    From this moment no answer, ranking or cache shows them.
    """
    run = Invocation.current()
    if not documents:
        raise UsageError(
            "there is no DOCUMENT; name one as search shows it, as in: suffice remove guide/setup.md"
        )
    with run.engine() as engine:
        removed = engine.remove(documents, tenant=tenant)
    if run.json:
        run.write_json({"schema": "suffice.remove/1", "removed": list(removed), "tenant": tenant})
    elif not run.quiet:
        from suffice.interfaces.render import corpus as page

        run.show(page.removed(removed, width()))
    return 0


@click.group(
    cls=Group,
    invoke_without_command=True,
    examples=("suffice snapshots", "suffice snapshots diff 3f9a 81c2"),
)
@click.pass_context
def snapshots(context: click.Context) -> int:
    """Show the snapshots: list, show, verify, diff.

    Without a command: list.
    """
    return _list() if context.invoked_subcommand is None else 0


@snapshots.command("list", examples=("suffice snapshots list --json",))
def list_() -> int:
    """List all snapshots, the newest first."""
    return _list()


def _list() -> int:
    run = Invocation.current()
    with run.engine() as engine:
        rows = schema.builtins(engine.snapshots())
    if run.json:
        run.write_json({"schema": "suffice.snapshots/1", "snapshots": rows})
    else:
        from suffice.interfaces.render import corpus as page

        run.show(page.snapshots(rows, width()))
    return 0


@snapshots.command(
    "show",
    examples=("suffice snapshots show 3f9a", "suffice snapshots show 3f9a --document guide/setup.md --text"),
)
@click.argument("snapshot_id", metavar="ID")
@click.option("--document", metavar="NAME", help="One document of it.")
@click.option("--tenant", metavar="T", help="Whose document it is.")
@click.option("--text", is_flag=True, help="The document's normalized text alone, to which all spans refer.")
def show(snapshot_id: str, document: str | None, tenant: str | None, text: bool) -> int:
    """Show the files of a snapshot, or one of its documents."""
    run = Invocation.current()
    if document is None:
        if text:
            raise UsageError("--text needs --document NAME")
        with run.engine() as engine:
            snapshot = engine.snapshot(snapshot_id)
        if run.json:
            run.write_json(schema.named("snapshot", snapshot))
        else:
            from suffice.interfaces.render import corpus as page

            run.show(page.snapshot(snapshot, width()))
        return 0
    with run.engine() as engine:
        found = engine.document_text(snapshot_id, document, tenant=tenant)
    if run.json:
        run.write_json({**schema.named("document", found), "snapshot": snapshot_id})
    elif text and not sys.stdout.isatty():
        run.write(found.text)  # as it is, so that text[span] holds for who reads it from a pipe
    else:
        from suffice.interfaces.render import corpus as page

        run.show(page.document(found, width(), whole=text))
    return 0


@snapshots.command("verify", examples=("suffice snapshots verify",))
def verify() -> int:
    """Check every stored byte against its sha256; exit status 1 when one is damaged."""
    run = Invocation.current()
    with run.engine() as engine, run.progress():
        report = engine.verify_snapshots()
    if run.json:
        run.write_json({**schema.named("integrity", report), "ok": report.ok})
    else:
        from suffice.interfaces.render import checks as page

        run.show(page.integrity(report, width()))
    return 0 if report.ok else 1


@snapshots.command("diff", examples=("suffice snapshots diff 3f9a 81c2",))
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
def diff(a: str, b: str) -> int:
    """Show which documents B added, changed and no longer has, compared with A."""
    run = Invocation.current()
    with run.engine() as engine:
        found = engine.diff(a, b)
    if run.json:
        run.write_json({**schema.named("diff", found), "a": a, "b": b})
    else:
        from suffice.interfaces.render import corpus as page

        run.show(page.diff(found, width()))
    return 0


@click.group(cls=Group, invoke_without_command=True, examples=("suffice index", "suffice index build"))
@click.pass_context
def index(context: click.Context) -> int:
    """Show or build the index: status, build, verify.

    Without a command: status.
    """
    return _status() if context.invoked_subcommand is None else 0


@index.command("status", examples=("suffice index status --json",))
def status() -> int:
    """Show the generation in use and what is not indexed yet."""
    return _status()


def _status() -> int:
    run = Invocation.current()
    with run.engine() as engine:
        found = engine.status()
    if run.json:
        run.write_json(schema.named("status", found))
    else:
        from suffice.interfaces.render import checks as page

        run.show(page.index(found, width()))
    return 0


@index.command("build", examples=("suffice index build",))
def build() -> int:
    """Bring the index up to date with the documents and the settings; nothing is embedded twice."""
    run = Invocation.current()
    with run.engine() as engine, run.progress() as progress:
        report = engine.build_index(progress=progress)
    return _report(run, report)


@index.command("verify", examples=("suffice index verify",))
def verify_index() -> int:
    """Check the searchable arrays against the record; exit status 1 when they differ."""
    run = Invocation.current()
    with run.engine() as engine, run.progress():
        report = engine.verify_index()
    if run.json:
        run.write_json({**schema.named("integrity", report), "ok": report.ok})
    else:
        from suffice.interfaces.render import checks as page

        run.show(page.integrity(report, width()))
    return 0 if report.ok else 1


@click.command(cls=Command, examples=("suffice lint", "suffice lint --json"))
def lint() -> int:
    """List what retrieves badly or could not be read.

    Oversized, heading-only and truncated chunks, near duplicates, unreadable files.
    """
    run = Invocation.current()
    with run.engine() as engine, run.progress():
        report = engine.lint()
    if run.json:
        run.write_json(schema.named("lint", report))
    else:
        from suffice.interfaces.render import checks as page

        run.show(page.lint(report, width()))
    return 0


def _report(run: Invocation, report: AddReport) -> int:
    if run.json:
        run.write_json(schema.named("add", report))
    elif not run.quiet:
        from suffice.interfaces.render import corpus as page

        run.show(page.added(report, width()))
    return 0
