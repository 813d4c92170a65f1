"""Rows and cells of an HTML table."""

from __future__ import annotations

from typing import Any

_MOST_SPAN = 50
_MOST_COLUMNS = 100  # beyond these a cell takes one place, whatever it says
_STRUCTURE = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "table", "details", "article", "section"))


def rows_of(table: Any) -> tuple[list[list[Any]], Any]:
    """The cells of each row, and the caption's node or None."""
    rows: list[list[Any]] = []
    caption = None
    for child in _children(table):
        if child.name == "caption" and caption is None:
            caption = child
        holder = child.name in ("thead", "tbody", "tfoot")
        found = (
            [row for row in _children(child) if row.name == "tr"]
            if holder
            else [child] * (child.name == "tr")
        )
        rows += [[cell for cell in _children(row) if cell.name in ("td", "th")] for row in found]
    return [row for row in rows if row], caption


def grid(rows: list[list[Any]]) -> list[list[Any]]:
    """Cells by row and column; one that spans stands in each of its places, so that every value keeps its
    column's and row's names.
    """
    laid: list[list[Any]] = []
    pending: dict[int, tuple[Any, int]] = {}  # column -> cell from above, rows left
    for row in rows:
        line: list[Any] = []
        cells = iter(row)
        while True:
            column = len(line)
            if column in pending:
                cell, left = pending.pop(column)
                if left > 1:
                    pending[column] = (cell, left - 1)
                line.append(cell)
                continue
            cell = next(cells, None)
            if cell is None:
                later = [other for other in pending if other > column]
                if not later:
                    break
                line.append(None)
                continue
            down = _span(cell, "rowspan") if column < _MOST_COLUMNS else 1
            across = _span(cell, "colspan") if column < _MOST_COLUMNS else 1
            for place in range(column, column + across):
                line.append(cell)
                if down > 1:
                    pending[place] = (cell, down - 1)
        laid.append(line)
    return laid


def is_layout(table: Any) -> bool:
    """The table only arranges a page: its cells hold headings, tables or code, or there is one column."""
    if (table.attrs or {}).get("role") in ("presentation", "none"):
        return True
    stack = list(_children(table))
    while stack:
        node = stack.pop()
        if node.name in _STRUCTURE:
            return True
        if node.name == "pre" and "\n" in node.to_text(strip=False).strip():
            return True
        stack.extend(_children(node))
    rows, _ = rows_of(table)
    return all(len(row) < 2 for row in rows)


def _children(node: Any) -> Any:
    return getattr(node, "children", None) or ()


def _span(cell: Any, name: str) -> int:
    value = str((cell.attrs or {}).get(name) or "1").strip()
    return min(max(int(value), 1), _MOST_SPAN) if value.isascii() and value.isdigit() else 1
