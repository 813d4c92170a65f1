"""Which encoding a file without any label was written in, judged over the whole file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# The most frequent characters of running text; a wrong decoding gives rare ones instead.
_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长"
    "把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制"
    "身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气"
    "题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便"
    "空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格"
    "请货车库站卡号证件单费价务限额默认配置选项文件运行服务用户数据"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然"
    "家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長"
    "把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制"
    "身果加西月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題"
    "活更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直資命山金指許統區保至隊形社便空決治展"
    "科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取請貨車庫號單費價"
)
_JAPANESE = frozenset(
    "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男"
    "西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意"
    "不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急"
    "設定確認必要利用可能場合"
)
_KOREAN = frozenset(
    "이는의다에을를가고로하지은한도기서나어사리인자해수있시니과게대일정그라스들전부여보적장면아구상제주동있것년만국원"
    "성오습없음우드되러생각말때경문공자조트용요화않신지방설백업십버매두작됩파일"
)
_PRIVATE = ("\ue000", "\uf8ff")

_PREFERENCE = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_ENOUGH = 0.25
_ENOUGH_LETTERS = 0.5


def guess(data: bytes) -> tuple[str, str] | None:
    """(text, encoding) that reads every byte strictly and gives plausible text; None when nothing does.

    UTF-8 and the wide encodings are not looked at.
    """
    best: tuple[float, str, str] | None = None
    for encoding in _PREFERENCE:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        score = _plausible(_telling(text), _SCORES[encoding])
        if best is None or score > best[0]:
            best = (score, text, encoding)
    if best is not None and best[0] >= _ENOUGH:
        return best[1], best[2]
    return _one_byte(data) or ((best[1], best[2]) if best is not None and best[0] > 0 else None)


def wide(data: bytes) -> tuple[str, str] | None:
    """UTF-16 or UTF-32 without a byte order mark, told by where the zero bytes are."""
    found: list[tuple[float, str, str]] = []
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text or not text:
            continue
        odd = sum(not (char.isprintable() or char in "\t\n\r\f") for char in text)
        # Ordinary text repeats spaces and line ends; its bytes swapped give rare characters instead.
        plain = sum(char in _PLAIN or "a" <= char <= "z" for char in text)
        if odd <= 0.01 * len(text) and plain:
            found.append((plain / len(text), text, encoding))
    return max(found)[1:] if found else None


def _telling(text: str) -> str:
    """The characters beyond ASCII with their neighbours; of very many, those of the start and the end."""
    told = " ".join(_BEYOND_ASCII.findall(text))
    return told if len(told) <= 2 * _ENOUGH_CHARS else told[:_ENOUGH_CHARS] + told[-_ENOUGH_CHARS:]


_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+(?:[\x00-\x7f][^\x00-\x7f]+)*[\x00-\x7f]?")
_ENOUGH_CHARS = 50_000
_PLAIN = frozenset(" \n\r\t,.;:0123456789。，、")


def _one_byte(data: bytes) -> tuple[str, str] | None:
    """A one-byte encoding, by whose letters make up one language; ties go to the more widespread."""
    best: tuple[float, str, str] | None = None
    for encoding, languages in _LANGUAGES.items():
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        telling = _telling(text)
        score = max(_letters(telling, language) for language in languages)
        if best is None or score > best[0] + 1e-9:
            best = (score, text, encoding)
    return best[1:] if best is not None and best[0] >= _ENOUGH_LETTERS else None


def _letters(text: str, language: _Language) -> float:
    """Mean value of the characters beyond ASCII: about 1 in the language, below 0 outside it."""
    total, n = 0.0, 0
    for before, char, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if char < "\x80":
            continue
        n += 1
        mixed = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
        if char.lower() in language.letters and not (mixed and not language.latin):
            value = 1.0 if language.latin or char.lower() in language.common else 0.3
            # A capital inside a word: KOI8 and Windows-1251 read as each other give little else.
            inside = char.isupper() and before.islower()
            total += -0.5 if inside else value - 0.1 * char.isupper()
        elif char in _SIGNS:
            total += 0.6
        else:
            total -= 1.0
    return total / n if n else 0.0


_SIGNS = frozenset("“”„‘’‚–—…«»¿¡€£§°®©·×±•™\xa0")


@dataclass(frozen=True, slots=True)
class _Language:
    """Letters beyond ASCII; for other scripts also the frequent ones, by which scripts are told apart."""

    letters: frozenset[str]
    common: frozenset[str] = frozenset()

    @property
    def latin(self) -> bool:
        return not self.common


def _latin(*alphabets: str) -> tuple[_Language, ...]:
    return tuple(_Language(frozenset(letters)) for letters in alphabets)


def _script(letters: str, common: str) -> tuple[_Language, ...]:
    return (_Language(frozenset(letters), frozenset(common)),)


_CYRILLIC = _script("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "оеаинтсрвлкм")
_UKRAINIAN = _script("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "оаинітевсрлк")
_SERBIAN = _script("абвгдђежзијклљмнњопрстћуфхцчџш", "аоиентрсјвкд")
_FRENCH, _GERMAN, _SPANISH = "àâæçéèêëîïôœùûüÿ", "äöüß", "áéíñóúüºª"
_POLISH, _CZECH, _SLOVAK, _HUNGARIAN = "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíľĺňóôŕšťúýž", "áéíóöőúüű"
_LANGUAGES: dict[str, tuple[_Language, ...]] = {
    "cp1252": _latin(
        *(_FRENCH, _GERMAN, _SPANISH, "áâãàçéêíóôõúüºª", "àèéìíîòóù", "åäöé", "æøåé", "áðéíóúýþæö", "éëïöüè"),
        "àçèéíïòóúü",
    ),
    "cp1251": (*_CYRILLIC, *_UKRAINIAN, *_SERBIAN),
    "koi8_r": _CYRILLIC,
    "cp1250": _latin(_POLISH, _CZECH, _SLOVAK, _HUNGARIAN, "ăâîşţ", "čćđšž"),
    "iso8859_15": _latin(_FRENCH, "šžäöåõü"),
    "iso8859_2": _latin(_POLISH, _CZECH, _HUNGARIAN),
    "cp1253": _script("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "αοιετσνηυρπκς"),
    "cp1254": _latin("çğıöşüâîû"),
    "cp1257": _latin("ąčęėįšųūž", "āčēģīķļņšūž", "õäöüšž"),
    "cp1255": _script("".join(map(chr, range(0x5B0, 0x5EB))), "יוהלאמרתשבנ"),
    "cp1256": _script("".join(map(chr, range(0x60C, 0x6D5))), "اليمنوترةبدعسفهك"),
    "cp874": _script("".join(map(chr, range(0xE01, 0xE5C))), "านรอกเงมยลวดทต่้ัี"),
}


def _plausible(text: str, value: Callable[[str], float]) -> float:
    """Mean value of the characters beyond ASCII, about 1 for text of that language, below 0 for junk."""
    total, n = 0.0, 0
    for before, char, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if char >= "\x80":
            n += 1
            # One character inside a Latin word is an accented letter that was read as half of a pair.
            inside = before.isascii() and before.islower() and after.isascii() and after.islower()
            total += -1.0 if inside else value(char)
    return total / n if n else 0.0


def _odd(char: str) -> float | None:
    """What holds for every language: punctuation is neutral, the rest of the odd is junk."""
    if "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uffef" or "\u2010" <= char <= "\u2026":
        return 0.3
    if _PRIVATE[0] <= char <= _PRIVATE[1] or not char.isprintable():
        return -2.0
    return None


def _chinese(common: frozenset[str]) -> Callable[[str], float]:
    def value(char: str) -> float:
        odd = _odd(char)
        if odd is not None:
            return odd
        if "\u4e00" <= char <= "\u9fff":
            return 1.0 if char in common else 0.1
        return -0.3

    return value


def _japanese(char: str) -> float:
    odd = _odd(char)
    if "\uff61" <= char <= "\uff9f":  # half-width kana: rare in prose, what wrong decodings give
        return -0.5
    if odd is not None:
        return odd
    if "\u3041" <= char <= "\u30ff":
        return 1.0
    if "\u4e00" <= char <= "\u9fff":
        return 0.8 if char in _JAPANESE else 0.1
    return -0.3


def _korean(char: str) -> float:
    odd = _odd(char)
    if odd is not None:
        return odd
    if "\uac00" <= char <= "\ud7a3":
        return 1.0 if char in _KOREAN else 0.2
    return -0.2 if "\u4e00" <= char <= "\u9fff" else -0.3


_SCORES: dict[str, Callable[[str], float]] = {
    "gb18030": _chinese(_SIMPLIFIED),
    "big5hkscs": _chinese(_TRADITIONAL),
    "cp932": _japanese,
    "euc_jp": _japanese,
    "cp949": _korean,
}
