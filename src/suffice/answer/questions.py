"""How a narrower question is worded in each language: from a need, from a heading, from a name.

A heading is turned into the question that a person would ask for that section: an instruction becomes "how",
a question stays itself, anything else becomes "what does it say about". A language without patterns keeps to
what needs none: the user's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from suffice.gate.words import words_of


@dataclass(frozen=True, slots=True)
class Phrases:
    """Patterns of one language: `about` a section of the heading {x}, `on` a name {x}, `topic` a {need}."""

    language: str
    mark: str
    about: str = ""
    on: str = ""
    topic: str = ""  # wraps a need that is no question by itself
    colon: str = ": "
    opening: str = ""


_PHRASES = {
    one.language: one
    for one in (
        Phrases(
            "en",
            "?",
            about="What is said about “{x}”?",
            on="What is said about {x}?",
            topic="What is said about {need}?",
        ),
        Phrases(
            "zh",
            "？",
            about="关于“{x}”有哪些说明？",
            on="关于 {x} 有哪些说明？",
            topic="关于{need}有哪些说明？",
            colon="：",
        ),
        Phrases(
            "ja",
            "？",
            about="「{x}」についてはどう説明されていますか？",
            on="{x} についてはどう説明されていますか？",
            topic="{need}についてはどう説明されていますか？",
            colon="：",
        ),
        Phrases(
            "de",
            "?",
            about="Was steht unter „{x}“?",
            on="Was steht dort zu {x}?",
            topic="Was steht dort zu: {need}?",
        ),
        Phrases(
            "fr",
            "\u00a0?",
            about="Que dit la section «\u00a0{x}\u00a0»\u00a0?",
            on="Que sait-on de {x}\u00a0?",
            topic="Que sait-on à ce sujet\u00a0: {need}\u00a0?",
            colon="\u00a0: ",
        ),
        Phrases(
            "es",
            "?",
            about="¿Qué dice la sección «{x}»?",
            on="¿Qué se dice sobre {x}?",
            topic="¿Qué se dice sobre esto: {need}?",
            opening="¿",
        ),
    )
}

_MARKS = {"ar": "؟", "fa": "؟", "ur": "؟", "yue": "？"}

# Words by which a sentence asks, at its start (or anywhere, where word order is free of it).
_ASKS = {
    "en": re.compile(
        r"^\W*(?:(?:and|but|so|then|also|in|on|at|for|to|from|with|by)\s+)?(?:what|which|who|whom|whose|when|where|why"
        r"|how|is|are|was|were|do|does|did|can|could|may|must|shall|should|will|would|has|have|had)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"什么|甚么|怎么|怎样|如何|哪|谁|几|多少|多久|多大|多长|多远|为何|为什么|是否|能否|可否|吗|呢|何时|何处|有没有|是不是|能不能|可不可以|会不会"
    ),
    "ja": re.compile(
        r"何|なに|なん|どう|どこ|どれ|どの|だれ|誰|いつ|いくら|いくつ|なぜ|ですか|ますか|のか|でしょうか|には$|とは$|[はがを]$"
    ),
    "de": re.compile(
        r"\b(?:was|wer|wen|wem|wessen|wann|wo|woher|wohin|wie|warum|weshalb|wieso|wozu|womit|wodurch|wofür|worin"
        r"|welche[rsmn]?|ob)\b"
        r"|^\W*(?:ist|sind|war|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|sollen|wird|werden|gibt)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:que|qu['’]|qui|quoi|quand|où|comment|pourquoi|combien|quel(?:le)?s?|lequel|laquelle)\b|qu['’]"
        r"|^\W*(?:est-ce|peut-on|faut-il|y a-t-il)|-(?:t-)?(?:il|elle|on|ils|elles|je|vous|nous)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:qué|quién(?:es)?|cuándo|dónde|cómo|cuál(?:es)?|cuánt[oa]s?|por qué)\b"
        r"|^\W*(?:es|son|está|están|hay|puedo|puede|se puede|debo|debe|tengo|tiene)\b",
        re.IGNORECASE,
    ),
}

# Words by which manuals give instructions in a heading, and those of them that are as often a noun there.
_VERB_WORDS = """
add allow apply ask assign attach avoid back_up bake book build buy calculate call cancel change check
choose clean clear close combine compare configure confirm connect convert cook copy create customise
customize cut debug define delete deploy describe design determine disable discard discharge display
download edit enable enter exchange export extend file fill filter find fix freeze generate get give
grant handle identify import improve include increase insert inspect install integrate invite keep knead
limit link list load lock log_in log_out maintain make manage mark measure merge migrate mix monitor
mount move obtain open order organise organize pack pause pay place plan prepare prevent print protect
provide publish pull purge push read receive recover reduce refund register reheat release remove rename
renew reorder repair replace report request reset resolve restore restrict return review revoke
roll_back rotate run save scale schedule search secure select sell send serve set set_up share ship
sign_in sign_up sort specify start stop store submit switch sync tag take test track train transfer
troubleshoot turn_off turn_on understand undo unlock update upgrade upload use validate verify view wash
wear withdraw wrap write
"""
_NOUN_WORDS = """
back_up book call cancel change check cook copy cut design discharge display download exchange export
file filter fix freeze import limit link list lock log_in mark mix order pack pay place plan print purge
push refund release repair report request return review run scale schedule search set share ship sign_in
sort start stop store switch tag test track train transfer update upgrade upload use view wash
"""
_NOUNS = frozenset(word.replace("_", " ") for word in _NOUN_WORDS.split())
_VERBS = re.compile(
    "(?:" + "|".join(sorted(_VERB_WORDS.split(), reverse=True)).replace("_", " ") + r")(?=\s)", re.IGNORECASE
)
_ZH_VERBS = re.compile(
    r"(?:添加|新增|增加|配置|设置|设定|创建|新建|建立|删除|移除|使用|部署|安装|卸载|更新|升级|启用|停用|禁用|管理|查看|查询"
    r"|修改|更改|编辑|上传|下载|导入|导出|连接|绑定|备份|恢复|测试|调试|运行|启动|停止|申请|办理|预约|取消|提交|退还|退款|退货"
    r"|更换|报销|登录|注册|发送|打印|保存|清洁|清洗|制作|烹饪|烤|煮|腌|冷冻|储存|处理|选择|检查|验证|发布|迁移|缴纳|支付)(?=.)"
)
_FR_INFINITIVE = re.compile(
    r"(?:[^\W\d_]+(?:[^i\W]er|[^i\W]ir|dre|mettre|[uf]ire|[aou]ire|crire)|publier|vérifier|modifier|copier|étudier"
    r"|confier|oublier|identifier|notifier|planifier|s['’][^\W\d_]+[ei]r|se [^\W\d_]+[ei]r)(?=\s)",
    re.IGNORECASE,
)
_ES_INFINITIVE = re.compile(
    r"(?!lugar|hogar|taller|mujer|ayer|altar|collar)[^\W\d_]{2,}[aei]r(?:se)?(?=\s)", re.IGNORECASE
)


def phrases(language: str) -> Phrases:
    """The patterns of a language; for one without, only its question mark and neutral forms."""
    known = _PHRASES.get(language)
    return known or Phrases(language, _MARKS.get(language, "?"))


def ask(text: str, say: Phrases) -> str:
    """The text as a question: its mark set, and a phrase that asks nothing wrapped in one that does."""
    bare = markless(text)
    if not bare:
        return ""
    asks = _ASKS.get(say.language)
    asked = re.search(r"[?？؟]", text) or words_of(say.language).requests.search(bare)
    if asks is None or not say.topic or asks.search(bare) or asked:
        return marked(bare, say)
    return say.topic.replace("{need}", bare)


def about(heading: str, say: Phrases, source: str) -> str:
    """The question that a section of this heading answers; empty if none can be worded in the language.

    `source` is the language of the text below the heading: a few words do not tell their own. A heading in
    another language is named as it stands and never bent into a sentence.
    """
    own = source == say.language
    if own and (re.search(r"[?？؟]\s*$", heading) or _asks_whole(heading, say)):
        return marked(markless(heading), say)
    turn = _TURNS.get(say.language)
    if own and turn is not None and (turned := turn(heading, say)):
        return turned
    if say.about:
        return say.about.replace("{x}", heading)
    return marked(markless(heading), say) if own else ""


def _asks_whole(heading: str, say: Phrases) -> bool:
    asks = _ASKS.get(say.language)
    if asks is None or say.language == "ja":
        return say.language == "ja" and bool(re.search(r"(?:ですか|ますか|には)$", heading))
    if say.language == "en":
        # "How long does it take" asks, "How to ..." and "How ... works" are titles
        return bool(
            re.match(r"(?:how (?:do|does|can|long|much|many|often)|can|is|are|do|does)\b.* ", heading, re.I)
        )
    return say.language == "zh" and bool(re.search(r"如何|怎么|怎样|多少|什么|吗$", heading))


def _en(heading: str, say: Phrases) -> str:
    heading = re.sub(r"^how to\s+", "", heading, flags=re.IGNORECASE)
    if not (verb := _VERBS.match(heading)):
        return ""
    # "Order form", "Test results": a noun, unless something follows that only an object begins with
    rest = heading[verb.end() :].strip()
    object_begins = re.match(
        r"(?:an?|the|your|our|my|all|any|each|new|up|with|from|to|for|in|on)\b", rest, re.I
    )
    if verb.group().casefold() in _NOUNS and not object_begins:
        return ""
    lowered = heading if heading[:2].isupper() else heading[0].lower() + heading[1:]
    mine = re.sub(r"\byour\b", "my", lowered, flags=re.IGNORECASE)
    return marked(f"How do I {markless(mine)}", say)


def _zh(heading: str, say: Phrases) -> str:
    if _ZH_VERBS.match(heading) and not heading.endswith(
        ("说明", "规则", "规定", "政策", "限制", "方法", "流程")
    ):
        return marked(f"如何{markless(heading)}", say)
    return ""


def _ja(heading: str, say: Phrases) -> str:
    if heading.endswith(
        (
            "する",
            "える",
            "ける",
            "べる",
            "せる",
            "てる",
            "れる",
            "める",
            "ねる",
            "げる",
            "きる",
            "りる",
            "く",
            "す",
            "ぶ",
            "む",
        )
    ):
        return marked(f"{markless(heading)}にはどうすればよいですか", say)
    if heading.endswith(("方法", "手順", "やり方", "使い方")):
        return marked(f"{markless(heading)}を教えてください", Phrases("ja", "？")).replace(
            "を教えてください？", "はどのようなものですか？"
        )
    return ""


def _de(heading: str, say: Phrases) -> str:
    last = heading.split()[-1]
    if len(heading.split()) > 1 and last[0].islower() and re.search(r"(?:en|ern|eln)$", last):
        return marked(f"Wie kann ich {markless(heading)}", say)
    return ""


def _fr(heading: str, say: Phrases) -> str:
    return marked(f"Comment {_lowered(heading)}", say) if _FR_INFINITIVE.match(heading) else ""


def _es(heading: str, say: Phrases) -> str:
    return marked(f"Cómo {_lowered(heading)}", say) if _ES_INFINITIVE.match(heading) else ""


_TURNS: dict[str, Callable[[str, Phrases], str]] = {
    "en": _en, "zh": _zh, "ja": _ja, "de": _de, "fr": _fr, "es": _es,
}  # fmt: skip


def _lowered(heading: str) -> str:
    bare = markless(heading)
    return bare[0].lower() + bare[1:]


def markless(text: str) -> str:
    """The text without the marks that begin and end a question."""
    return " ".join(text.split()).rstrip("?？؟!！.。:： \u00a0").lstrip("¿¡ ")


def marked(bare: str, say: Phrases) -> str:
    """The text as a question, if only by its mark."""
    return f"{say.opening}{bare}{say.mark}"
