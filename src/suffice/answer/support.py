"""What a claim in a writer's own words may not add to its quotes: numbers, names, "not", "all" and "only".

This finds overclaims, it proves nothing: a number can stand in the quote and belong to another column. A
changed word costs a claim that would have been right more often than it lets a wrong one through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from suffice.text import Identifier, Quantity, fold, identifiers, numbers

_LIST_NUMBER = re.compile(r"^[ \t]*\d{1,2}[.)、][ \t]+", re.MULTILINE)
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)+\Z")
_RANGE = re.compile(r"\s*(?:[-‐-―~〜至到]|to|bis|and|und|à|a|y)\s*\Z")
_DATE_MARK = re.compile(r"[年月日]\Z")
_FIGURES = re.compile(r"[-−+]?\d[\d.,'’\u00a0\u2009\u202f ]*(?<=\d)")

_WORDS: dict[str, int] = {}
for _row in (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
):
    _WORDS |= {word: n for n, word in enumerate(_row.split())}
_WORDS |= {
    "eine": 1,
    "einen": 1,
    "einer": 1,
    "une": 1,
    "una": 1,
    "once": 1,
    "twice": 2,
    "both": 2,
}
_WORDS |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
_ARTICLES = frozenset({"ein", "eine", "einen", "einer", "un", "une", "una", "uno"})  # 1 before a unit alone
_MONTHS = {
    name: n
    for row in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for n, name in enumerate(row.split(), 1)
}
_A_WORD = re.compile(r"[^\W\d_]+")

_NOT = re.compile(
    r"\b(?:not|never|cannot|none|nor|neither|nothing|nobody|without|nichts?|rien|nada|niente|nie|niemals|kein\w{0,2}|ohne|pas|jamais"
    r"|aucune?|sans|nunca|jamás|sin|ningún\w*|não|nem|sem|non|mai|senza|nessun\w*|niet|geen|nooit)\b|n['’]t\b"
    r"|\bno\b(?! (?:more|less|later|longer|fewer) than)"
    r"|不(?!仅|但|过|断|同|久|错|妨|管|论|少|超过|少于|多于|大于|小于|低于|高于|晚于|早于|得超过)"
    r"|没(?!收)|未(?!来)|无(?!论|线|数|限)|(?<![除是])非(?!常|洲)|勿|(?<![分级类特区个性差辨识])别(?!的|人|名)|禁止|严禁"
    r"|(?<!しれ)ません(?!か)|(?<![少危しな])ない(?!で)|なかっ|(?<!ま)せず|できず",
    re.IGNORECASE,
)
_MUST_JA = re.compile(r"なければ(?:なりません|ならない|いけない|いけません)|かもしれ(?:ない|ません)")
_NEGATIVE = re.compile(
    r"\b(?:only|unless|except\w*|unable|fail\w*|lack\w*|missing|absent|den(?:y|ies|ied)|prohibit\w*|forbid\w*"
    r"|disable\w*|reject\w*|refus\w*|impossible|instead|rather than|unsupported|deprecated|removed|ignored?"
    r"|exclud\w*|avoid|stop\w*|drop\w*|false|optional|free|at most|up to|max\w*|limit\w*|less than|fewer|non"
    r"|nur|außer|unmöglich|verboten|höchstens|sauf|interdit\w*|impossible|solo|salvo|excepto|prohibid\w*)\b"
    r"|\b(?:un|in|im|dis|non-)[a-z]{4,}|\b0\b"
    r"|[不没未无非勿禁仅只]|最多|以内|除|ない|ません|ず|のみ|だけ|しか|禁止",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?()，。；：！？（）\n]|\b(?:because|since|but|and|or|if|when|while|unless|so|then|that|which|although|aber"
    r"|und|oder|weil|wenn|dass|mais|et|ou|si|car|que|pero|y|o|porque)\b",
    re.IGNORECASE,
)
_UNIVERSAL = (
    (
        "all",
        re.compile(
            r"(?<!at )(?<!above )\ball\b(?! right\b)|\b(?:every|always|everyone|everything|everybody"
            r"|alle[rnms]?|sämtliche\w*|immer|stets|tous|toutes|toujours|todos|todas|siempre)\b"
            r"|所有|全部|一切|任何|总是|始终|永远|一律|すべて|全て|あらゆる|いつも|常に",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:all|every\w*|each|any\w*|always|entire\w*|whole|both|throughout|regardless|whatever|whenever"
            r"|never|none|no|alle\w?|jede\w?|sämtliche\w*|immer|stets|kein\w*|tous|tout\w*|chaque|toujours"
            r"|tod[oa]s?|cada|siempre|cualquier\w*)\b"
            r"|所有|全|一切|任何|总|始终|永远|一律|每|各|均|都|皆|すべて|全て|あらゆる|いつも|常に|各|毎|どの",
            re.IGNORECASE,
        ),
    ),
    (
        "only",
        re.compile(
            r"\b(?:(?<!-)only|solely|exclusively|nur|ausschließlich|lediglich|seulement|uniquement|exclusivement|sólo"
            r"|solamente|únicamente)\b|仅(?!仅?是)|只(?=有|能|会|在|可|允许|支持|适用)|唯一|のみ|だけ(?!で)",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:only|solely|sole|exclusively|just|merely|must|unless|except\w*|required?|requires|alone|limited"
            r"|restricted|single|no other|nur|allein\w*|ausschließlich|lediglich|außer|muss|seul\w*"
            r"|uniquement|sauf|exclusiv\w*|s[oó]l[oa]\w*|únic\w*|salvo)\b|仅|只|唯|除|必须|须|限|のみ|だけ|しか|限",
            re.IGNORECASE,
        ),
    ),
)


def unsupported(
    claim: str, quotes: Sequence[str], places: Sequence[str] = (), question: str = ""
) -> str | None:
    """What the claim says that its quotes do not, or None.

    `places` are titles and headings above the quotes: names may stand there. An abbreviation may also come
    from the question.
    """
    said = _LIST_NUMBER.sub("", claim)
    quoted = "\n".join(quotes)
    amounts = numbers(said)
    taken = [one.span for one in amounts]
    named = [
        one for one in identifiers(said) if not any(a <= one.span[0] and one.span[1] <= b for a, b in taken)
    ]
    for one in named:
        if not _stands(one, said, quoted, places, question):
            return f"{one.text!r} does not stand in its quotes"
    allowed = list(_quantities(quoted))
    for quantity in amounts:
        inside = any(one.span[0] <= quantity.span[0] and quantity.span[1] <= one.span[1] for one in named)
        if not inside and not _has(allowed, quantity, quoted):
            return f"the number {quantity.text.strip()!r} does not stand in its quotes"
    return _polarity(said, quotes) or _universal(said, quoted)


def _stands(one: Identifier, claim: str, quoted: str, places: Sequence[str], question: str) -> bool:
    name = one.text
    start = one.span[0]
    is_code = start > 0 and claim[start - 1] == "`"
    if not is_code and (_PLAIN_WORD.match(name) or _is_amount(name)):
        return True
    letters = name.isalpha() and not is_code
    where = [quoted, *places, *([question] if letters and name.isupper() else ())]
    return any(_in(name, text, fold_case=letters) for text in where)


def _in(name: str, text: str, *, fold_case: bool) -> bool:
    wanted, held = fold(name).text, fold(text).text
    pattern = rf"(?<![A-Za-z0-9_]){re.escape(wanted)}(?![A-Za-z0-9_])"
    return bool(re.search(pattern, held, re.IGNORECASE if fold_case else 0))


def _is_amount(text: str) -> bool:
    found = numbers(text)
    return bool(found) and found[0].span == (0, len(text))


def _quantities(text: str) -> Iterator[Quantity]:
    """The text's quantities; the lower end of a range also with the unit that stands at the upper one."""
    found = numbers(text)
    yield from found
    for one, other in pairwise(found):
        if not one.unit and other.unit and _RANGE.fullmatch(text[one.span[1] : other.span[0]]):
            unit = _FIGURES.sub("", other.text, count=1)
            yield from numbers(one.text + unit)
    for match in _A_WORD.finditer(text):
        word = match.group().casefold()
        value = _WORDS.get(word)
        if value is not None:
            if word not in _ARTICLES:
                yield Quantity(match.group(), match.span(), Decimal(value), "")
            rest = text[match.end() : match.end() + 20]
            yield from (q for q in numbers(f"{value}{rest}")[:1] if q.unit)


def _has(allowed: Sequence[Quantity], wanted: Quantity, quoted: str) -> bool:
    if any(wanted.same(one) for one in allowed):
        return True
    if not _DATE_MARK.search(wanted.text):
        return False
    # 2031年8月1日 and "1 August 2031" write the same figures; units of time are not meant
    figure = _figure(wanted.text)
    if figure is None:
        return False
    months = wanted.text.endswith("月")
    return any(_figure(one.text) == figure for one in allowed) or (
        months and any(_MONTHS.get(word.casefold()) == figure for word in _A_WORD.findall(quoted))
    )


def _figure(text: str) -> Decimal | None:
    match = _FIGURES.search(text)
    found = numbers(match.group()) if match else []
    return found[0].value if found else None


def _polarity(claim: str, quotes: Sequence[str]) -> str | None:
    said = _MUST_JA.sub("", claim)
    if _NOT.search(said):
        if not any(_NEGATIVE.search(quote) or _NOT.search(quote) for quote in quotes):
            return 'it says "not", and its quotes do not'
    elif not _NEGATIVE.search(said) and quotes and all(_denies(quote) for quote in quotes):
        return 'its quotes say "not", and it does not'
    return None


def _denies(quote: str) -> bool:
    """Whether every clause of the quote is negated: then nothing in it is affirmed."""
    clauses = [clause for clause in _CLAUSE.split(_MUST_JA.sub("", quote)) if len(clause.strip()) > 3]
    return bool(clauses) and all(_NOT.search(clause) for clause in clauses)


def _universal(claim: str, quoted: str) -> str | None:
    for word, strong, weak in _UNIVERSAL:
        if strong.search(claim) and not weak.search(quoted):
            return f'it says "{word}", and its quotes do not'
    return None
