"""What is said beside an answer or in place of one, in the language of the question.

Four outcomes have four wordings that share no sentence: the evidence does not include it, the search failed,
nothing is indexed, and no quote could be checked. None of them speaks about the documents as a whole or about
what their owner offers: what was looked at is the evidence of one search, and only that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from suffice.values import Failure

Outcome = Literal[
    "sufficient",
    "partial",
    "strict",
    "insufficient",
    "search_failed",
    "empty",
    "filtered",
    "waiting",
    "unchecked",
]

LANGUAGES = ("en", "zh", "ja", "de", "fr", "es")

_SEPARATOR = {"zh": "；", "ja": "／"}
_FULL_STOP = {"zh": "。", "ja": "。"}
_ENDERS = ".!?。！？…؟"

_WORDING: dict[str, dict[Outcome, str]] = {
    "en": {
        "sufficient": "",
        "partial": "The evidence provided does not include: {needs}",
        "strict": "Not answered, because only complete answers are allowed (strict)."
        " The evidence provided does not include: {needs}",
        "insufficient": "The evidence provided does not include an answer to: {needs}",
        "search_failed": "The search could not be completed: {reasons}"
        " This does not mean that nothing was found.",
        "empty": "Nothing has been indexed yet, so there was nothing to search."
        " Add documents first: suffice add FOLDER",
        "filtered": "No document fits the filter, so there was nothing to search."
        " Check --where and --tenant.",
        "waiting": "The documents wait to be indexed, so there was nothing to search. Run: suffice update",
        "unchecked": "Passages were found, but no quote from them could be checked,"
        " so no answer is shown for: {needs}",
    },
    "zh": {
        "sufficient": "",
        "partial": "所提供的证据中未包含：{needs}",
        "strict": "由于只允许完整的回答（strict），本次不作答。所提供的证据中未包含：{needs}",
        "insufficient": "所提供的证据中未包含以下问题的答案：{needs}",
        "search_failed": "检索未能完成：{reasons}这并不表示没有找到内容。",
        "empty": "目前还没有索引任何内容，因此没有可检索的资料。请先添加文档：suffice add FOLDER",
        "filtered": "没有文档符合筛选条件，因此没有可检索的资料。请检查 --where 和 --tenant。",
        "waiting": "文档尚待索引，因此没有可检索的资料。请运行：suffice update",
        "unchecked": "找到了相关段落，但其中没有一处引文能够通过核对，因此以下问题不显示回答：{needs}",
    },
    "ja": {
        "sufficient": "",
        "partial": "提供された証拠には次の内容が含まれていません：{needs}",
        "strict": "完全な回答だけを許す設定（strict）のため、回答しません。"
        "提供された証拠には次の内容が含まれていません：{needs}",
        "insufficient": "提供された証拠には次の問いへの答えが含まれていません：{needs}",
        "search_failed": "検索を完了できませんでした：{reasons}"
        "何も見つからなかったという意味ではありません。",
        "empty": "まだ何も索引に登録されていないため、検索する対象がありません。"
        "先に文書を追加してください：suffice add FOLDER",
        "filtered": "絞り込みの条件に合う文書がないため、検索する対象がありません。"
        "--where と --tenant を確認してください。",
        "waiting": "文書はまだ索引に登録されていないため、検索する対象がありません。"
        "suffice update を実行してください。",
        "unchecked": "該当する箇所は見つかりましたが、確認できた引用が一つもないため、"
        "次の問いへの回答は表示しません：{needs}",
    },
    "de": {
        "sufficient": "",
        "partial": "Die vorliegenden Belege enthalten nicht: {needs}",
        "strict": "Nicht beantwortet, weil nur vollständige Antworten erlaubt sind (strict)."
        " Die vorliegenden Belege enthalten nicht: {needs}",
        "insufficient": "Die vorliegenden Belege enthalten keine Antwort auf: {needs}",
        "search_failed": "Die Suche konnte nicht abgeschlossen werden: {reasons}"
        " Das bedeutet nicht, dass nichts gefunden wurde.",
        "empty": "Es ist noch nichts indexiert, also gab es nichts zu durchsuchen."
        " Fügen Sie zuerst Dokumente hinzu: suffice add FOLDER",
        "filtered": "Kein Dokument passt zum Filter, also gab es nichts zu durchsuchen."
        " Prüfen Sie --where und --tenant.",
        "waiting": "Die Dokumente warten noch auf die Indexierung, also gab es nichts zu durchsuchen."
        " Führen Sie aus: suffice update",
        "unchecked": "Es wurden Textstellen gefunden, aber kein Zitat daraus ließ sich prüfen;"
        " deshalb wird keine Antwort gezeigt auf: {needs}",
    },
    "fr": {
        "sufficient": "",
        "partial": "Les éléments fournis ne contiennent pas : {needs}",
        "strict": "Pas de réponse, car seules les réponses complètes sont admises (strict)."
        " Les éléments fournis ne contiennent pas : {needs}",
        "insufficient": "Les éléments fournis ne contiennent pas de réponse à : {needs}",
        "search_failed": "La recherche n'a pas pu aboutir : {reasons}"
        " Cela ne veut pas dire que rien n'a été trouvé.",
        "empty": "Rien n'est encore indexé : il n'y avait rien à parcourir."
        " Ajoutez d'abord des documents : suffice add FOLDER",
        "filtered": "Aucun document ne correspond au filtre : il n'y avait rien à parcourir."
        " Vérifiez --where et --tenant.",
        "waiting": "Les documents attendent d'être indexés : il n'y avait rien à parcourir."
        " Exécutez : suffice update",
        "unchecked": "Des passages ont été trouvés, mais aucune citation n'a pu être vérifiée ;"
        " aucune réponse n'est donc affichée pour : {needs}",
    },
    "es": {
        "sufficient": "",
        "partial": "La evidencia proporcionada no incluye: {needs}",
        "strict": "Sin respuesta, porque solo se admiten respuestas completas (strict)."
        " La evidencia proporcionada no incluye: {needs}",
        "insufficient": "La evidencia proporcionada no incluye una respuesta a: {needs}",
        "search_failed": "No se pudo completar la búsqueda: {reasons}"
        " Esto no significa que no se haya encontrado nada.",
        "empty": "Todavía no hay nada indexado, así que no había nada que buscar."
        " Añada primero documentos: suffice add FOLDER",
        "filtered": "Ningún documento cumple el filtro, así que no había nada que buscar."
        " Revise --where y --tenant.",
        "waiting": "Los documentos esperan a ser indexados, así que no había nada que buscar."
        " Ejecute: suffice update",
        "unchecked": "Se encontraron pasajes, pero no se pudo comprobar ninguna cita,"
        " así que no se muestra ninguna respuesta a: {needs}",
    },
}


def say(
    outcome: Outcome, language: str, *, needs: Sequence[str] = (), failures: Sequence[Failure] = ()
) -> str:
    """The wording of an outcome. `needs` are named as they stand; a language without wording gets English."""
    spoken = language if language in _WORDING else "en"
    template = _WORDING[spoken][outcome]
    named = _SEPARATOR.get(spoken, "; ").join(needs)
    reasons = _SEPARATOR.get(spoken, "; ").join(f"{failure.stage} ({failure.reason})" for failure in failures)
    # str.replace and not str.format: a need may hold braces of its own
    if "{reasons}" in template:
        return template.replace("{reasons}", _ended(reasons or "?", spoken))
    if not named:
        named = "?"
    return template.replace("{needs}", _ended(named, spoken))


def _ended(text: str, language: str) -> str:
    """The text with a full stop where it has no ender of its own."""
    return text if text[-1] in _ENDERS else text + _FULL_STOP.get(language, ".")
