"""Pages for faults to be injected into: handbooks of made-up places in six languages, with tables and code.

They are the test's own, so that no page of the project's documentation can change what is tested. Every
sentence has figures and names of its own and stands once in the whole of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

N_SECTIONS = 6
N_ROWS = 24


@dataclass(frozen=True)
class Tongue:
    """What the pages of one language are made of. Templates take {thing}, {who}, {place}, {a}, {b}, {c}."""

    things: tuple[str, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]
    titles: tuple[str, ...]
    says: tuple[str, ...]
    head: tuple[str, str, str]
    note: str


TONGUES = {
    "en": Tongue(
        ("ferry ramp", "night kiln", "weather mast", "seed vault", "tide gauge"),
        ("Ines Halloran", "Bertil Quarm", "Oda Winslade", "Tomasz Rell", "Priya Nandakumar"),
        ("Skerry Point", "the lower yard", "Hall Nine", "Mill Lane", "the north quay"),
        ("Opening hours", "Inspection", "Keys and access", "When it fails", "Costs", "Records"),
        (
            "The {thing} is open from {a} minutes past six until {b} minutes past nine, and {who} unlocks it "
            "from {place}.",
            "Every {a} days {who} inspects the {thing} and writes the {b} readings into the register kept at "
            "{place}.",
            "Anyone who needs the {thing} after dark asks {who} for key number {a}; a lost key costs {b} "
            "crowns, payable at {place}.",
            "If the {thing} stops, close valve {a}, wait {b} seconds, and then call {who}, who comes over "
            "from {place}.",
            "A season ticket for the {thing} is {a} crowns, or {b} crowns for members whom {who} has entered "
            "in the list at {place}.",
            "Reports on the {thing} are kept for {a} months in cabinet {b} at {place}, and only {who} may "
            "throw any of them away.",
        ),
        ("Part", "Limit", "Checked by"),
        "Nobody works alone on the {thing}; the second person stands at {place} and keeps channel {a} open.",
    ),
    "de": Tongue(
        ("Schleusenkammer", "Sternwarte", "Druckerei", "Salzmühle", "Werkstattbühne"),
        ("Karla Overbeck", "Jens Thielemann", "Ute Marquardt", "Olaf Brinkhus", "Selma Yıldız"),
        ("Haus Sieben", "der alten Wache", "Tor Drei", "der Hafenmeisterei", "dem Lindenhof"),
        ("Öffnungszeiten", "Prüfung", "Schlüssel und Zugang", "Bei Störungen", "Kosten", "Akten"),
        (
            "Die {thing} ist ab {a} Minuten nach sechs geöffnet und schließt {b} Minuten nach neun; "
            "aufgeschlossen wird sie von {who} aus {place}.",
            "Alle {a} Tage prüft {who} die {thing} und trägt die {b} Messwerte in das Buch ein, das in "
            "{place} liegt.",
            "Wer die {thing} nach Einbruch der Dunkelheit braucht, fragt {who} nach Schlüssel {a}; ein "
            "verlorener kostet {b} Taler, zahlbar bei {place}.",
            "Steht die {thing} still, so wird Ventil {a} geschlossen, {b} Sekunden gewartet und dann {who} "
            "in {place} gerufen.",
            "Eine Dauerkarte für die {thing} kostet {a} Taler und für Mitglieder, die {who} in der Liste von "
            "{place} führt, {b} Taler.",
            "Berichte über die {thing} liegen {a} Monate lang in Schrank {b} bei {place}, und nur {who} darf "
            "einen davon wegwerfen.",
        ),
        ("Teil", "Grenzwert", "Geprüft von"),
        "Niemand arbeitet allein an der {thing}; die zweite Person steht bei {place} und hält Kanal {a} "
        "frei.",
    ),
    "fr": Tongue(
        ("grue du port", "serre froide", "presse à cidre", "tour de guet", "bibliothèque mobile"),
        ("Aurélie Castang", "Mathurin Level", "Odile Garrigue", "Bastien Roux", "Nour Haddad"),
        ("la cour basse", "l'ancien lavoir", "Pont-Rouge", "la salle neuf", "le quai nord"),
        ("Horaires", "Contrôle", "Clés et accès", "En cas de panne", "Tarifs", "Archives"),
        (
            "La {thing} ouvre à six heures {a} et ferme à neuf heures {b} du soir ; {who} en ouvre la porte "
            "depuis {place}.",
            "Tous les {a} jours, {who} contrôle la {thing} et note les {b} relevés dans le registre conservé "
            "à {place}.",
            "Pour utiliser la {thing} après la tombée de la nuit, on demande à {who} la clé numéro {a} ; une "
            "clé perdue coûte {b} écus, à régler à {place}.",
            "Si la {thing} s'arrête, on ferme la vanne {a}, on attend {b} secondes, puis on appelle {who}, "
            "qui vient de {place}.",
            "L'abonnement à la {thing} coûte {a} écus, ou {b} écus pour les membres que {who} a inscrits sur "
            "la liste de {place}.",
            "Les rapports sur la {thing} sont gardés {a} mois dans l'armoire {b} de {place}, et {who} seule "
            "personne peut en jeter un.",
        ),
        ("Pièce", "Limite", "Contrôlée par"),
        "Personne ne travaille seul sur la {thing} ; le second reste à {place} et garde le canal {a} libre.",
    ),
    "es": Tongue(
        ("noria vieja", "cámara de frío", "imprenta", "torre del agua", "sala de mapas"),
        ("Remedios Aranda", "Iker Beltza", "Lucía Montalvo", "Jacinto Pardo", "Amparo Llull"),
        ("el patio bajo", "Puerta Once", "la casa del guarda", "el muelle norte", "la nave tres"),
        ("Horario", "Revisión", "Llaves y acceso", "En caso de avería", "Precios", "Archivo"),
        (
            "La {thing} abre a las seis y {a} y cierra a las nueve y {b} de la noche, y {who} abre la puerta "
            "desde {place}.",
            "Cada {a} días {who} revisa la {thing} y anota las {b} medidas en el libro que se guarda en "
            "{place}.",
            "Quien necesite la {thing} de noche pide a {who} la llave número {a}; una llave perdida cuesta "
            "{b} reales, que se pagan en {place}.",
            "Si la {thing} se para, se cierra la válvula {a}, se esperan {b} segundos y después se llama a "
            "{who}, que acude desde {place}.",
            "El abono para la {thing} cuesta {a} reales, o {b} reales para los socios que {who} tiene en la "
            "lista de {place}.",
            "Los informes sobre la {thing} se guardan {a} meses en el armario {b} de {place}, y solo {who} "
            "puede tirar alguno.",
        ),
        ("Pieza", "Límite", "Revisada por"),
        "Nadie trabaja a solas en la {thing}; la segunda persona está en {place} y deja libre el canal {a}.",
    ),
    "zh": Tongue(
        ("渡轮跳板", "夜间窑炉", "气象桅杆", "种子库", "潮位计"),
        ("林秀禾", "赵克勤", "苏明远", "何雨棠", "段嘉木"),
        ("北码头", "下院", "九号大厅", "磨坊巷", "灯塔旁的值班室"),
        ("开放时间", "检查", "钥匙与进入", "发生故障时", "费用", "档案"),
        (
            "{thing}每天早上六点{a}分开放，晚上九点{b}分关闭，由{who}从{place}过来开门并检查门锁。",
            "{who}每隔{a}天检查一次{thing}，并把{b}个读数写进保存在{place}的登记簿里，不得遗漏。",
            "天黑以后需要使用{thing}的人要向{who}领取{a}号钥匙，遗失钥匙须在{place}赔偿{b}元。",
            "如果{thing}停止运转，先关闭{a}号阀门，等待{b}秒，然后打电话给在{place}值班的{who}。",
            "{thing}的季票售价为{a}元，凡被{who}登记在{place}名单里的会员只需要支付{b}元。",
            "有关{thing}的报告在{place}的{b}号柜子里保存{a}个月，只有{who}有权销毁其中的文件。",
        ),
        ("部件", "上限", "检查人"),
        "任何人都不得独自在{thing}上工作，第二个人要站在{place}，并保持{a}频道畅通，随时准备呼叫。",
    ),
    "ja": Tongue(
        ("渡し船の桟橋", "夜の窯", "観測塔", "種子の貯蔵庫", "潮位計"),
        ("桐谷さやか", "大前修一", "水無瀬葵", "飯島徳次", "森重ひかる"),
        ("北の岸壁", "下の作業場", "九番ホール", "粉ひき通り", "灯台の詰所"),
        ("開いている時間", "点検", "鍵と立ち入り", "故障のとき", "料金", "記録"),
        (
            "{thing}は朝六時{a}分に開き、夜九時{b}分に閉まります。鍵は{who}が{place}から来て開けます。",
            "{who}は{a}日ごとに{thing}を点検し、{b}個の測定値を{place}にある帳簿に書き込みます。",
            "暗くなってから{thing}を使う人は、{who}から{a}番の鍵を借ります。なくすと{place}で{b}円を払います。",
            "{thing}が止まったら、{a}番の弁を閉めて{b}秒待ち、それから{place}にいる{who}に電話をかけます。",
            "{thing}の定期券は{a}円ですが、{who}が{place}の名簿に載せた会員は{b}円で買うことができます。",
            "{thing}についての報告書は{place}の{b}番の棚に{a}か月のあいだ保管され、捨ててよいのは{who}だけです。",
        ),
        ("部品", "上限", "点検者"),
        "{thing}で一人だけで作業をしてはいけません。もう一人は{place}に立ち、{a}番の回線を空けておきます。",
    ),
}


def write(folder: Path) -> None:
    """One folder a language, one page a thing: `folder/en/ferry-ramp.md` and so on."""
    number = 0
    for code, tongue in TONGUES.items():
        (folder / code).mkdir(parents=True)
        for at, thing in enumerate(tongue.things):
            number += 1
            name = f"{code}-{at}.md"
            (folder / code / name).write_text(_page(tongue, thing, number), "utf-8")


def _page(tongue: Tongue, thing: str, number: int) -> str:
    parts = [f"# {thing[:1].upper()}{thing[1:]}\n"]
    for section in range(N_SECTIONS):
        said = tongue.says[section].format(thing=thing, **_facts(tongue, number, section))
        note = tongue.note.format(thing=thing, **_facts(tongue, number, section + N_SECTIONS))
        parts.append(f"\n## {tongue.titles[section]}\n\n{said}\n\n{note}\n")
        if section == 1:
            parts.append(_table(tongue, number))
        if section == 3:
            parts.append(
                f"\n```\nvalve close {number * 13} --wait {number + 40}s\nlog tail --unit u{number}\n```\n"
            )
    return "".join(parts)


def _table(tongue: Tongue, number: int) -> str:
    rows = [f"| {' | '.join(tongue.head)} |", "|---|---|---|"]
    for row in range(N_ROWS):
        who = tongue.people[(number + row) % len(tongue.people)]
        rows.append(
            f"| {chr(65 + row)}-{number:02}{row:02} | {number * 31 + row * 7} mm | {who}, {row + 3} |"
        )
    return "\n" + "\n".join(rows) + "\n"


def _facts(tongue: Tongue, number: int, section: int) -> dict[str, object]:
    return {
        "who": tongue.people[(number + section) % len(tongue.people)],
        "place": tongue.places[(number * 2 + section) % len(tongue.places)],
        "a": 11 + number * 3 + section * 101,
        "b": 7 + number * 5 + section * 97,
    }
