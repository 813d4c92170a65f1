"""What of a page is not its text, and what its head says of it."""

from __future__ import annotations

import re
from typing import Any

from suffice.values import Meta

_NO_TEXT = frozenset(
    ("script", "style", "template", "noscript", "svg", "iframe", "object", "canvas", "audio", "video", "head")
)
_CONTROLS = frozenset(("button", "select", "textarea", "datalist", "input"))
_AROUND = frozenset(("header", "footer", "aside"))
_ROLES = frozenset(("navigation", "banner", "contentinfo", "search"))
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_META_KEYS = ("description", "author", "keywords", "date", "article:published_time", "article:modified_time")


def removal(node: Any, *, chrome: bool, in_main: bool, in_heading: bool) -> str:
    """The rule that takes a node out; nothing when it stays. `chrome` keeps what stands around a page."""
    name, attrs = node.name, node.attrs or {}
    if name in _NO_TEXT and not (name == "noscript" and chrome):
        return str(name)
    if "hidden" in attrs and attrs["hidden"] != "until-found" and attrs.get("role") != "tabpanel":
        return "hidden"
    if attrs.get("aria-hidden") == "true":
        return "aria-hidden"
    if _HIDDEN_STYLE.search(attrs.get("style") or ""):
        return "hidden by style"
    if name == "dialog" and "open" not in attrs:
        return "closed dialog"
    if chrome:
        return ""
    if name == "nav" or attrs.get("role") in _ROLES:
        return "navigation" if name == "nav" or attrs.get("role") == "navigation" else str(attrs["role"])
    if name == "a" and "skip" in (attrs.get("class") or "") and (attrs.get("href") or "").startswith("#"):
        return "skip link"
    if name in _AROUND and not in_main:
        return f"page {name}"
    if name in _CONTROLS and not in_heading:
        return "form control"
    return ""


def head_of(root: Any) -> tuple[str, Meta]:
    """The title of the page and what its head says of it."""
    title = stated = ""
    meta: Meta = {}
    for node in descendants(root):
        if node.name == "html" and (node.attrs or {}).get("lang"):
            meta["lang"] = node.attrs["lang"].strip()
        elif node.name == "title" and not title and node.namespace in (None, "html"):
            title = " ".join(
                "".join(child.data or "" for child in node.children if child.name == "#text").split()
            )
        elif node.name == "meta":
            attrs = node.attrs or {}
            key = (attrs.get("name") or attrs.get("property") or "").lower()
            content = " ".join((attrs.get("content") or "").split())
            if key == "og:title":
                stated = stated or content
            elif key in _META_KEYS and content:
                meta.setdefault(key.removeprefix("article:"), content)
    return title or stated, meta


def descendants(root: Any) -> Any:
    """Every node below, in document order, without recursion: pages nest thousands deep."""
    stack = list(reversed(root.children or ()))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(getattr(node, "children", None) or ()))
