"""Takes out of a writer's words what a page or a terminal would act on: links, HTML, controls, numbers."""

from __future__ import annotations

import re

from suffice.text.scripts import IGNORABLE

_CONTROLS = re.compile(
    rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f{IGNORABLE}]"
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CODE = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+)[^\n`]*\n(?:.*?\n)?? {0,3}(?P=fence)[ \t]*$"
    r"|(?P<tick>`+)(?!`)[^\n]+?(?<!`)(?P=tick)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])")
_LINK = re.compile(r"\[([^\]\n]{0,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])")
_REFERENCE = re.compile(r"^[ \t]*\[[^\]\n]{1,200}\]:[ \t]*\S.*$", re.MULTILINE)
_AUTOLINK = re.compile(r"<((?:[a-z][a-z0-9+.-]{1,31}:|[^\s<>@]{1,64}@)[^\s<>]{1,2000})>", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?<![\w`])(?:[a-z][a-z0-9+.-]{1,31}://|www\.|mailto:|javascript:|data:)[^\s`<>\"'）)】」，。；]{1,2000}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*\[\^?\d{1,4}(?:\s*[,，-]\s*\d{1,4})*\]|\s*【\d{1,4}[^】\n]{0,20}】")
_TAG = re.compile(r"<(?=[A-Za-z/!?])([^<>\n]{0,300})>")
_OPEN = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
_BREAKS = re.compile(r"\n{3,}")


def tame(text: str) -> str:
    """The text as plain words with code left as it is; may come out empty.

    A link becomes its words, an address becomes code, `<tag>` becomes ‹tag›, and numbers in brackets go,
    since those that are shown are made from checked citations alone.
    """
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _CONTROLS.sub("", text)
    out, at = [], 0
    for code in _CODE.finditer(text):
        out += [_prose(text[at : code.start()]), code.group()]
        at = code.end()
    return _BREAKS.sub("\n\n", "".join([*out, _prose(text[at:])])).strip()


def _prose(text: str) -> str:
    text = text.replace("`", "'")  # a mark that nothing closes would take what follows for code
    text = _NUMBER.sub("", _REFERENCE.sub("", text))
    text = _AUTOLINK.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub(r"\1", text)))
    text = _TAG.sub(r"‹\1›", text)
    text = _OPEN.sub("‹", text)
    text = _ENTITY.sub("＆", text)
    return _ADDRESS.sub(lambda match: f"`{match.group()}`", text)
