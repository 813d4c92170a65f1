"""Bytes to text without loss."""

from __future__ import annotations

import pytest

from suffice.errors import ParseError
from suffice.text.encodings import byte_offsets, charset, decode

TEXTS = {
    "fr": "Le café est fermé à Noël. Où êtes-vous allés ? Ça va très bien, près de la forêt.",
    "de": "Die Straße führt über die Brücke. Öffnen Sie die Tür für größere Pakete.",
    "es": "¿Dónde está el almacén? Mañana abriremos. El niño comió una piña.",
    "pl": "Proszę zamknąć drzwi. Źródło danych zostało usunięte, więc nie można odczytać pliku.",
    "cs": "Zavřete prosím dveře. Soubor nelze přečíst, protože byl odstraněn.",
    "hu": "Kérjük, zárja be az ajtót. Köszönjük a megértést, jövőre több lesz.",
    "tr": "Lütfen kapıyı kapatın. Dosya okunamıyor çünkü silindi. Teşekkür ederiz.",
    "ru": "Каждый день мы открываем склад в восемь часов утра. Не забудьте взять ключи.",
    "el": "Παρακαλώ κλείστε την πόρτα πριν φύγετε. Το αρχείο δεν βρέθηκε.",
    "he": "נא לסגור את הדלת לפני היציאה. הקובץ לא נמצא בשרת.",
    "ar": "يرجى إغلاق الباب قبل المغادرة. الملف غير موجود على الخادم.",
    "zh": "请在提交之前检查配置文件。服务器每天凌晨两点重新启动，用户数据不会丢失。",
    "zh-Hant": "請在提交之前檢查設定檔案。伺服器每天凌晨兩點重新啟動，使用者資料不會遺失。",
    "ja": "設定を変更する前に、必ずバックアップを取ってください。毎日午前二時に再起動します。",
    "ko": "설정을 변경하기 전에 반드시 백업을 하십시오. 서버는 매일 오전 두 시에 다시 시작됩니다.",
    "en": "The supplier’s “final” offer — 30 € per unit — ends at 20 °C.",
}
WRITTEN = [
    *(("fr", "cp1252"), ("fr", "iso8859-15"), ("de", "cp1252"), ("es", "cp1252"), ("en", "cp1252")),
    *(("pl", "cp1250"), ("pl", "iso8859_2"), ("cs", "cp1250"), ("hu", "cp1250"), ("tr", "cp1254")),
    *(("ru", "cp1251"), ("ru", "koi8_r"), ("el", "cp1253"), ("he", "cp1255"), ("ar", "cp1256")),
    *(
        ("zh", "gb2312"),
        ("zh", "gb18030"),
        ("zh-Hant", "big5"),
        ("ja", "cp932"),
        ("ja", "euc_jp"),
        ("ko", "euc_kr"),
    ),
    *(("zh", "utf-16-le"), ("ja", "utf-16-be"), ("en", "utf-16-le"), ("ru", "utf-32-le"), ("de", "utf-16")),
]


@pytest.mark.parametrize(("language", "encoding"), WRITTEN)
@pytest.mark.parametrize("before", ["", "Plain words of the head, in ASCII alone.\n" * 400])
def test_encodings_without_a_label_are_told_from_the_whole_file(
    language: str, encoding: str, before: str
) -> None:
    text = before + TEXTS[language]
    assert decode(text.encode(encoding)).text == text


def test_four_byte_characters_after_a_long_head_of_plain_gb2312() -> None:
    text = "第一条 请在值班室登记。\n" * 2000 + "货车停在𠮷野站，分机€7731，㐀坪。\n"
    found = decode(text.encode("gb18030"))
    assert (found.text, found.encoding) == (text, "gb18030")


@pytest.mark.parametrize("bom", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_no_text(bom: str) -> None:
    found = decode("Ä 限\r\n𠮷".encode(bom), "iso-8859-1")
    assert found.text == "Ä 限\n𠮷"


def test_utf8_wins_over_a_guess_and_a_replacement_character_in_the_file_is_kept() -> None:
    assert decode("naïve \ufffd".encode()).text == "naïve \ufffd"


def test_a_truncated_file_with_a_byte_order_mark_is_refused() -> None:
    with pytest.raises(ParseError, match="utf-16"):
        decode("abc".encode("utf-16")[:-1])


def test_bytes_that_no_encoding_reads_are_refused_and_never_replaced() -> None:
    with pytest.raises(ParseError, match="encoding was not recognised"):
        decode(b"abc \x81\x20\xff\x20\x8d\x20" * 9)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.7 plain words only", "a PDF file"),
        (b"PK\x03\x04rest", "a ZIP or Office file"),
        (bytes(range(32)) * 4, "control characters"),
        (b"\0" * 500, "control characters"),
    ],
)
def test_what_is_not_text_is_refused_with_what_it_is(data: bytes, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        decode(data)


@pytest.mark.parametrize("label", ["hex", "rot13", "nonsense", "utf-16", "unicode_escape", "", "idna", "\0"])
def test_a_label_that_is_no_encoding_of_text_is_not_believed(label: str) -> None:
    assert decode("naïve \\u0041".encode(), label).text == "naïve \\u0041"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16-le", "cp932", "euc_jp"])
def test_offsets_name_the_byte_of_each_character(encoding: str) -> None:
    text = "a限b額c"
    offsets = byte_offsets(text.encode(encoding), encoding)
    assert [int(i) for i in offsets] == [len(text[:i].encode(encoding)) for i in range(len(text) + 1)]


def test_offsets_where_one_character_is_written_in_two_ways() -> None:
    # 0xFA54 and 0x81CA are both U+FFE2 in Windows' Shift-JIS; only one of them is what encoding gives.
    data = b"a\xfa\x54b\x81\xcac"
    assert [int(i) for i in byte_offsets(data, "cp932")] == [0, 1, 3, 4, 6, 7]


def test_line_ends_become_lf_and_lead_back() -> None:
    found = decode(b"a\r\n\r\nb\rc\nd\r\n")
    assert found.text == "a\n\nb\nc\nd\n"
    for segment in found.segments:
        (start, end), (begin, stop) = segment.span, segment.raw_span
        assert stop - begin == end - start


@pytest.mark.parametrize(
    ("media_type", "label"),
    [("text/html; charset=GBK", "GBK"), ('text/plain;charset="utf-8"', "utf-8"), ("text/html", None)],
)
def test_charset_of_a_media_type(media_type: str, label: str | None) -> None:
    assert charset(media_type) == label
