"""Quantities: numbers with their units, comparable however they are written."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from suffice.values import Span


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number on `text[span]`. `value` is in `unit`, which is normalised (10 MB: 10000000 B; 2 min: 120 s).

    `alternative` is the other reading of "1.234", which is a decimal here and a thousand there; else None.
    `unit` is "" where none that is known follows.
    """

    text: str
    span: Span
    value: Decimal
    unit: str
    alternative: Decimal | None = None

    def same(self, other: Quantity) -> bool:
        """True if the two can be read as the same amount of the same unit."""
        if self.unit != other.unit:
            return False
        mine = {self.value, self.alternative} - {None}
        return bool(mine & ({other.value, other.alternative} - {None}))


def _table(lines: str) -> dict[str, tuple[str, Decimal]]:
    table: dict[str, tuple[str, Decimal]] = {}
    for line in lines.strip().splitlines():
        unit, factor, *names = line.split()
        for name in names:
            table[name] = (unit, Decimal(factor))
    return table


# unit, factor, names. Case counts for symbols (Mb is not MB, m is not M); words are looked up case-folded.
_UNITS = _table("""
B 1 B byte bytes octet octets 字节 位元組 バイト
B 1e3 kB KB kilobyte kilobytes ko Ko
B 1e6 MB megabyte megabytes Mo
B 1e9 GB gigabyte gigabytes Go
B 1e12 TB terabyte terabytes To
B 1e15 PB petabyte petabytes
B 1024 KiB kibibyte kibibytes
B 1048576 MiB mebibyte mebibytes
B 1073741824 GiB gibibyte gibibytes
B 1099511627776 TiB tebibyte tebibytes
bit 1 bit bits
bit 1e3 kbit kb
bit 1e6 Mbit Mb
bit 1e9 Gbit Gb
bit/s 1e3 kbps Kbps kbit/s
bit/s 1e6 Mbps Mbit/s
bit/s 1e9 Gbps Gbit/s
s 1e-9 ns nanosecond nanoseconds 纳秒
s 1e-6 μs us microsecond microseconds 微秒
s 1e-3 ms millisecond milliseconds millisekunde millisekunden 毫秒 ミリ秒
s 1e-3 milliseconde millisecondes milisegundo milisegundos
s 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi 秒 秒钟 秒鐘
s 60 min mins minute minutes minuten minuto minutos minuti 分钟 分鐘 分間
s 3600 h hr hrs hour hours stunde stunden heure heures hora horas ora ore 小时 小時 時間
day 1 d day days tag tage tagen jour jours día días dia dias giorno giorni 天 日 日間
day 7 week weeks woche wochen semaine semaines semana semanas settimana settimane 周 週 星期 週間
month 1 month months monat monate monaten mois mes meses mese mesi 个月 個月 月 か月 ヶ月
month 12 year years jahr jahre jahren an ans année années año años
month 12 ano anos anno anni 年 年間
% 1 % % percent prozent pourcent 百分
‰ 1 ‰
Hz 1 Hz
Hz 1e3 kHz
Hz 1e6 MHz
Hz 1e9 GHz
m 1e-3 mm
m 1e-2 cm
m 1 m metre metres meter meters
m 1e3 km
g 1e-3 mg
g 1 g
g 1e3 kg
Pa 1 Pa
Pa 1e3 kPa
Pa 1e6 MPa
V 1 V
W 1 W
W 1e3 kW
W 1e6 MW
A 1 A
°C 1 °C ℃
°F 1 °F ℉
K 1 K
USD 1 $ USD US$ dollar dollars 美元
EUR 1 € EUR euro euros 欧元
GBP 1 £ GBP
JPY 1 ¥ JPY 円
CNY 1 CNY RMB 元 人民币
""")
_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "mille", "mil", "k", "千"), Decimal(1000)),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "millones", "millón"), Decimal(10**6)),
    **dict.fromkeys(("milhão", "milhões", "milione", "milioni"), Decimal(10**6)),
    **dict.fromkeys(("billion", "billions", "milliarde", "milliarden", "mrd", "milliards"), Decimal(10**9)),
    **dict.fromkeys(("万", "萬"), Decimal(10**4)),
    **dict.fromkeys(("亿", "億"), Decimal(10**8)),
    "百": Decimal(100),
    "百万": Decimal(10**6),
    "百萬": Decimal(10**6),
    "千万": Decimal(10**7),
    "千萬": Decimal(10**7),
    "兆": Decimal(10**12),
}
_BY_LENGTH = sorted(map(re.escape, _UNITS), key=len, reverse=True)
_SCALE_NAMES = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_SPACE = "[ \u00a0\u2009\u202f]"
_FIGURES = (
    "\\d{1,3}(?:[\u00a0\u2009\u202f'’]\\d{3})+(?:[.,]\\d+)?(?!\\d)|\\d{1,3}(?: \\d{3}){2,12}(?!\\d)"
    "|\\d{1,40}(?:[.,]\\d{1,40})*"
)
_NUMBER = re.compile(
    rf"(?:(?P<prefix>百分之|[$€£¥]){_SPACE}?)?(?P<sign>[-−+])?(?<!\d)(?<!\d[.,])(?P<figures>{_FIGURES})"
)
_HAN = re.compile("[零〇一二两兩三四五六七八九十百千万萬亿億]+")
_SCALE = re.compile(rf"{_SPACE}?(?P<scale>(?:{_SCALE_NAMES}))(?![A-Za-zÀ-ɏ])\.?", re.IGNORECASE)
_WORDLESS = "|".join(name for name in _BY_LENGTH if not name.isascii() and name[0] not in "μ°%‰€£¥")
_UNIT = re.compile(rf"{_SPACE}?-?(?P<unit>[%‰℃℉$€£¥]|°[CF]|{_WORDLESS}|[A-Za-zÀ-ɏμµ]+(?:/s)?)")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}\Z")
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000}
_MULTIPLIERS = frozenset("十百千万萬亿億")
_MEASURES = tuple("个個次倍种種条條篇台名位")
_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}


def numbers(text: str) -> list[Quantity]:
    """Quantities in order. Versions and addresses (two or more points) are identifiers, not numbers."""
    found: list[Quantity] = []
    for match in _NUMBER.finditer(text):
        quantity = _arabic(text, match)
        if quantity is not None:
            found.append(quantity)
    taken = [quantity.span for quantity in found]
    n_taken = 0
    for match in _HAN.finditer(text):
        while n_taken < len(taken) and taken[n_taken][1] <= match.start():
            n_taken += 1
        if n_taken < len(taken) and taken[n_taken][0] < match.end():
            continue
        quantity = _chinese(text, match)
        if quantity is not None:
            found.append(quantity)
    return sorted(found, key=lambda quantity: quantity.span)


def _arabic(text: str, match: re.Match[str]) -> Quantity | None:
    figures, sign, prefix = match.group("figures"), match.group("sign") or "", match.group("prefix") or ""
    start = match.start()
    if sign and start and (text[start - 1].isalnum() or text[start - 1] in ")_"):
        sign, start = "", start + len(sign)  # "5-10", "CVE-2031": a joint, not a sign
    ascii_figures = "".join(str(unicodedata.digit(c, 0)) if c.isdigit() else c for c in figures)
    if _VERSION.match(ascii_figures) and not re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", ascii_figures):
        return None
    value, alternative = _readings(ascii_figures)
    end = match.end()
    factor = Decimal(1)
    scale = _SCALE.match(text, end)
    if scale and not (scale.group("scale") in "kK" and text[end : end + 1] in " \u00a0\u2009\u202f"):
        factor = _SCALES[scale.group("scale").casefold()]
        end = scale.end("scale") + (
            scale.group("scale").casefold() in ("mio", "mrd") and scale.group()[-1] == "."
        )
    unit, unit_factor, end = _unit(text, end)
    if prefix == "百分之":
        unit = "%"
    elif prefix and not unit:
        unit = _UNITS[prefix][0]
    factor *= unit_factor * (-1 if sign in ("-", "−") and sign else 1)
    other = None if alternative is None else alternative * factor
    return Quantity(text[start:end], (start, end), value * factor, unit, other)


def _readings(figures: str) -> tuple[Decimal, Decimal | None]:
    """Value, and the other reading if there is one. The last of two kinds of mark is the decimal one."""
    plain = re.sub(r"[ \u00a0\u2009\u202f'’]", "", figures)
    marks = re.findall("[.,]", plain)
    if not marks:
        return Decimal(plain), None
    if len(set(marks)) == 2:
        whole, fraction = re.split(rf"[{marks[-1]}](?=[^.,]*\Z)", plain)
        return Decimal(re.sub("[.,]", "", whole) + "." + fraction), None
    if len(marks) > 1:
        return Decimal(plain.replace(marks[0], "")), None
    whole, fraction = plain.split(marks[0])
    decimal = Decimal(f"{whole}.{fraction}")
    if len(fraction) != 3 or len(whole) > 3 or whole.startswith("0") or plain != figures:
        return decimal, None
    thousand = Decimal(whole + fraction)
    return (thousand, decimal) if marks[0] == "," else (decimal, thousand)


def _unit(text: str, end: int) -> tuple[str, Decimal, int]:
    match = _UNIT.match(text, end)
    if not match:
        return "", Decimal(1), end
    name = match.group("unit").replace("\u00b5", "μ")
    known = _named(name)
    if known is not None:
        return known[0], known[1], match.end()
    rate = _named(name.removesuffix("/s"))
    return (rate[0] + "/s", rate[1], match.end()) if rate and name.endswith("/s") else ("", Decimal(1), end)


def _named(name: str) -> tuple[str, Decimal] | None:
    return _UNITS.get(name) or (_UNITS.get(name.casefold()) if len(name) > 2 else None)


def _chinese(text: str, match: re.Match[str]) -> Quantity | None:
    """三十天, 一百万: read only where a unit follows or the numeral is longer than a word would hold."""
    figures = match.group()
    unit, factor, end = _unit(text, match.end())
    percent = text[max(0, match.start() - 3) : match.start()] == "百分之"
    measured = bool(unit) or percent or text[match.end() : match.end() + 1] in _MEASURES
    numeral = len(figures) > 1 and bool(set(figures) & _MULTIPLIERS)
    if figures[0] in "百千万萬亿億" or not (measured or numeral):
        return None
    start = match.start() - 3 * percent
    value = Decimal(_han_value(figures))
    return Quantity(text[start:end], (start, end), value * factor, "%" if percent else unit)


def _han_value(figures: str) -> int:
    if not set(figures) & (set(_STEPS) | set(_LARGE)):
        return int("".join(str(_DIGITS[c]) for c in figures[:40]))
    total = section = digit = 0
    for c in figures[:40]:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _STEPS:
            section += (digit or 1) * _STEPS[c]
            digit = 0
        else:
            large = _LARGE[c]
            total = (total + section + digit) * large if large > 10**4 else total + (section + digit) * large
            section = digit = 0
    return total + section + digit
