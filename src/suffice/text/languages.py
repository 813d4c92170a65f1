"""Which language a question is in: by script first, then by function words and letters."""

from __future__ import annotations

import re
from functools import lru_cache

from suffice.text.scripts import DROP_IGNORABLE, GRAM_RUN
from suffice.text.stopwords import JA_CUT, WORDS, ZH_CUT

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d]")),
    ("ko", re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")),
    ("zh", re.compile("[\u3105-\u312f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ru", re.compile("[\u0400-\u052f]")),
    ("ar", re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("te", re.compile("[\u0c00-\u0c7f]")),
    ("th", re.compile("[\u0e01-\u0e5b]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("hy", re.compile("[\u0531-\u058f]")),
    ("ka", re.compile("[\u10a0-\u10ff]")),
    ("am", re.compile("[\u1200-\u137f]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
    ("lo", re.compile("[\u0e81-\u0edf]")),
)
_WIDE = frozenset({"ja", "ko", "zh"})
_SAMPLE = 4000  # code points that are looked at: a language shows itself within a page
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_PERSIAN = re.compile("[پچژگکی]")
_LATIN_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:['’][^\W\d_]+)*(?![\d_])")
_LONG = re.compile(r"\S{60,}")  # no word; and the patterns below would walk it again from every letter
_CODE = re.compile(r"`[^`\n]*`|https?://\S+|\b\w*[_/.:@]\w[\w_/.:@-]*|--?\w[\w-]+")

# Letters and endings that speak for one language when function words are few. (weight, pattern)
_HINTS: dict[str, tuple[tuple[float, re.Pattern[str]], ...]] = {
    "de": (
        (2.0, re.compile("[äöüß]")),
        (0.7, re.compile(r"\w*(?:sch|cht|tz|pf|rung)\w*|\w{3,}(?:ens|ern)\b")),
        (1.0, re.compile(r"\w{4,}(?:ung|ungen|heit|keit|lich|ieren|schaft)\b")),
    ),
    "fr": (
        (2.0, re.compile(r"[œëïû]|\b(?:qu|l|j|n|c)['’]")),
        (1.0, re.compile("[èêàç]")),
        (0.6, re.compile(r"\w{4,}(?:ale|elle|eux|ité|és)\b")),
        (0.8, re.compile(r"\w{3,}(?:eaux|eur|euse|ement|ées?|ès)\b|-t-|est-ce|\w+-(?:je|vous|on|il)\b")),
    ),
    "es": (
        (3.0, re.compile("[¿¡ñ]")),
        (0.6, re.compile(r"\w{3,}(?:ado|ada|idos?|adas|itidos|aje|ez)\b|\w{3,}(?:atos)\b|\w{3,}gen\b")),
        (0.8, re.compile(r"[íáóú]|\w{3,}(?:ción|ciones|dades|miento)\b")),
    ),
    "pt": (
        (3.0, re.compile("[ãõ]")),
        (1.5, re.compile(r"ç|[âêô]|\w{3,}(?:ções|ção|dade|mento|agem)\b|\w+-(?:se|lo|la|me)\b")),
        (0.4, re.compile("[áéíóú]")),
        (1.0, re.compile(r"\b(?:o|os) [a-zà-ÿ]{3}|\w{3,}(?:eitos?|agens?|gem|inir)\b|\w*(?:nh|lh)[aeo]\w*")),
        (0.6, re.compile(r"\w{3,}(?:ado|ada|idos?)\b|\w{3,}atos\b")),
        (1.5, re.compile(r"\bo que\b|\A(?:os?|as) \w")),
    ),
    "it": (
        (1.0, re.compile(r"\b(?:d|l|s)['’](?=[aeiou])")),
        (1.5, re.compile(r"\b(?:dell|nell|all|sull|dall|un|cos|qual|dov|com)['’]|[ìò]|\bl['’]|è")),
        (
            0.8,
            re.compile(
                r"\w{3,}(?:zione|zioni|aggio|mente|ità|are|ere|ire|tti|tto|ati|ato|ini|imo|ezza)\b|\b\w*gli\w*\b"
            ),
        ),
    ),
    "nl": ((1.5, re.compile(r"\w*ij\w*|\w*(?:aa|oo|uu)[^aeiou\W]\w*")),),
    "en": (
        (0.5, re.compile(r"\w*(?:th|wh|sh|ck|gh|ee|oo|ow)\w*")),
        (0.5, re.compile(r"\w{4,}(?:ing|ed|tion|able|ness)\b")),
        (1.0, re.compile(r"\w+n['’]t\b")),
    ),
}
# Frequent in questions about anything, without being function words: a short question has few of those.
_TELLING = {
    "de": """bedeutet berechnet kosten kostenlos fehler größe unterschied löschen einrichten
        erstellen ändern auflisten abbrechen unterstützt speichern gespeichert maximale maximal
        grenze anzahl lange benutzen verwenden nutzen preis anleitung beispiel liste konto datei
        dateien schlüssel einstellungen""",
    "fr": """signifie différence erreur taille maximale supprimer créer lister limite limites gratuit
        gratuite compte fichier fichiers clé clés prix tarif exemple nombre utiliser changer
        configurer fonctionne sortie""",
    "es": """significa diferencia error tamaño máximo eliminar borrar crear listar límite límites
        gratuito gratis cuenta archivo archivos clave claves precio ejemplo número usar cambiar
        configurar funciona""",
    "pt": """significa diferença erro tamanho máximo excluir apagar criar listar limite limites
        gratuito conta arquivo arquivos chave chaves preço exemplo número usar mudar configurar
        funciona cobra taxas saída""",
    "it": """significa differenza errore dimensione massima massimo eliminare creare elencare limite
        limiti gratuito account file chiave chiavi prezzo esempio numero usare cambiare
        configurare funziona piano costi""",
    "en": """error limit limits size maximum difference delete create list free price example number
        use change means file files key keys account backup retention support supported""",
}
_KNOWN: dict[str, dict[str, float]] = {}  # word -> language -> weight
for _code, _words in WORDS.items():
    for _word in _words:
        _KNOWN.setdefault(_word, {})[_code] = 2.0
for _code, _lines in _TELLING.items():
    for _word in _lines.split():
        _KNOWN.setdefault(_word, {}).setdefault(_code, 1.5)


def language(text: str) -> str:
    """ISO 639-1 code; `en` when in doubt between Latin languages, `und` where there are no letters.

    A question in Chinese, Japanese or Korean stays so however many Latin names stand in it; other scripts
    must hold a third of the letters.
    """
    return _of_sample(text[:_SAMPLE])


@lru_cache(maxsize=2048)  # the same passages and headings are asked about again and again within one question
def _of_sample(text: str) -> str:
    sample = DROP_IGNORABLE.sub("", text)
    counts = {code: len(pattern.findall(sample)) for code, pattern in _SCRIPTS}
    n_letters = sum(c.isalpha() for c in sample)
    if not n_letters and not any(counts.values()):
        return "und"
    n_wide = sum(counts[code] for code in _WIDE)
    n_latin_words = len(_LATIN_WORD.findall(GRAM_RUN.sub(" ", sample)))
    # A Han character is about half a word: "KV 是什么" is Chinese, "what does 密钥 mean" is English.
    if n_wide and n_wide >= 0.6 * max(0, _n_function_words(sample) * 2.5) and n_wide * 8 >= n_latin_words:
        return _wide(counts, n_wide)
    best = max((code for code, _ in _SCRIPTS if code not in _WIDE), key=lambda code: counts[code])
    if counts[best] * 3 >= n_letters:
        return _within_script(best, sample)
    return _latin(sample)


def _wide(counts: dict[str, int], n_wide: int) -> str:
    if counts["ko"] * 2 >= n_wide:
        return "ko"
    # Kana, even a few among Han, is Japanese; one sign in a long Chinese text is a quotation.
    return "ja" if counts["ja"] * 12 >= n_wide else "zh"


def _within_script(code: str, sample: str) -> str:
    if code == "ru" and _UKRAINIAN.search(sample):
        return "uk"
    if code == "ar" and len(_PERSIAN.findall(sample)) >= 2:
        return "fa"
    return code


def _n_function_words(sample: str) -> int:
    """English function words; Latin words of a Chinese question are names and rarely these."""
    return sum(word.casefold() in WORDS["en"] for word in _LATIN_WORD.findall(GRAM_RUN.sub(" ", sample)))


def _latin(sample: str) -> str:
    prose = _CODE.sub(" ", _LONG.sub(" ", sample))
    words = [word.casefold().replace("’", "'") for word in _LATIN_WORD.findall(prose)]
    lowered = " ".join(words) + " " + "".join(c for c in prose if c in "¿¡")
    joined = prose.casefold()
    scores: dict[str, float] = dict.fromkeys(WORDS, 0.0)
    for word in words:
        for part in {word, *word.split("'")}:
            known = _KNOWN.get(part, {})
            for code, weight in known.items():
                # A word that belongs to one language alone says more than one that several share.
                scores[code] += weight / max(1, len(known))
    for code, hints in _HINTS.items():
        for weight, pattern in hints:
            scores[code] += weight * min(
                3, len(pattern.findall(joined if "-" in pattern.pattern else lowered))
            )
    best = max(scores, key=lambda code: (scores[code], code == "en"))
    if scores[best] - scores["en"] < 0.75 or scores[best] < 1.0:
        return "en"
    return best


def content_words(text: str, language: str) -> list[str]:
    """Words that carry meaning, case-folded, in order, repeats kept.

    Stop words of the language and of English are dropped. Chinese is cut at its function words, Japanese at
    hiragana as well; what is left between the cuts is a word, however long.
    """
    english = WORDS["en"] if language in {"en", "zh", "ja", "ko"} else frozenset()
    stop = WORDS.get(language, frozenset()) | english
    found: list[str] = []
    last = 0
    for run in GRAM_RUN.finditer(text):
        found.extend(_latin_content(text[last : run.start()], stop))
        found.extend(_run_content(DROP_IGNORABLE.sub("", run.group()), language))
        last = run.end()
    found.extend(_latin_content(text[last:], stop))
    return found


_CONTENT = re.compile(r"[^\W_]+(?:[_\-.:/@'’][^\W_]+)*")
_HIRAGANA = re.compile("[\u3041-\u3096]+")
_ELISION = re.compile(r"(?:l|d|j|n|s|c|m|t|qu|dell|nell|all|sull|dall|un)['’](?=\w)")
_CLITIC = re.compile(r"['’](?:s|ll|re|ve|d|m)\Z")


def _latin_content(text: str, stop: frozenset[str]) -> list[str]:
    found = []
    for token in _CONTENT.findall(text):
        word = token.casefold().replace("’", "'")
        if word in stop:
            continue
        word = _CLITIC.sub("", _ELISION.sub("", word, count=1) if word[:1] != "'" else word)
        if word and word not in stop and not (len(word) == 1 and word.isascii() and word.isalpha()):
            found.append(word)
    return found


def _run_content(run: str, language: str) -> list[str]:
    if language == "ja":
        pieces = [piece for cut in JA_CUT.split(run) for piece in _HIRAGANA.split(cut)]
    elif language == "zh":
        pieces = ZH_CUT.split(run)
    else:
        pieces = [run]
    return [piece for piece in pieces if piece]
