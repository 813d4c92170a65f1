"""compose(): a verdict and its evidence -> an answer made of checked claims, or a decline with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from suffice.answer.citations import verify
from suffice.answer.messages import say
from suffice.answer.support import unsupported
from suffice.answer.wording import tame
from suffice.errors import GeneratorError
from suffice.ports import Generated, Generator
from suffice.values import (
    AnswerBody,
    Claim,
    DroppedClaim,
    Failure,
    Hit,
    Need,
    Support,
    Usage,
    Verdict,
)

UNASKED = "it answers nothing that was asked of the evidence"


@dataclass(frozen=True, slots=True)
class Composed:
    """What there is to show. `body` None: it declines, and `message` says why.

    `unchecked` are the ids of needs that a judge found supported and for which no claim survived the check
    of its quotes. Such a need is not supported by anything that can be shown: hand
    `supports_left(verdict, composed.unchecked)` to `gate.sufficiency.decide` again. `message` already
    speaks as that second verdict does.
    """

    body: AnswerBody | None
    message: str
    dropped: tuple[DroppedClaim, ...] = ()
    usage: Usage = field(default_factory=Usage)
    failures: tuple[Failure, ...] = ()
    unchecked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def compose(
    question: str,
    verdict: Verdict,
    evidence: Sequence[Hit],
    generator: Generator,
    language: str,
    *,
    strict: bool = False,
) -> Composed:
    """Answer the supported needs with claims whose every quote stands in the evidence.

    The generator is called only when there is a supported need to answer, and is told of no other. With
    `strict`, a question that is not fully supported declines. A generator that fails is a failed stage,
    never a lack of evidence.
    """
    missing = [judged.need.text for judged in verdict.needs if judged.status == "missing"]
    if verdict.status == "search_failed":
        return Composed(None, say("search_failed", language, failures=verdict.failures))
    if verdict.status == "insufficient":
        return Composed(None, say("insufficient", language, needs=missing or [question]))
    if verdict.status == "partial" and strict:
        return Composed(None, say("strict", language, needs=missing))

    supported = [judged.need for judged in verdict.needs if judged.status == "supported"]
    supports = [support for judged in verdict.needs for support in judged.supports]
    try:
        generated = generator.generate(question, supported, supports, evidence, language)
    except GeneratorError as error:
        failure = Failure("answer", str(error))
        spent = error.usage if isinstance(error.usage, Usage) else Usage()
        said = say("search_failed", language, failures=[failure])
        return Composed(None, said, usage=spent, failures=(failure,))

    claims, dropped = _checked(question, generated, supported, evidence)
    shown = {need for claim in claims for need in claim.needs}
    unchecked = tuple(need.id for need in supported if need.id not in shown)
    denied = [need.text for need in supported if need.id not in shown and need.id in generated.missing]
    unshown = [need.text for need in supported if need.id not in shown and need.id not in generated.missing]
    open_needs = [judged.need.text for judged in verdict.needs if judged.need.id not in shown]
    body: AnswerBody | None = None
    if not claims and not unshown:
        message = say("insufficient", language, needs=open_needs)
    elif not claims:
        message = say("unchecked", language, needs=unshown)
        if missing or denied:
            message += " " + say("partial", language, needs=[*missing, *denied])
    elif strict and open_needs:
        message = say("strict", language, needs=open_needs)
    else:
        body = AnswerBody(generator.name, _text(claims, supported), claims)
        message = say("partial", language, needs=open_needs) if open_needs else say("sufficient", language)
    return Composed(body, message, dropped, generated.usage, (), unchecked, generated.notes)


def supports_left(verdict: Verdict, unchecked: Sequence[str]) -> tuple[Support, ...]:
    """The verdict's supports without those of needs for which no quote could be checked, to decide again."""
    return tuple(
        support for judged in verdict.needs if judged.need.id not in unchecked for support in judged.supports
    )


def _checked(
    question: str, generated: Generated, supported: Sequence[Need], evidence: Sequence[Hit]
) -> tuple[tuple[Claim, ...], tuple[DroppedClaim, ...]]:
    """Claims for the needs asked that passed every check, without repeats; and the rest, with why."""
    asked = {need.id for need in supported} - set(generated.missing)
    claims: list[Claim] = []
    dropped: list[DroppedClaim] = []
    for draft in generated.claims:
        if not generated.verbatim:
            draft = replace(draft, text=tame(draft.text))
        needs = tuple(dict.fromkeys(need for need in draft.needs if need in asked))
        if not needs:
            denied = any(need in generated.missing for need in draft.needs)
            reason = "its writer says that the evidence does not answer this" if denied else UNASKED
            dropped.append(DroppedClaim(draft.text, reason))
            continue
        result = verify(replace(draft, needs=needs), evidence, reattribute=not generated.verbatim)
        if isinstance(result, Claim) and not generated.verbatim:
            result = _supported(question, result, evidence)
        if isinstance(result, DroppedClaim):
            dropped.append(result)
        elif result not in claims:
            claims.append(result)
    return tuple(claims), tuple(dropped)


def _supported(question: str, claim: Claim, evidence: Sequence[Hit]) -> Claim | DroppedClaim:
    """The claim, unless it says what its quotes do not."""
    if not claim.text:
        return DroppedClaim(claim.text, "it says nothing")
    cited = {citation.evidence for citation in claim.citations}
    places = [part for hit in evidence if hit.rank in cited for part in (hit.title, *hit.heading_path)]
    reason = unsupported(claim.text, [citation.quote for citation in claim.citations], places, question)
    return claim if reason is None else DroppedClaim(claim.text, reason)


def _text(claims: Sequence[Claim], supported: Sequence[Need]) -> str:
    """The claims as Markdown, each with the numbers of the evidence that it cites.

    Where several needs are answered, each group of claims stands under the needs that it serves, in bold.
    """
    texts = {need.id: need.text for need in supported}
    place = {need: n for n, need in enumerate(texts)}
    groups: dict[tuple[str, ...], list[Claim]] = {}
    for claim in claims:
        groups.setdefault(tuple(sorted(claim.needs, key=place.__getitem__)), []).append(claim)
    lines = []
    for needs, group in sorted(groups.items(), key=lambda item: [place[need] for need in item[0]]):
        if len(texts) > 1:
            lines.append("**" + " · ".join(texts[need].replace("*", "\\*") for need in needs) + "**")
        lines.extend(_numbered(claim) for claim in group)
    return "\n\n".join(lines)


def _numbered(claim: Claim) -> str:
    """The claim followed by its numbers: on a line of their own where they would break a table or a fence."""
    numbers = " ".join(f"[{rank}]" for rank in sorted({citation.evidence for citation in claim.citations}))
    last = claim.text.rstrip().rsplit("\n", 1)[-1].strip()
    apart = last.startswith(("|", "```", "~~~")) or last.endswith("|")
    return claim.text.rstrip() + ("\n\n" if apart else " ") + numbers
