"""Words that carry no topic, by language; used for content words and for telling languages apart."""

from __future__ import annotations

import re


def _words(lines: str) -> frozenset[str]:
    return frozenset(lines.split())


WORDS: dict[str, frozenset[str]] = {
    "en": _words("""
        a about above after again all also am an and any are aren't as at be because been before being
        below between both but by can can't cannot could did didn't do does doesn't doing don't down
        during each few for from further get had has have having he her here hers him his how i i'm if in
        into is isn't it it's its itself just let's many may me might more most much must my no nor not
        of off on once only or other our ours out over own per same shall she should so some such than that
        that's the their theirs them then there these they this those through to too under until up upon
        us very was wasn't we were what what's when where where's which while who whom whose why will
        with without won't would you your yours
        """),
    "de": _words("""
        aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin
        bis bist da damit dann das dass dein deine dem den denn der des dessen die dies diese diesem
        diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euer für
        gegen gibt habe haben hat hatte hier ich ihm ihn ihr ihre im in ins ist ja jede jedem jeden jeder
        jedes kann kannst kein keine keinen können könnte lässt man mein meine mich mir mit muss müssen
        nach nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sollen sollte
        sowie um und uns unser unter viel viele vom von vor wann war warum was welche welchem welchen
        welcher welches wenn wer werde werden wie wieso wird wo wohin womit wofür worin wurde wurden zu
        zum zur zwischen über wieviel bitte macht mache
        """),
    "fr": _words("""
        à afin ai au aux avec avoir ça car ce cela ces cet cette ceux chaque comme comment d dans de
        depuis des donc dont du elle elles en encore entre est et être eu fait faire faut il ils j je l
        la là le les leur leurs lors lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par
        pas pendant peut peut-on peuvent plus pour pourquoi puis-je qu quand quel quelle quelles quels
        que qui quoi s sa sans se selon ses si son sont sous sur t ta te tes toi ton tous tout toute
        toutes très tu un une vos votre vous y combien existe-t-il est-ce dois-je doit peux faut-il
        sont-ils
        """),
    "es": _words("""
        a al algo algún alguna algunas algunos ante antes aquí así aunque cada como cómo con contra cual
        cuál cuales cuáles cualquier cuando cuándo cuánta cuántas cuánto cuántos de del desde donde dónde
        durante e el él ella ellas ellos en entre era es esa ese eso esta está están estas este esto
        estos fue ha hace hacer hacia han hasta hay la las le les lo los más me mi mis muy ni no nos
        nosotros nuestra nuestro o otra otro para pero por porque puede pueden puedo que qué quién quien
        se sea según ser si sí sin sobre son su sus también tan tiene tienen todo todos tu tus un una
        unas unos usted y ya yo debo debe existe
        """),
    "pt": _words("""
        a ao aos as às até com como da das de dela dele do dos e é ela ele eles em entre era essa esse
        esta está este eu foi há isso isto já mais mas me meu minha muito na não nas nem no nos nós o
        onde os ou para pela pelas pelo pelos pode podem por porque posso qual quais quando quanto
        quantos quantas que quem se sem ser seu seus sua suas são também tem têm um uma umas uns você
        vocês devo deve existe faço num numa fazer
        """),
    "it": _words("""
        a ad agli ai al alla alle allo anche che chi ci come con cosa cos'è cui da dagli dai dal dalla
        dalle dei degli del della delle dello di dopo dove e è ed essere fare fra gli ha hanno ho i il in
        io l la le lei lo loro ma mi mia mio ne nei nel nella nelle nello no non nostro o ogni per perché
        più possiamo posso può possono prima qual quale quali quando quanti quante quanta quanto questa
        queste questi questo se senza si sia sono sta su sua sugli sui sul sulla sulle suo tra tutti
        tutto un una uno vi voi c'è devo deve esiste fino viene vengono
        """),
    "nl": _words("""
        aan als bij dat de der deze die dit door een en er geen had heb heeft het hij hoe ik in is je kan
        kun kunnen maar met mijn moet naar niet nog of om onder ons ook op over te tot uit van veel voor
        waar waarom wanneer wat we welke werd wie wij wordt worden zijn zich zo zou
        """),
}

# Longest first: a run of Han or kana is cut wherever one of these stands.
ZH = _words("""
    是不是 能不能 可不可以 有没有 会不会 要不要 为什么 怎么样 什么时候 多少个 怎么办 是什么 有什么 有哪些
    是多少 什么 怎么 如何 怎样 哪些 哪个 哪里 哪种 多少 多大 多久 几个 是否 可以 能够 需要 应该 必须 以及
    或者 还是 并且 而且 如果 那么 但是 因为 所以 关于 对于 根据 通过 进行 使用时 请问 一个 一些 一下 这个
    那个 这些 那些 我们 你们 他们 它们 其中 之间 同时 分别 时候 里面 当中 目前 現在 怎麼 什麼 如何 為什麼
    哪裡 可以 應該 或者 這個 那個 這些 那些 我們 的 了 吗 呢 吧 啊 嘛 着 和 与 及 或 在 是 有 对 把 被 让
    给 从 到 向 由 于 也 都 就 才 很 我 你 您 他 她 它 这 那 个 嗎 與 對 給 從 於 會 能 会 要 请
""")
JA = _words("""
    でしょうか ありますか できますか ですか ますか ください について に対して によって として とは
    どのように どうすれば どうやって どのような どれくらい いくつ なぜ どこ いつ どの どれ どう 何 場合
    こと もの ため とき
""")

ZH_CUT = re.compile("|".join(sorted(map(re.escape, ZH), key=len, reverse=True)))
JA_CUT = re.compile("|".join(sorted(map(re.escape, JA), key=len, reverse=True)))
