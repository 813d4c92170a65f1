"""Languages: a hundred short questions of the kind that people really type."""

from __future__ import annotations

import time

import pytest

from suffice.text import content_words, language

QUESTIONS = {
    "en": """
        What is the KV namespace limit per account?
        How do I rotate a secret in Workers?
        Can I use Shared Objects on the free plan?
        max upload size
        Does S9 charge egress fees?
        lampctl deploy error 10021
        Why was my build cancelled after 20 minutes?
        Which regions support Fastlane?
        list all environment variables
        Is Python supported?
        Q7 backup retention
        Where are logs stored?
        Tell me about Vecta index dimensions
        KV vs S9
        What does ERR_SSL_PROTOCOL_ERROR mean?
        cron triggers
        Who can delete a project?
        Compare Pages and Workers limits
        café opening hours
        When should I use queues instead of cron triggers?
        Does the pump prime itself?
        rollback a deployment
        Are there discounts for students?
        Minimum Node version
        data residency options
        Could two workers share a database?
        SAML setup with Okta
        rate limiting rules per zone
        What's new in version 4.2?
        password reset email never arrives
        image formats
        timeout for subrequests in seconds
        Should passwords be hashed?
        upgrade path from v1 to v2
        vacation policy carry over days
    """,
    "zh": """
        KV 命名空间的上限是多少？
        如何在 Workers 中轮换密钥？
        免费版能用 Shared Objects 吗？
        S9 是否收取 egress fees？
        lampctl deploy 报错 10021
        为什么 build 20 分钟后被取消？
        使用 Lamp Pages Functions 和 Workers AI 时 rate limit 是多少
        日志
        怎麼設定環境變數？
        免費方案有什麼限制？
        Python 支持
        Q7 备份保留多久
        What is 的意思
        密钥怎么删除
        请比较 Pages 与 Workers
        How to 部署 Next.js 到 Pages
        Queues 的 max_batch_size 默认值
        max_retries 怎么设
        年假有几天？
        重置密码
        租客可以转租吗
        Node 最低版本
        SAML 与 Okta 的配置
        api_key 有什么用
        两个 worker 能共享一个 database 吗？
        學生有折扣嗎？
        rollback 部署
        支持哪些图片格式
    """,
    "ja": """
        KVの上限は？
        Workersでシークレットを変更する方法
        無料プランでShared Objectsは使えますか？
        S9のegress料金
        環境変数一覧を表示
        ログの保存期間は何日ですか
        lampctl deploy がエラー 10021 で失敗する
        なぜビルドが20分後に取り消されましたか
        Pythonはサポートされていますか？
        Q7 バックアップ
        最大アップロードサイズは何MBですか？
        東京都の人口は？
        どの地域が対応？
        Queues のバッチサイズの既定値
        有給休暇は何日ですか？
        パスワード再設定
        Nodeの最低バージョン
        OktaでSAMLを設定する
        api_keyとは
        学生割引はありますか？
        二つのworkerでdatabaseを共有できますか
        対応画像形式は？
    """,
    "de": """
        Wie viele KV-Namespaces sind pro Konto erlaubt?
        Wie rotiere ich ein Secret in Workers?
        Kann ich Shared Objects im Free-Plan nutzen?
        Berechnet S9 Egress-Gebühren?
        Warum wurde mein Build nach 20 Minuten abgebrochen?
        Maximale Größe beim Upload
        Umgebungsvariablen auflisten
        Wird Python unterstützt?
        Wo werden Logs gespeichert?
        Unterschied zwischen KV und S9
        Fehler 10021 bei lampctl deploy
        Welche Regionen unterstützt Fastlane?
        Wer darf ein Projekt löschen?
        Wie lange bleiben Q7-Backups erhalten?
        Was bedeutet ERR_SSL_PROTOCOL_ERROR?
        Ist Workers AI kostenlos?
        Wie viel Urlaub habe ich?
        Passwort zurücksetzen
        Darf der Mieter untervermieten?
        Gibt es Rabatt für Studierende?
        Welche Bildformate werden unterstützt?
        Ab wann gilt die Kündigungsfrist?
        Wie hoch ist das Zeitlimit für Subrequests?
        Node-Version mindestens
        Können zwei Worker eine Datenbank teilen?
        Zahlung per Rechnung möglich
        SAML mit Okta einrichten
        Wozu dient der Schlüssel api_key?
    """,
    "fr": """
        Quelle est la limite de namespaces KV par compte ?
        Comment renouveler un secret dans Workers ?
        Puis-je utiliser Shared Objects avec l'offre gratuite ?
        S9 facture-t-il la sortie de données ?
        Pourquoi mon build a-t-il été annulé après 20 minutes ?
        taille maximale d'un fichier
        Lister les variables d'environnement
        Est-ce que Python est pris en charge ?
        Où sont stockés les logs ?
        Différence entre KV et S9
        erreur 10021 avec lampctl deploy
        Quelles régions prennent en charge Fastlane ?
        Qui peut supprimer un projet ?
        Combien de temps les sauvegardes Q7 sont-elles conservées ?
        Que signifie ERR_SSL_PROTOCOL_ERROR ?
        Le plan gratuit inclut quoi ?
        Combien de jours de congé par an ?
        Réinitialiser le mot de passe
        Le locataire peut-il sous-louer ?
        Y a-t-il une réduction pour les étudiants ?
        formats d'image acceptés
        Quel est le délai de préavis ?
        version minimale de Node
        Deux workers peuvent-ils partager une base ?
        À quoi sert api_key ?
        Faut-il hacher les mots de passe ?
        Configurer SAML avec Okta
    """,
    "es": """
        ¿Cuál es el límite de namespaces KV por cuenta?
        ¿Cómo roto un secreto en Workers?
        ¿Puedo usar Shared Objects en el plan gratuito?
        ¿S9 cobra por egress?
        por qué se canceló mi build después de 20 minutos
        tamaño máximo de archivo
        listar las variables de entorno
        ¿Es compatible con Python?
        ¿Dónde se guardan los logs?
        Diferencia entre KV y S9
        error 10021 con lampctl deploy
        ¿Qué regiones soporta Fastlane?
        Quién puede eliminar un proyecto
        Cuánto tiempo se conservan las copias de Q7
        que significa ERR_SSL_PROTOCOL_ERROR
        precio del plan Pro
        ¿Cuántos días de vacaciones tengo?
        restablecer la contraseña
        ¿Puede el inquilino subarrendar?
        ¿Hay descuento para estudiantes?
        formatos de imagen admitidos
        ¿Cuál es el plazo de preaviso?
        versión mínima de Node
        Dos workers pueden compartir una base de datos
        para qué sirve api_key
        configurar SAML con Okta
        Cómo se calcula el IVA
    """,
    "pt": """
        Qual é o limite de namespaces KV por conta?
        Como faço para trocar um segredo no Workers?
        Posso usar Shared Objects no plano gratuito?
        O S9 cobra taxas de saída?
        Por que meu build foi cancelado após 20 minutos?
        tamanho máximo do arquivo
        listar as variáveis de ambiente
        O Python é suportado?
        Onde os logs são armazenados?
        Diferença entre KV e S9
        erro 10021 com lampctl deploy
        Quais regiões o Fastlane suporta?
        Quem pode excluir um projeto?
        Por quanto tempo os backups do Q7 são mantidos?
        O que significa ERR_SSL_PROTOCOL_ERROR?
        Quantos dias de férias tenho?
        redefinir a senha
        O inquilino pode sublocar?
        Há desconto para estudantes?
        formatos de imagem aceitos
        Qual é o prazo de aviso prévio?
        versão mínima do Node
        Dois workers podem compartilhar um banco de dados?
        Para que serve api_key?
        configurar SAML com Okta
        Como se calcula o imposto
    """,
    "it": """
        Qual è il limite di namespace KV per account?
        Come posso ruotare un segreto in Workers?
        Posso usare Shared Objects nel piano gratuito?
        S9 addebita costi di uscita?
        Perché la mia build è stata annullata dopo 20 minuti?
        dimensione massima del file
        elencare le variabili d'ambiente
        Python è supportato?
        Dove vengono salvati i log?
        Differenza tra KV e S9
        errore 10021 con lampctl deploy
        Quali regioni supporta Fastlane?
        Chi può eliminare un progetto?
        Per quanto tempo vengono conservati i backup di Q7?
        Cosa significa ERR_SSL_PROTOCOL_ERROR?
        Quanti giorni di ferie ho?
        reimpostare la password
        L'inquilino può subaffittare?
        C'è uno sconto per studenti?
        formati immagine supportati
        Qual è il termine di preavviso?
        versione minima di Node
        Due worker possono condividere un database?
        A cosa serve api_key?
        configurare SAML con Okta
        Come si calcola l'IVA
    """,
    "ko": """
        KV 네임스페이스 제한은 얼마입니까?
        Workers 비밀 교체 방법
    """,
    "ru": """
        Какой лимит KV на аккаунт?
    """,
    "ar": """
        ما هو حد KV لكل حساب؟
    """,
    "he": """
        מהי מגבלת KV?
    """,
    "th": """
        ขีดจำกัด KV คืออะไร
    """,
    "hi": """
        KV की सीमा क्या है?
    """,
    "el": """
        Ποιο είναι το όριο KV;
    """,
}
TABLE = [(code, line.strip()) for code, lines in QUESTIONS.items() for line in lines.strip().splitlines()]


def test_short_questions_are_told_apart() -> None:
    wrong = [(code, question, language(question)) for code, question in TABLE if language(question) != code]
    assert len(TABLE) > 200
    assert len(wrong) <= 0.03 * len(TABLE), wrong


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "und"),
        ("12 345 ?!", "und"),
        ("\ud800\0", "und"),
        ("東京都の人口", "ja"),
        ("What does 密钥 mean in the settings page?", "en"),
        ("Worker KV namespace limit 是多少", "zh"),
        ("免費方案", "zh"),
        ("Скільки це коштує і як їх змінити?", "uk"),
        ("Qwrtz", "en"),
    ],
)
def test_scripts_and_doubt(text: str, code: str) -> None:
    assert language(text) == code


@pytest.mark.parametrize("unit", ["a", "ung ", "中", "\ud800", "a.", "'", "--a"])
def test_a_megabyte_takes_no_time(unit: str) -> None:
    began = time.process_time()
    language(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("question", "code", "words"),
    [
        ("What is the limit of a v1.2.3 namespace?", "en", ["limit", "v1.2.3", "namespace"]),
        ("Wie hoch ist das Limit für Konten?", "de", ["hoch", "limit", "konten"]),
        ("Quelle est la limite d'objets ?", "fr", ["limite", "objets"]),
        ("¿Cuál es el límite por cuenta?", "es", ["límite", "cuenta"]),
        ("免费版的KV命名空间有什么限制？", "zh", ["免费版", "kv", "命名空间", "限制"]),
        ("Workersの制限は何ですか", "ja", ["workers", "制限"]),
    ],
)
def test_content_words_drop_what_carries_no_meaning(question: str, code: str, words: list[str]) -> None:
    assert content_words(question, code) == words
