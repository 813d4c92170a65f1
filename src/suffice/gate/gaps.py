"""Fills the gap of an elliptical clause from the clause before it, in the words that were typed.

"At what temperature do I bake rolls, and for how long?" -> "For how long do I bake rolls?". A name or
a keyword in front of "for how long" would not be a question that anybody asks.
"""

from __future__ import annotations

import re
from re import Match

# A question phrase: all of an elliptical clause, and the part of the full clause whose place it takes.
_WH = {
    "en": r"(?:(?:at|for|from|in|on|to|by|with|until|since|into) )?(?:how (?:long|often|much"
    r"|many times|far|soon|late)"
    r"|when|where|why|how|(?:what|which)(?: (?!about|is|are|do|does|did|can|should)\w+){0,2})",
    "de": r"(?:(?:ab|bis|seit|an|auf|aus|bei|durch|für|in|mit|um|von|zu) )?(?:wie (?:lange|oft|viel"
    r"|weit|hoch|heiß)|wann|wo"
    r"|warum|wie|welche[rsnm]?(?: [A-ZÄÖÜ]\w+)?)",
    "fr": r"(?:(?:à|de|dans|pour|par|avec|sur|depuis|pendant) )?(?:combien de (?:temps|fois)|quand"
    r"|où|pourquoi|comment"
    r"|combien|quel(?:le)?s? \w+)",
    "es": r"(?:(?:a|de|en|para|por|con|desde|hasta|durante) )?(?:cuánto tiempo|cuántas veces|cuándo"
    r"|dónde|por qué|cómo"
    r"|cuánto|qué \w+)",
}
_VERB = {  # what must follow the phrase in the full clause
    "en": r"(?:do|does|did|can|could|should|would|will|must|may|is|are|was|were)\b",
    "de": r"\w+\s+(?:ich|man|wir|sie|Sie|der|die|das|den|ein\w*|mein\w*|es)\b|(?:muss|kann|darf"
    r"|soll|wird|werden)\b",
    "fr": r"(?:faut-il|peut-on|dois-je|puis-je|doit-on|est-ce que?|est|sont)\b",
    "es": r"(?:se\s+)?\w+",
}
_FRAGMENT = {
    "en": r"(?:and|but)\s+(?P<f>(?:in|on|at|for|with|from|under|during|after|before|without)\s+.+)",
    "de": r"(?:und|aber)\s+(?P<f>(?:in|im|am|auf|bei|beim|für|mit|ohne|nach|vor|während)\s+.+)",
    "fr": r"et\s+(?P<f>(?:en|dans|pour|avec|sans|sur|chez|pendant|après|avant)\s+.+)",
    "es": r"y\s+(?P<f>(?:en|para|con|sin|sobre|durante|después|antes)\s+.+)",
}
_ENDS = " \t\r\n¿?？.!"


def filled(text: str, first: str, language: str) -> str:
    """The elliptical clause as a whole question, or "" where it has no gap or the first clause no slot."""
    phrase, verb = _WH.get(language), _VERB.get(language)
    if phrase is None or verb is None:
        return ""
    own = re.sub(r"^[¿\s]*(?:(?:and|und|et|y)\s+)?[¿\s]*", "", text.rstrip(_ENDS), flags=re.IGNORECASE)
    mark = "¿" if language == "es" else ""
    end = " ?" if language == "fr" else "?"
    if language == "en" and re.fullmatch(r"(?:what|how) about (?:[\w'-]+ ?){1,4}", own, re.IGNORECASE):
        return f"{_capital(own)} ({_plain(first)[:1].lower()}{_plain(first)[1:]})?"
    if re.fullmatch(phrase, own, re.IGNORECASE):
        slot = re.match(
            rf"(?P<wh>{phrase})\s+(?P<rest>(?:{verb}).*)$", _plain(first), re.IGNORECASE | re.DOTALL
        )
        return f"{mark}{_capital(own)} {slot['rest']}{end}" if slot and _whole(slot) else ""
    fragment = re.fullmatch(_FRAGMENT[language], text.strip(_ENDS), re.IGNORECASE | re.DOTALL)
    if fragment is None or len(fragment["f"].split()) > 5:
        return ""
    if re.search(rf"\b{phrase}\b", fragment["f"], re.IGNORECASE):
        return ""
    return f"{mark}{_capital(_plain(first))} {fragment['f']}{end}"


def _whole(slot: Match[str]) -> bool:
    return len(slot["rest"].split()) >= 2 or "-" in slot["rest"]


def _plain(text: str) -> str:
    return text.strip(_ENDS + ",;")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
