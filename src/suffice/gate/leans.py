"""Whether a clause leans on the one before it: it points back, or it has no noun of its own.

Only such a clause borrows words. A clause that is complete and gets the topic glued in front asks for
something that nobody asked, and a judge is right to say that the evidence does not hold it.
"""

from __future__ import annotations

import re
from functools import cache
from re import Pattern

from suffice.text import content_words

_POINTS: dict[str, str] = {
    # Not the "it" of "is it possible to", nor the "there" of "is there a bar".
    "en": r"\b(?:it(?! (?:possible|allowed|ok|okay|safe|necessary|permitted|legal|better|cheaper|true)\b)"
    r"(?! take to\b)|its|they|them|their|theirs|this|these|those|he|she|his|her|him)\b|\bones?\b(?=\W*$"
    r"|\s+(?:with|in|to|at|for|on|from|by|of)\b)|\bthat\b(?=\W*$|\s+(?:is|are|work|cost|take|happen"
    r"|apply|mean)\b)"
    r"|\b(?:does|do|did|will|would|about|for|with|of|in|to|after|before|like)\s+that\b|(?<!is )(?<!are )"
    r"\bthere(?=\W*$)",
    # Case matters: "Sie" is "you". Not the "es" of "gibt es", nor the article "das".
    "de": r"(?<!gibt )(?<!geht )\bes\b(?! (?:möglich|erlaubt|nötig|gestattet|sich)\b)(?! gibt\b)"
    r"|\b(?:er|sie|ihn|ihm"
    r"|ihr|ihre[rnms]?|diese[rsnm]?|seine[rnms]?|davon|dazu|damit|dabei|dafür|danach|darauf|darin)\b"
    r"|\bdas\b(?!\s+(?:\w+\s+){0,2}[A-ZÄÖÜ])",
    "fr": r"\b(?:elles?|ils|eux|lui|leurs?|cela|ça|celles?|celui|ceux|son|sa|ses|cet|cette|ces)\b"
    r"|(?<!a-t-)(?<!faut-)(?<!existe-t-)(?<!est-ce qu['’])(?<!qu['’])\bil\b(?! (?:faut|y a"
    r"|est possible)\b)(?! possible)"
    r"|(?:-je|-on|-nous|-vous|-il|comment|peut|dois|puis)\s+(?:le|la|les|l['’]|en|y)\s*\w+(?:er|ir|re|oir)\b",
    "es": r"\b(?:él|ella|ellos|ellas|ello|esto|eso|estos?|estas?|sus?)\b|\w[aei]rl[oa]s?\b"
    r"|\b(?:lo|la|los|las)\s+(?:puedo|puede|debo|debe|tengo|hago|pago|devuelvo|renuevo|uso)\b",
    "zh": r"它|他们|她|其(?![他它中实余次])|[这那](?:个|些|种|样|里|边)|(?<![应不])该(?![怎如不])",
    "ja": r"それ(?!ぞれ|と|では)|これ(?!から)|(?<![でがはもに])あれ(?!ば)|その|この|そこ|ここ",
}
# Words that hold no topic: what remains of a question when its noun is left out.
_EMPTY: dict[str, str] = {
    "en": "cost costs take takes last lasts happen happens work works mean means open opens close"
    " closes start starts"
    " end ends go goes apply applies pay paid pays late early long far fast often large big high"
    " soon need needed"
    " necessary possible allowed required available free total maximum most least time times day"
    " days hour hours"
    " minutes week weeks month months year years per exactly then else afterwards instead also too"
    " please so not yes",
    "de": "lange oft viel viele hoch groß dauert kostet kosten geht gilt möglich erlaubt nötig dann"
    " danach maximal"
    " mindestens genau online tage stunden",
    "fr": "coûte coûtent dure durent prend temps long longtemps possible gratuit fois jour jours"
    " heure heures mois an"
    " ans payer faire aller ouvre ferme marche commence ensuite alors maximum",
    "es": "cuesta cuestan dura duran tarda tiempo veces vez día días hora horas mes meses año años"
    " pagar hacer abre"
    " cierra empieza funciona después entonces máximo posible gratis",
}
_VERBS: dict[str, str] = {  # a question word with its verb and pronoun subject: no noun in there
    "en": r"\b(?:do|does|did|can|could|should|would|will|must|may|might)\s+(?:i|we|you|one|they|it)\s+"
    r"(?:\w+ly\s+|also\s+)?[\w'-]+|\bwho\s+\w+|\bhow\s+to\s+\w+",
    "fr": r"y a-t-il|est-ce qu(?:e|['’])\s*(?:il y a)?|avez-vous|existe-t-il|\b(?:puis-je|peut-on"
    r"|dois-je|doit-on|faut-il)"
    r"\s+\w+|\b(?:comment|quand|où|combien(?! d))\s+(?:\w+er|\w+ir|\w+re|\w+-(?:je|on|vous|nous))\b",
    "es": r"\b(?:cómo|cuándo|dónde|cuánto|por qué)\s+(?:se\s+)?\w+|\b(?:puedo|puede|debo|debe"
    r"|hay que|tengo que)\s+\w+",
}
_ZH_EMPTY = re.compile(
    r"(?:怎么样|怎么|怎样|如何|咋)(?:[再又才去]|给|用)?[\u4e00-\u9fff]{0,2}"
    r"|(?:能不能|可不可以|要不要|是否|可否|能否|可以|多久能|能|会不会|会)[\u4e00-\u9fff]{1,2}"
    r"|什么时候|多[久大长高远少快]|多少[钱次天个]?|什么|哪[里儿个些]?|几[\u4e00-\u9fff]?|为什么|为何|是否|有没有|[吗呢么]"
    r"|超出|超过|超额|用完|到期|过期|逾期|之后|以后|之前|以后|后|前|时候|大概|大约|一般|通常|最多|最少|至少|每?一?[天日月年周次]|每"
    r"|计费|收费|算钱|费用怎么|开始|结束|需要|必须|应该|应当|[的了是要得还再也都就有和与能会可以在被把给又]"
)
_JA_NOUN = re.compile(
    r"[\u4e00-\u9fff々ァ-ヴーA-Za-z0-9]+(?:[はがをもの]|について|に(?!すれ|し|な)|で(?!き|す))"
    r"|[\u4e00-\u9fff々ァ-ヴー]{2,}(?!可能|[しすさでられ可はい])"
)
_JA_EMPTY = re.compile(
    r"何[人日時回円分個本枚台年月週名歳]*|いくら|いくつ|最大|最長|どの(?:くらい|ぐらい)|[\u4e00-\u9fff]+可能"
)
_GERMAN_NOUN = re.compile(
    r"(?<=[\w,] )(?!(?:Sie|Ihnen|Ihr\w*|Uhr|Tage?n?|Jahre?n?|Euro|Mal|Stunden?)\b)[A-ZÄÖÜ][\w-]+"
)
_SUBORDINATOR = re.compile(
    r"\b(?:if|when|because|while|after|before|until|unless|wenn|falls|weil|nachdem|bevor|si"
    r"|quand|lorsqu\w*|cuando|porque|who|which)\b",
    re.IGNORECASE,
)
_NEW_TOPIC = re.compile(
    r"^(?:(?:and also|also|and|besides|furthermore|und außerdem|und auch|außerdem|und|et aussi|et"
    r"|aussi|de plus"
    r"|por otra parte|además|y también|y(?! a\b))\b,?\s+(?=\S)|(?:另外|此外|还有|并且)[，,]?\s*|(?:同时|而且"
    r"|然后)[，,]\s*"
    r"|(?:また|それと|あと|そして|それから|なお)[、,]\s*)",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"^(?:and also|also|besides|furthermore|außerdem|de plus|además|por otra parte|另外|此外|また|なお)",
    re.IGNORECASE,
)


@cache
def _points(language: str) -> Pattern[str]:
    return re.compile(_POINTS.get(language, _POINTS["en"]), 0 if language == "de" else re.IGNORECASE)


def bare(text: str) -> str:
    """The clause without the connector that joined it to the one before ("and", "另外", "また、")."""
    return _NEW_TOPIC.sub("", text.strip(), count=1)


def turns(text: str) -> bool:
    """Whether the clause says that it turns to another matter ("also", "另外", "また")."""
    return _BREAK.search(text.strip()) is not None


def leans(text: str, language: str, whole: str) -> bool:
    """Whether the clause needs words of the clause before it; `whole` is the question that it stands in."""
    found = _points(language).search(text)
    if found is not None:
        before = text[: found.start()]
        if language == "fr" and before.endswith("-") and has_noun(before, language, whole):
            return False  # "les chiens sont-ils admis": the noun stands before its verb
        # "What does a permit cost when it has expired": its own noun is what "it" stands for.
        return not (_SUBORDINATOR.search(before) and has_noun(before, language, whole))
    return not has_noun(text, language, whole)


def has_noun(text: str, language: str, whole: str) -> bool:
    """Whether a word of the clause says what it is about, beside question words and empty verbs."""
    if language == "zh":
        if re.match(
            r"[^\W它他她其这那还也都就能可要会多怎如什哪几是有在再又最一每](?=能不能|可以|要不要|会不会|怎么)",
            text,
        ):
            return True  # "狗能不能进": a noun of one character
        rest = _ZH_EMPTY.sub(" ", text)
        return re.search(r"[\u4e00-\u9fff]{2,}|[A-Za-z]{2,}", rest) is not None
    if language == "ja":
        return _JA_NOUN.search(_JA_EMPTY.sub(" ", text)) is not None
    if language == "de" and _GERMAN_NOUN.search(whole):
        return _GERMAN_NOUN.search(text) is not None
    verbs = _VERBS.get(language)
    rest = re.sub(verbs, " ", text, flags=re.IGNORECASE) if verbs else text
    empty = set(_EMPTY.get(language, _EMPTY["en"]).split())
    held = [word for word in content_words(rest, language) if word not in empty and not word.isnumeric()]
    return len(held) > (1 if language == "de" else 0)
