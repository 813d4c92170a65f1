"""Questions made from the sections of a manual in reStructuredText: their headings, what entries state."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_UNDER = re.compile(r"^([^\s].{1,90})\n([=\-~^\"'*+#])\2{2,}[ ]*$", re.MULTILINE)
_ROLE = re.compile(r":[\w:.-]+:`~?([^`<]+?)(?:\s*<[^>]*>)?`")
_ANCHOR = re.compile(
    r"^\.\. (?:_[^\n]*:|index::[^\n]*|contents::[^\n]*|currentmodule::[^\n]*|module::[^\n]*)\n?", re.M
)

ABOUT = {
    "en": (
        "{h}?",
        "How does {h} work?",
        "How do I use {h}?",
        "What is said about {h}?",
        "Can you explain {h}?",
        "What do I need to know about {h}?",
    ),
    "zh": (
        "{h} 怎么用？",
        "如何使用 {h}？",
        "{h} 是什么？",
        "请介绍一下 {h}",
        "关于 {h} 有哪些说明？",
        "怎样处理 {h}？",
    ),
    "de": ("Wie funktioniert {h}?", "Was ist {h}?", "Wie verwende ich {h}?", "Was muss ich über {h} wissen?"),
}
IN = {"en": "{q} (in {p})", "zh": "在 {p} 里，{q}", "de": "{q} (in {p})"}
PRODUCTS = (
    "PostgreSQL",
    "Kubernetes",
    "Redis",
    "Flask",
    "Rails",
    "Laravel",
    "Spring Boot",
    "Terraform",
    "MongoDB",
    "Kafka",
    "Docker",
    "nginx",
    "GitLab",
    "Grafana",
    "SQLAlchemy",
    "Elasticsearch",
    "FastAPI",
    "Vue",
    "React",
    "Ansible",
)
# What an entry of a reference may state: a pattern that shows that it does, and ways to ask for it.
ATTRIBUTES: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "default": (
        r"[Dd]efault",
        {
            "en": ("What is the default of {e}?", "What value does {e} have if I do not set it?"),
            "zh": ("{e} 的默认值是什么？", "不设置 {e} 时，它的值是多少？"),
            "de": ("Was ist der Standardwert von {e}?",),
        },
    ),
    "maximum": (
        r"[Mm]ax|limit|at most|[Uu]p to",
        {
            "en": ("What is the maximum of {e}?", "Is there a limit on {e}?"),
            "zh": ("{e} 的上限是多少？", "{e} 有什么限制？"),
            "de": ("Wie groß darf {e} höchstens sein?",),
        },
    ),
    "version": (
        r"version|[Nn]ew in|added in|versionadded|[Dd]eprecated|[Cc]hanged in",
        {
            "en": ("Since which version is there {e}?", "In which version was {e} added or changed?"),
            "zh": ("{e} 是从哪个版本开始支持的？",),
            "de": ("Ab welcher Version gibt es {e}?",),
        },
    ),
    "example": (
        r"::\n|>>>|[Ee]xample|code-block",
        {
            "en": ("Show me an example of {e}", "What does code with {e} look like?"),
            "zh": ("给一个 {e} 的例子", "{e} 的示例代码怎么写？"),
            "de": ("Zeige mir ein Beispiel für {e}",),
        },
    ),
    "price": (
        r"price|cost|fee|charge|\$",
        {
            "en": ("What does {e} cost?", "How much is charged for {e}?"),
            "zh": ("{e} 怎么收费？", "使用 {e} 要多少钱？"),
            "de": ("Was kostet {e}?",),
        },
    ),
    "error": (
        r"[Rr]aise|[Ee]rror|[Ee]xception|fail",
        {
            "en": ("Which error does {e} raise?", "What happens when {e} fails?"),
            "zh": ("{e} 会抛出什么错误？", "{e} 失败时会怎样？"),
            "de": ("Welchen Fehler löst {e} aus?",),
        },
    ),
    "delete": (
        r"delet|remov|drop|clear|uninstall",
        {
            "en": ("How do I delete {e}?", "How can {e} be removed?"),
            "zh": ("怎么删除 {e}？", "如何移除 {e}？"),
            "de": ("Wie lösche ich {e}?",),
        },
    ),
    "security": (
        r"secur|attack|vulnerab|trust|unsafe|malicious|XSS|CSRF",
        {
            "en": ("Is {e} a security risk?", "What are the security implications of {e}?"),
            "zh": ("{e} 有安全风险吗？",),
            "de": ("Ist {e} ein Sicherheitsrisiko?",),
        },
    ),
    "database": (
        r"Oracle|MySQL|SQLite|PostgreSQL|MariaDB",
        {
            "en": ("How does {e} behave on different databases?", "Which databases support {e}?"),
            "zh": ("哪些数据库支持 {e}？",),
            "de": ("Welche Datenbanken unterstützen {e}?",),
        },
    ),
}


@dataclass(frozen=True)
class Section:
    """What stands under one heading, before the next; `path` goes from the title to the heading."""

    title: str
    path: tuple[str, ...]
    text: str


def read(folder: Path) -> list[Section]:
    """Sections of all .txt and .rst files under the folder that have some text."""
    found = []
    for file in sorted((*folder.rglob("*.txt"), *folder.rglob("*.rst"))):
        if "releases" in file.parts or "internals" in file.parts:
            continue
        text = _ANCHOR.sub("", file.read_text("utf-8", "replace"))
        text = re.sub(r"^([=\-~^\"'*+#])\1{2,}[ ]*\n(?=[^\n]+\n\1{3,})", "", text, flags=re.MULTILINE)
        marks: list[str] = []
        path: list[str] = []
        heads = list(_UNDER.finditer(text))
        for i, head in enumerate(heads):
            if head.group(2) not in marks:
                marks.append(head.group(2))
            level = marks.index(head.group(2))
            path = [*path[:level], _plain(head.group(1))]
            body = text[head.end() : heads[i + 1].start() if i + 1 < len(heads) else len(text)]
            body = _plain(re.sub(r"\n{3,}", "\n\n", body)).strip()
            if len(body) >= 150:
                found.append(Section(path[0], tuple(path), body))
    return found


def _plain(text: str) -> str:
    return _ROLE.sub(r"\1", text).replace("``", "`")


def manual(
    sections: Sequence[Section], n: int, rng: random.Random
) -> Iterator[tuple[str, Section, float, str]]:
    """(question, section, label, kind): about `n` sections by their headings, and what entries state."""
    by_title: dict[str, list[Section]] = {}
    for section in sections:
        by_title.setdefault(section.title, []).append(section)
    for section in rng.sample(list(sections), min(n, len(sections))):
        heading = section.path[-1].strip("`")
        if len(heading) < 5 or heading.casefold() in (
            "introduction",
            "overview",
            "example",
            "examples",
            "usage",
            "notes",
        ):
            heading = f"{section.path[-2] if len(section.path) > 1 else section.title}: {heading}"
        lang = rng.choice(("en", "en", "zh", "zh", "de"))
        question = rng.choice(ABOUT[lang]).format(h=heading)
        named = "Django" in section.text or "Django" in section.title
        asked = IN[lang].format(q=question, p="Django") if named and rng.random() < 0.4 else question
        yield asked, section, 1.0, "manual heading"
        siblings = [s for s in by_title[section.title] if s is not section and heading not in s.text]
        if siblings:
            yield asked, rng.choice(siblings), 0.0, "manual sibling"
        product = rng.choice(PRODUCTS)
        if product.casefold() not in section.text.casefold() and rng.random() < 0.5:
            yield IN[lang].format(q=question, p=product), section, 0.0, "manual other product"
    entries = [s for s in sections if re.fullmatch(r"`[^`]+`", s.path[-1])]
    for section in rng.sample(entries, min(n, len(entries))):
        name = section.path[-1].strip("`").split("(")[0]
        stated = [a for a, (pattern, _) in ATTRIBUTES.items() if re.search(pattern, section.text[:420])]
        absent = [a for a, (pattern, _) in ATTRIBUTES.items() if not re.search(pattern, section.text)]
        for attributes, label in ((stated, 1.0), (absent, 0.0)):
            if attributes:
                attribute = rng.choice(attributes)
                lang = rng.choice(("en", "zh", "zh", "de"))
                question = rng.choice(ATTRIBUTES[attribute][1][lang]).format(e=name)
                yield question, section, label, "manual entry" if label else "manual entry, not stated"
                others = [s for s in by_title[section.title] if s in entries and name not in s.text]
                if label and others:
                    yield question, rng.choice(others), 0.0, "manual other entry"
