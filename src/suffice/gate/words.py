"""The words by which a question shows its parts, per language: tables only, no logic.

`head` starts a question clause after a connector; `asks` is found anywhere in a clause that asks;
`requests` makes a sentence without a question mark ask all the same; `each` says that what is asked
is asked of every item of a list; `compares` says that two things are asked about together; `tails`
are yes/no tails that ask nothing new; `indirect` opens a sentence whose clauses are all asked by it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from re import Pattern


def _re(pattern: str) -> Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Words:
    """The tables of one language; `spaced` is False where words are not set apart by spaces."""

    spaced: bool
    conjunction: str  # "and" between clauses and between list items, as a pattern
    head: Pattern[str]
    bare_head: Pattern[str]  # heads that are safe after a comma alone
    adverbial: Pattern[str]  # heads that may also start a subordinate clause ("when it rains")
    asks: Pattern[str]
    requests: Pattern[str]
    each: Pattern[str]
    compares: Pattern[str]
    tails: Pattern[str]
    pair_word: str  # question words that can be coordinated ("how and why")
    boundary: Pattern[str]  # words that cannot belong to a list item: the list starts after the last one
    subject: Pattern[str] = _NOTHING  # pronoun subjects: the verb follows (en) or stood before (de, fr, es)
    elided: Pattern[str] = _NOTHING  # how-openings that a later verb phrase can share
    listing: Pattern[str] = _NOTHING  # a request whose object is a list ("A, B, C を知りたい")
    indirect: Pattern[str] = _NOTHING  # "I would like to know": every clause after it is an object of it
    telling: Pattern[str] = _NOTHING  # a request before its objects ("请介绍 A 以及 B")
    location: str = ""  # prepositions whose repetition coordinates ("from A and from B")

    @property
    def pairs_at_end(self) -> Pattern[str]:
        """A question word with nothing after it."""
        return _re(rf"(?:^|[\s,，、¿])(?:{self.pair_word})$")


_EN_AUX = (
    r"is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|may|am|isn't|aren't"
    r"|don't|doesn't|can't"
)
_EN_SUBJECT = (
    r"(?:i|we|you|it|they|he|she|there|this|that|these|those|the|a|an|my|our|your|its|their|any|all"
    r"|some|one)"
)
_EN_PREP = r"(?:(?:at|for|from|in|on|to|by|with|under|after|until|since|into|of|through)\s+)?"

EN = Words(
    spaced=True,
    conjunction=r"and(?: also)?|as well as|plus",
    head=_re(
        rf"(?:if (?:so|not|yes),?\s+)?(?:{_EN_PREP}(?:how|what|which|whose|whom|why)\b|(?:who|where"
        rf"|when|whether)\b"
        rf"|(?:{_EN_AUX})\s+{_EN_SUBJECT}\b|(?:do|are|may|can)\s+(?:children|people|\w+s)\s+\w)"
    ),
    bare_head=_re(
        rf"{_EN_PREP}(?:how|what|why)\b|(?:where|when|which \w+)\s+(?:{_EN_AUX})\b"
        r"|(?:do|does|did|can|could|should|will)\s+(?:i|we|you|it|they|the|my)\b"
        r"|(?:is|are)\s+(?:there|it|they|the|my|your)\b"
    ),
    adverbial=_re(r"(?:when|where|who|whether)\b"),
    asks=_re(
        rf"\b(?:how|what|which|whose|whom|who|why)\b|\b(?:where|when)\s+(?:{_EN_AUX}|to)\b|^(?:{_EN_AUX})\b"
        r"|\b(?:know|ask|tell me|explain|wonder\w*|say|see|find out) (?:when|where|whether|if)\b"
    ),
    requests=_re(
        r"\b(?:tell me|show me|explain|describe|list|give me|help me|let me know|compare|summari[sz]e"
        r"|i (?:need|want|would like|'d like) to know|i wonder|i'm wondering|i am wondering)\b"
        r"|^(?:please\s+)?(?:how|what|why|where|when|which|who)\b"
    ),
    each=_re(r"\b(?:each(?: of)?|respectively|separately|individually|in turn)\b"),
    compares=_re(
        r"\b(?:differences?|differ\w*|distinctions?|distinguish\w*|compare\w*|comparison|versus|vs"
        r"|between|similarit\w+|trade-?offs?)\b"
    ),
    tails=_re(
        r"[,;]?\s*\b(?:right|ok|okay|correct|yes|no|is that (?:right|correct|ok|okay|possible|so|true)"
        r"|isn't it|doesn't it|aren't they|don't they|please|thanks|thank you|and if so|or not"
        r"|is it possible|any ideas?)\s*[?.!]*$"
    ),
    pair_word=r"how(?: (?:much|many|often|long|far|fast|soon|big|large))?|why|when|where|who|what",
    boundary=_re(
        rf"(?:{_EN_AUX}|at|for|from|in|on|to|by|with|under|after|of|into|through|about|between|over"
        rf"|how|what|why|when|where|which|be|using|via)"
    ),
    subject=_re(r"(?:i|we|you|one|they)"),
    elided=_re(r"^(?:.*?\b)?how (?:(?:do|does|can|could|should|would) (?:i|we|you|one|they)|to)\b"),
    indirect=_re(
        r"(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:tell me|explain|let me know"
        r"|i (?:want|need|would like"
        r"|'d like) to know|i'd like to know|i wonder)\b,?\s*"
    ),
    location=r"from|for|in|on|with|under|at|by|against",
)

_DE_AUX = (
    r"kann|können|könnte|muss|müssen|ist|sind|war|waren|gibt|darf|dürfen|soll|sollen|sollte|hat"
    r"|haben|wird|werden|lässt|lassen|braucht|brauche|kostet|kosten|funktioniert|geht|muß"
)
_DE_PREP = r"(?:(?:ab|bis|seit|an|auf|aus|bei|durch|für|in|mit|nach|über|um|unter|von|vor|zu|zwischen)\s+)?"
_DE_WH = (
    r"(?:wie|was|welche[rsnm]?|wer|wem|wen|wessen|wann|wo|woher|wohin|wodurch|womit|wofür|wovon"
    r"|wonach|wobei|wogegen|wor(?:auf|über|an|in|aus|um|unter)|warum|weshalb|wieso|wieviele?)"
)


def _de() -> Words:
    return Words(
        spaced=True,
        conjunction=r"und(?: auch)?|sowie",
        head=_re(
            rf"(?:falls ja,?\s+|wenn ja,?\s+)?(?:{_DE_PREP}{_DE_WH}\b|ob\b|(?:{_DE_AUX})\s+(?:es|ich"
            rf"|man|der|die|das|den|dies\w*|ein\w*|sie|er|wir|mein\w*)\b"
            rf"|(?:{_DE_AUX})\s+(?-i:[A-ZÄÖÜ])\w+)"
        ),
        bare_head=_re(
            rf"gibt es\b|{_DE_PREP}wie (?:lange|oft|viele?|hoch|groß|weit|schnell|teuer|alt)\b"
            rf"|{_DE_PREP}(?:wie"
            rf"|warum|weshalb|wieso|wann|wo|wer|wohin|was|welche[rsnm]?)\s+(?:\w+\s+){{0,2}}(?:{_DE_AUX})\b"
        ),
        adverbial=_re(r"(?:wo|wer|ob)\b"),
        asks=_re(rf"\b{_DE_WH}\b|^(?:{_DE_AUX})\b|\b(?:wissen|sagen|fragen) ob\b"),
        requests=_re(
            r"\b(?:erkläre?|erklären sie|zeige?|nenne?|beschreibe?|sag mir|ich möchte wissen"
            r"|vergleiche?)\b|^(?:wie|was|warum|wo|wann|welche[rsnm]?|wer)\b"
        ),
        each=_re(r"\b(?:jeweils|respektive|im einzelnen|getrennt voneinander)\b"),
        compares=_re(
            r"\b(?:unterschied\w*|unterscheide\w*|vergleich\w*|zwischen|gegenüber|gemeinsamkeit\w*"
            r"|versus|vs)\b"
        ),
        tails=_re(
            r"[,;]?\s*\b(?:oder|nicht wahr|richtig|stimmt das|ja|ok|okay|bitte|danke|oder nicht"
            r"|ist das (?:richtig|möglich|so))\s*[?.!]*$"
        ),
        pair_word=r"wie(?: (?:viel|viele|oft|lange|weit|groß|hoch))?|warum|wann|wo|wer|was|wieso|weshalb",
        boundary=_re(
            rf"(?:{_DE_AUX}|{_DE_WH}|ab|bis|an|auf|aus|bei|durch|für|in|im|am|beim|mit|nach|über|um"
            rf"|unter|von|vom|vor|zu|zum|zur|zwischen|setze|setzt|nutze|konfiguriere|richte|lege"
            rf"|erstelle|hoch|lang|groß)"
        ),
        subject=_re(r"(?:ich|man|wir|sie|du)"),
        indirect=_re(
            r"(?:bitte )?(?:ich (?:möchte|will|würde gern\w*"
            r"|wüsste gern\w*)(?: gern\w*)?(?: wissen)?|sag\w* (?:mir|sie mir)"
            r"|erklär\w*(?: mir| sie mir)?|können sie mir sagen|kannst du mir sagen),?\s+"
        ),
        location=r"für|in|auf|bei|mit|unter|von|aus|im|am|beim",
    )


_FR_WH = r"(?:comment|quand|où|pourquoi|quel(?:le)?s?|qui|que|qu['’]|combien|lequel|laquelle|lesquel(?:le)?s)"
_FR_PREP = r"(?:(?:à|de|d['’]|dans|pour|par|avec|sur|sous|depuis|jusqu['’]|en|vers|chez|pendant|durant)\s*)?"
_FR_AUX = (
    r"est-ce|peut-on|dois-je|puis-je|faut-il|y a-t-il|doit-on|peut-il|est-il|est-elle|sont-ils"
    r"|a-t-on|existe-t-il"
)


def _fr() -> Words:
    return Words(
        spaced=True,
        conjunction=r"et(?: aussi)?|ainsi que",
        head=_re(
            rf"(?:si oui,?\s+)?(?:{_FR_PREP}(?:comment|quand|où|pourquoi|quel(?:le)?s?|combien|lequel"
            rf"|laquelle|lesquel(?:le)?s)\b|(?:qu['’]est|que (?:faire|se passe|dois|peut|faut"
            rf"|signifie))|qui (?:est|a|peut|doit)\b|(?:{_FR_AUX})\b"
            r")"
        ),
        bare_head=_re(
            rf"{_FR_PREP}(?:comment|pourquoi|combien|quel(?:le)?s?)\b|(?:{_FR_AUX})\b|(?:où"
            rf"|quand)\s+(?:est|sont|puis|dois|peut|faut)"
        ),
        adverbial=_re(r"(?:quand|où|qui)\b"),
        asks=_re(rf"(?:^|[\s,;])(?:{_FR_WH})(?=\W|\w)|(?:{_FR_AUX})\b"),
        requests=_re(
            r"\b(?:explique[zr]?|montre[zr]?|dis-moi|dites-moi|décri(?:s|vez)|compare[zr]?|je (?:veux"
            r"|voudrais) savoir)\b|^(?:comment|pourquoi|quel(?:le)?s?|où|quand|combien)\b"
        ),
        each=_re(r"\b(?:respectivement|chacune?|séparément)\b"),
        compares=_re(
            r"\b(?:différences?|diffèrent?|différencier|distinguer?|compar\w+|entre|versus|vs|par rapport)\b"
        ),
        tails=_re(
            r"[,;]?\s*(?:\b(?:n['’]est-ce pas|non|oui|c['’]est bien ça|d['’]accord|merci|s['’]il (?:te"
            r"|vous) plaît|est-ce (?:possible|exact|correct)|ou non))\s*[?.!]*$"
        ),
        pair_word=r"comment|quand|où|pourquoi|qui|combien",
        boundary=_re(
            rf"(?:{_FR_WH}|à|au|aux|de|du|des|d|dans|pour|par|avec|sur|sous|en|sont|est|être|doit"
            rf"|doivent|peut|peuvent|configurer|utiliser|définir|créer|sont-ils|sont-elles|coûtent)"
        ),
        subject=_re(r"(?:je|on|nous|vous|tu)"),
        indirect=_re(
            r"(?:je (?:voudrais|veux|souhaite|aimerais) savoir|dites-moi|dis-moi|expliquez?-moi"
            r"|pouvez-vous me dire),?\s+"
        ),
        location=r"pour|dans|sur|avec|en|sous|depuis|chez",
    )


_ES_WH = r"(?:cómo|cuándo|d[óo]nde|adónde|por qué|qué|cuál(?:es)?|quién(?:es)?|cuánt[oa]s?)"
_ES_PREP = r"(?:(?:a|de|en|para|por|con|desde|hasta|durante|sobre|bajo|según)\s+)?"
_ES_AUX = r"puedo|puede|se puede|hay|es posible|debo|debe|existe|tengo que|hace falta"


def _es() -> Words:
    return Words(
        spaced=True,
        conjunction=r"y(?: también)?|e|así como",
        head=_re(
            rf"(?:en ese caso,?\s+)?¿?\s*(?:{_ES_PREP}{_ES_WH}(?=\W)|(?:{_ES_AUX})\b|se (?:admite"
            rf"|permite|acepta)n?\b)"
        ),
        bare_head=_re(rf"¿?\s*(?:{_ES_PREP}{_ES_WH}(?=\W)|hay\b)"),
        adverbial=_NOTHING,
        asks=_re(rf"(?<!\w){_ES_WH}(?!\w)|¿|^(?:{_ES_AUX})\b"),
        requests=_re(
            r"\b(?:explica|explique|muestra|dime|díga\w+|describe|compara|quiero saber|quisiera saber"
            r"|necesito saber)\b|^(?:cómo|como|qué|por qué|cuál(?:es)?|dónde|cuándo)\b"
        ),
        each=_re(r"\b(?:respectivamente|cada un[oa]|por separado)\b"),
        compares=_re(
            r"\b(?:diferencias?|diferencian?|compar\w+|entre|distingue\w*|distinguir|frente a|versus|vs)\b"
        ),
        tails=_re(
            r"[,;]?\s*¿?\s*\b(?:verdad|no|cierto|vale|gracias|por favor|correcto|es (?:correcto|posible"
            r"|así)|o no)\s*[?.!]*$"
        ),
        pair_word=r"cómo|cuándo|d[óo]nde|por qué|quién(?:es)?|qué|cuánt[oa]s?",
        boundary=_re(
            rf"(?:{_ES_WH}|a|al|de|del|en|para|por|con|desde|sobre|son|es|está|están|puedo|puede|pueden"
            rf"|debo|configuro|configuran|configurar|uso|usar|definir|crear|se|cuestan)"
        ),
        subject=_NOTHING,
        indirect=_re(r"(?:quiero|quisiera|necesito|me gustaría) saber,?\s+|(?:dime|dígame|explíqueme),?\s+"),
        location=r"para|en|con|desde|sobre|bajo",
    )


_ZH_ASKS = (
    r"怎么|怎样|怎麼|如何|什么|什麼|啥|哪|多少|几[个次种类条天年月台位层步点楼号岁家名项]|多[大久长高远快重深宽]|为何|為何|谁|誰|是否|吗|嗎|呢|何时|何地"
    r"|([能会要是可有得])不\1|有没有|能否|可否|可不可以|需不需要|应不应该|有无|咋|得先.*[？?]|[是为]$"
)


def _zh() -> Words:
    return Words(
        spaced=False,
        conjunction=r"以及|并且|并|还有|同时|另外|此外|而且|然后|和|与|及|且",
        head=_re(
            r"(?:怎么|怎样|如何|为什么|为何|什么|哪|多少|多[大久长高远快]|能不能|是否|能否|有没有|要不要|是不是|可不可以|何时|谁|咋)"
        ),
        bare_head=_NOTHING,
        adverbial=_NOTHING,
        asks=_re(_ZH_ASKS),
        requests=_re(r"^(?:请|麻烦)?(?:告诉我|解释|说明|列出|介绍|讲讲|比较|对比)|想知道|想了解"),
        each=_re(r"分别|各自|各(?=是|有|需|要|占|为|怎|如何|多少|可|能)"),
        compares=_re(r"区别|差别|差异|不同|对比|比较|相比|异同|有啥区别|哪个更|哪种更"),
        tails=_re(
            r"[，,；;]?\s*(?:对吗|对吧|是吗|是吧|好吗|行吗|可以吗|是这样吗|对不对|是不是|好不好|这样行吗|谢谢|多谢|请问)[？?。!！]*$"
        ),
        pair_word=r"怎么|如何|怎样|为什么|为何|什么时候|何时|在?哪里|在?哪儿|在?何处|由?谁",
        boundary=_re(r"之后|以后|之前|以前|的时候|的时|情况下|怎么|如何|怎样|请问|应该|应当"),
        elided=_re(r"怎么|如何|怎样|咋"),
        telling=_re(r"(?:请|麻烦)?(?:你|您|帮我)?(?:介绍|说明|解释|讲讲|列出|告诉我)(?:一下)?"),
    )


_JA_ASKS = (
    r"何|なに|なん[でのかにをとだが]|どう|どの|どこ|いつ|なぜ|どれ|どち|誰|だれ|いくら|いくつ|どんな|ですか|ますか|でしょうか|ませんか|るか[、。？?]|には[？?]"
    r"|のか[、。？?]?$|は[？?]$"
)


def _ja() -> Words:
    return Words(
        spaced=False,
        conjunction=r"および|及び|ならびに|または|また|そして|それと|あと|と|や",
        head=_re(r"(?:何|なに|どう|どの|どこ|いつ|なぜ|どれ|どち|誰|だれ|いくら|いくつ|どんな)"),
        bare_head=_NOTHING,
        adverbial=_NOTHING,
        asks=_re(_JA_ASKS),
        requests=_re(r"(?:教え|知りた|説明して|示して|挙げて|比較して)"),
        each=_re(r"それぞれ|各々|おのおの|個別に"),
        compares=_re(r"違い|違う|違います|異な|差は|差を|比較|比べ"),
        tails=_re(
            r"[、,]?\s*(?:ですよね|でしょう|合っていますか|正しいですか|いいですか|そうですか|可能ですか|お願いします|ありがとうございます)[？?。]*$"
        ),
        pair_word=r"どう|どうやって|なぜ|いつ|どこで?|誰が|何を",
        listing=_re(r"を(?=知りた|教え|説明して|示して|挙げて)"),
        boundary=_re(r"には|では|した後|する際|のとき|の時|場合"),
    )


_MAKERS = {"de": _de, "fr": _fr, "es": _es, "zh": _zh, "ja": _ja}


@cache
def words_of(language: str) -> Words:
    """The tables of a language, the English ones where there are none; compiled on first use.

    Compiled at import, the six of them cost every start 30 ms.
    """
    return _MAKERS[language]() if language in _MAKERS else EN
