"""Path patterns, as `--include` and `--exclude` take them."""

from __future__ import annotations

import re

from suffice.errors import SourceError


def pattern(glob: str) -> re.Pattern[str]:
    """A glob as gitignore reads it: `*` within a folder, `**` over folders; without a slash at any depth.

    A pattern that matches a folder matches everything in it.
    """
    text = glob.removeprefix("./")
    anchored = "/" in text.rstrip("/")
    text = text.strip("/")
    if not text:
        raise SourceError(f"the pattern {glob!r} matches nothing; give one such as '*.md' or 'guides/**'")
    out, at = "" if anchored else "(?:.*/)?", 0
    while at < len(text):
        if text.startswith("**/", at):
            out, at = out + "(?:.*/)?", at + 3
        elif text.startswith("**", at):
            out, at = out + ".*", at + 2
        elif text[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif text[at] == "?":
            out, at = out + "[^/]", at + 1
        elif text[at] == "[" and "]" in text[at + 2 :]:
            end = text.index("]", at + 2)
            inside = text[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            inside = "^" + inside[1:] if inside.startswith("!") else inside
            out, at = out + f"[{inside}]", end + 1
        else:
            out, at = out + re.escape(text[at]), at + 1
    try:
        return re.compile(f"{out}(?:/.*)?", re.S)
    except re.error as error:
        raise SourceError(f"the pattern {glob!r} is not a glob: {error}") from error
