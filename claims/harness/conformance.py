"""What is asked of every claim, whoever wrote it: the same rules for the tests and for `dpclaims check`."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from audits.evidence import Verdict, combine
from claims.harness.claim import Claim
from claims.harness.errata import check_file, owes_check, run_check
from claims.harness.ids import result_of
from claims.harness.map import behind, used_by_results
from claims.harness.run.premises import held_by_premises
from claims.harness.run.result import ClaimResult
from claims.harness.run.runner import Settings, evaluate

LEAST_STATEMENT = 40
"""Characters of a statement that says what is claimed and of what."""
SECONDS = 10.0
"""Processor time that the smallest tier of a claim may take."""
HOW = "How it is checked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a rule may look at besides the claim: its result at tier smoke, and everything else there is.

    bugs       ids of the claims that some planted bug makes fail; exponents: (claim, axis) pairs of the
               baseline.
    """

    result: ClaimResult
    catalogue: Sequence[Claim]
    bugs: frozenset[str]
    exponents: frozenset[tuple[str, str]]


Rule = Callable[[Claim, Context], "str | None"]


def docstring(claim: Claim, context: Context) -> str | None:
    """The docstring has a paragraph that begins with the result's name, and one with "How it is checked."."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(claim.doc))
    for words in (claim.result, HOW):
        if not any(part.startswith(words) for part in parts):
            return f"the docstring has no paragraph that begins with {words!r}, got {claim.doc[:40]!r}"
    return None


def statement(claim: Claim, context: Context) -> str | None:
    """The statement says something, and every formula in it can be shown."""
    if len(claim.statement) < LEAST_STATEMENT or not claim.title:
        return (
            f"statement (at least {LEAST_STATEMENT} characters) and title must say what is claimed, "
            f"got {claim.statement!r}, {claim.title!r}"
        )
    try:
        from claims.harness.report.mathematics import markdown_to_html

        finding = claim.finding
        words = [claim.summary] if finding is None else [finding.what, finding.favour, finding.survives]
        shown = "".join(map(markdown_to_html, [claim.statement, *words]))
    except ImportError:
        return None  # without the extra `report` there is nothing to show it with
    broken = re.search(r'<code class="tex">(.*?)</code>', shown)
    return f"a formula cannot be shown: {broken[1]}" if broken else None


def verdict(claim: Claim, context: Context) -> str | None:
    """The smallest tier gives the expected verdict, lowered to what its premises are expected to give."""
    found = held_by_premises([context.result], context.catalogue)[0]
    if found.error is not None:
        return f"smoke crashed: {found.error.strip().splitlines()[-1]}"
    return None if found.ok else f"smoke gives {found.verdict} where {claim.expected} is expected"


def seconds(claim: Claim, context: Context) -> str | None:
    """The smallest tier takes at most ten seconds."""
    spent = context.result.seconds
    return f"smoke takes {spent:.1f} s, more than {SECONDS:g} s" if spent > SECONDS else None


def resolution(claim: Claim, context: Context) -> str | None:
    """A claim that passes by sampling says which resolution is too coarse to count.

    A claim whose own evidence is exact, and that its premises alone lower to CONSISTENT, has none.
    """
    if claim.rests_on and combine(context.result.evidence) is Verdict.CONFIRMED:
        return None
    if claim.expected is Verdict.CONSISTENT and claim.largest_resolution is None and not claim.fits_exponents:
        return "passes by sampling, and states no largest_resolution"
    return None


def finding(claim: Claim, context: Context) -> str | None:
    """What is expected to fall says with which weight, why, and what speaks for its authors."""
    if claim.expected is not Verdict.REFUTED or claim.role == "control":
        return None
    found = claim.finding
    if found is None:
        return "is expected to fall and has no finding=Finding(weight, what, favour, survives)"
    if not found.favour.strip():
        return "finding.favour must give the friendliest reading that the text admits, and its verdict"
    if not found.survives.strip():
        return "finding.survives must say what is left of the statement, or why nothing is"
    named = claim.paper.findings
    if named and not found.follows_from and claim.id not in named:
        return "states a finding that PAPER.findings does not name: say where it stands among the others"
    wrong = [n for n in named if not any(c.id == n and c.finding is not None for c in context.catalogue)]
    if wrong:
        return f"PAPER.findings names {', '.join(wrong)}, which is no claim with a finding"
    if found.follows_from:
        above = next((c for c in context.catalogue if c.id == found.follows_from), None)
        if above is None or above.finding is None:
            return f"follows_from must be the id of a claim with a finding, got {found.follows_from!r}"
    return None


def errata(claim: Claim, context: Context) -> str | None:
    """A heavy finding has a check that imports nothing of this project, and the check runs."""
    if not owes_check(claim) or claim.file is None:
        return None
    return run_check(check_file(claim)).problem


def premises(claim: Claim, context: Context) -> str | None:
    """What a claim rests on exists, and does not rest on the claim in turn."""
    rests_on = {c.id: dict.fromkeys(c.rests_on, "") for c in context.catalogue}
    found = behind(claim.id, rests_on)
    if unknown := [each for each in found if each not in rests_on]:
        return f"rests_on names {unknown[0]!r}, which is no claim"
    return "rests on itself, by rests_on of the claims that it names" if claim.id in found else None


def uses(claim: Claim, context: Context) -> str | None:
    """What the paper's proof uses is among the paper's claims, and does not use the result in turn."""
    ids = {c.id for c in context.catalogue}
    if unknown := [each for each in claim.uses if each not in ids]:
        return f"uses names {', '.join(unknown)}, which is no claim"
    used = used_by_results(context.catalogue)
    own = result_of(claim.id)
    if own in behind(own, used):
        return "its proof uses itself, by the uses of the results that it names"
    return None


def bug(claim: Claim, context: Context) -> str | None:
    """At least one planted bug makes the claim fail; an expected INCONCLUSIVE is no verdict to lose."""
    if claim.role == "control" or claim.expected is Verdict.INCONCLUSIVE or claim.id in context.bugs:
        return None
    return "no planted bug makes it fail: can it fail at all? Name one in claims/mutants"


def baseline(claim: Claim, context: Context) -> str | None:
    """Every fitted exponent is in the baseline of its paper."""
    axes = {e.axis for e in context.result.evidence if e.axis is not None and e.standard_error is not None}
    if axes and not claim.fits_exponents:
        return "fits exponents and does not say so: fits_exponents=True"
    if claim.role == "control":
        return None
    missing = sorted(a for a in axes if (claim.id, a) not in context.exponents)
    return (
        f"exponents of {', '.join(missing)} are not in the baseline: dpclaims rates --update"
        if missing
        else None
    )


RULES: Mapping[str, Rule] = {
    rule.__name__: rule
    for rule in (
        docstring, statement, verdict, seconds, resolution, finding, errata, premises, uses, bug, baseline,
    )
}  # fmt: skip


def smoke(claim: Claim) -> ClaimResult:
    """The claim at its smallest tier, in this process; `seconds` are of the processor, whatever else runs."""
    before = time.process_time()
    result = evaluate(claim, Settings(tier="smoke"))[0]
    return replace(result, seconds=time.process_time() - before)


def baseline_exponents(papers: Sequence[str]) -> frozenset[tuple[str, str]]:
    """(claim id, axis) of every exponent in the baselines of these papers, without the levels of fits; none
    without a baseline."""
    from claims.harness.commands.rates import baseline_file, read_baseline

    files = [baseline_file(paper) for paper in papers]
    found = [item for f in files if f.exists() for item in read_baseline(f).items()]
    return frozenset((claim, axis) for (claim, axis, _), entry in found if entry["axis"])
