"""What a page shows of a run: printed results with their readings, how each stands, and why."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audits.evidence import Evidence, Verdict
from claims.harness.claim import Claim
from claims.harness.finding import Finding, Weight
from claims.harness.ids import result_of
from claims.harness.run.result import ClaimResult, RunResult
from claims.harness.standing import MATTERS, Standing, standing

MEANING = {
    Standing.HOLDS: "The statement as printed passes, and so does every reading that matters.",
    Standing.NEARLY: "The statement as printed fails by a logarithm, a constant or a misprint, or in a "
    "corner case; what is meant holds.",
    Standing.LETTER_ONLY: "The statement as printed passes, but not for what it is used for: a reading that "
    "matters falls.",
    Standing.FALLS: "The statement as printed has a counterexample.",
    Standing.OPEN: "Nothing decides it.",
}
VERDICTS = {
    "CONFIRMED": "A computation decides the statement over its whole domain at the tested parameters.",
    "CONSISTENT": "The samples do not contradict the statement; the resolution is the smallest violation "
    "that this run would have caught with probability 0.9.",
    "REFUTED": "An exact counterexample, or data that contradict the statement at the run's error level.",
    "INCONCLUSIVE": "The resolution is worse than the statement asks for, or nothing decides it.",
    "CRASHED": "The check raised an exception before it could judge: a fault of the check, not a verdict.",
}
ORDER = ("printed", "control", "program", "reading", "corrected", "proof")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|eq|sec|resp|al|Thm|Lem)|\b[A-Z])\.$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One claim about a printed result, as the run found it; `result` is None where the run lacks it."""

    claim: Claim
    result: ClaimResult | None
    stand_in: bool

    @property
    def id(self) -> str:
        return self.claim.id

    @property
    def role(self) -> str:
        return self.claim.role

    @property
    def anchor(self) -> str:
        """Where it stands on the page of its result."""
        return anchor_of(self.id)

    @property
    def verdict(self) -> str:
        """The verdict of the run, CRASHED, or what is expected where the run does not hold the claim."""
        if self.result is None:
            return self.claim.expected.value
        return "CRASHED" if self.result.verdict is None else self.result.verdict.value

    @property
    def name(self) -> str:
        """What tells it from the other readings, in words."""
        parts = self.id.split("/", 1)[1].partition(":")
        variant = parts[2].replace("-", " ")
        if self.role == "proof" or parts[0].endswith("-proof"):
            return f"proof, {variant}" if variant else "a step of the proof"
        return variant or "as printed"

    @property
    def finding(self) -> Finding | None:
        return self.claim.finding

    @property
    def deciding(self) -> Evidence | None:
        """The first piece of evidence that carries the verdict by itself."""
        if self.result is None or self.result.verdict is None:
            return None
        return next((e for e in self.result.evidence if e.verdict is self.result.verdict), None)

    @property
    def follows(self) -> str:
        """What follows from the verdict, in a sentence."""
        if self.finding is not None and self.verdict == "REFUTED":
            return whole(first_sentence(self.finding.what))
        return whole(first_sentence(self.claim.summary))

    @property
    def argument(self) -> str:
        """The docstring of the module that it is checked in."""
        return inspect.cleandoc(self.claim.doc)

    @property
    def source(self) -> str:
        """The file that it is checked in, as in the repository."""
        return f"{self.claim.module.replace('.', '/')}.py" if self.claim.module else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A printed result: its readings, the printed statement first, and how it stands by their verdicts."""

    id: str
    paper: str
    readings: Sequence[Reading]
    standing: Standing

    @property
    def name(self) -> str:
        """The second part of its id."""
        return self.id.split("/", 1)[1]

    @property
    def printed(self) -> Reading:
        return self.readings[0]

    @property
    def heading(self) -> str:
        """ "Theorem 3.1"."""
        return self.printed.claim.result.removesuffix(", proof")

    @property
    def title(self) -> str:
        return self.printed.claim.title

    @property
    def fallen(self) -> list[Reading]:
        """What is refuted and has a finding, the heaviest first, the printed statement before readings."""
        found = [r for r in self.readings if r.verdict == "REFUTED" and r.finding is not None]
        return sorted(found, key=lambda r: (r.finding.weight.rank if r.finding else 0, ORDER.index(r.role)))

    @property
    def gravest(self) -> Reading | None:
        """The reading whose finding decides how the result stands."""
        if self.standing is Standing.LETTER_ONLY:
            return next((r for r in self.fallen if r.role == "reading" and _weight(r) in MATTERS), None)
        if self.standing in (Standing.FALLS, Standing.NEARLY):
            return next((r for r in self.fallen if r.role in ORDER[:3]), None)
        return None

    @property
    def weight(self) -> str:
        """The weight of its heaviest finding, "" without one."""
        return str(_weight(self.fallen[0])) if self.fallen else ""

    @property
    def why(self) -> str:
        """One sentence behind the standing: what happens, or what is left open."""
        if self.gravest is not None and self.gravest.finding is not None:
            return whole(first_sentences(self.gravest.finding.what))
        crashed = [r.name for r in self.readings if r.verdict == "CRASHED"]
        if crashed:
            return f"The check crashed ({', '.join(crashed)})."
        if self.stand_in:
            return "On a synthetic stand-in nothing contradicts it; about the real data nothing is decided."
        if self.standing is Standing.OPEN:
            return self.printed.follows
        if self.printed.verdict == "CONFIRMED":
            return "A computation decides it at the tested parameters."
        if self.printed.verdict == "CONSISTENT":
            return "Samples do not contradict it."
        return ""

    @property
    def survives(self) -> str:
        """What is left of a statement that falls, in a sentence."""
        found = self.gravest.finding if self.gravest is not None else None
        return whole(first_sentence(found.survives)) if found is not None else ""

    @property
    def kind(self) -> str:
        return self.printed.claim.kind.value

    @property
    def badge(self) -> tuple[str, str, str]:
        """Class, mark and words of its badge; what was measured on stand-in data decides nothing."""
        if self.is_control and self.standing is Standing.FALLS:
            return ("holds", "✓", "falls, as it must")
        if self.stand_in and self.standing is Standing.OPEN:
            return ("standin", "?", "not decided: stand-in data")
        return self.standing.badge

    @property
    def alpha_spent(self) -> float:
        return sum(r.result.alpha_spent for r in self.readings if r.result is not None)

    @property
    def is_control(self) -> bool:
        return self.paper == "controls"

    @property
    def is_line_by_line(self) -> bool:
        """Whether it compares the program with the printed lines: no result of the paper, but what the
        checks of results rest on."""
        return self.printed.role == "program"

    @property
    def stand_in(self) -> bool:
        return self.printed.stand_in


def _weight(reading: Reading) -> Weight | None:
    return reading.finding.weight if reading.finding is not None else None


def anchor_of(claim_id: str) -> str:
    """Where a claim stands on the page of its result.

    >>> anchor_of("a/lemma-1"), anchor_of("a/lemma-1:fixed"), anchor_of("a/lemma-1-proof:fixed")
    ('printed', 'fixed', 'proof-fixed')
    """
    name, _, variant = claim_id.partition(":")
    parts = [*(["proof"] if name.endswith("-proof") else []), *([variant] if variant else [])]
    return "-".join(parts) or "printed"


def results_of(run: RunResult, catalogue: Mapping[str, Claim]) -> list[Result]:
    """The printed results that the run speaks of, in the order of the run.

    A reading that the catalogue knows and the run does not hold counts with its expected verdict: a run of
    one reading must not make a result look better than it is. Claims of the run that the catalogue does not
    know are left out.
    """
    stored = {r.id: r for r in run.claims if r.id in catalogue}
    members: dict[str, list[Claim]] = {result_of(claim_id): [] for claim_id in stored}
    for claim_id in [*stored, *(c for c in catalogue if c not in stored)]:
        if result_of(claim_id) in members:
            members[result_of(claim_id)].append(catalogue[claim_id])
    no_data = run.provenance.get("data") is None
    return [_result(result, claims, stored, no_data) for result, claims in members.items()]


def _result(result: str, claims: Sequence[Claim], stored: Mapping[str, ClaimResult], no_data: bool) -> Result:
    readings = [
        Reading(claim=c, result=stored.get(c.id), stand_in=c.check_data is not None and no_data)
        for c in claims
    ]
    readings.sort(key=lambda r: (ORDER.index(r.role) if r.role in ORDER else len(ORDER), r.id))
    found_standing = standing([as_found(r) for r in readings])
    # What passes on stand-in data says nothing about the data that the paper means.
    if found_standing is Standing.HOLDS and readings[0].stand_in:
        found_standing = Standing.OPEN
    return Result(
        id=result, paper=result.split("/")[0], readings=tuple(readings), standing=found_standing
    )  # fmt: skip


def as_found(reading: Reading) -> Claim:
    """The claim with the verdict that was found in place of the expected one."""
    verdict = Verdict.INCONCLUSIVE if reading.verdict == "CRASHED" else Verdict(reading.verdict)
    finding = reading.claim.finding if verdict is Verdict.REFUTED else None
    return replace(reading.claim, expected=verdict, finding=finding)


def whole(text: str) -> str:
    """A phrase that begins like a sentence; a first word of one letter is a variable and stays.

    >>> whole("line 3 lacks a factor"), whole("n = 2 is enough")
    ('Line 3 lacks a factor', 'n = 2 is enough')
    """
    return text[:1].upper() + text[1:] if text[:2].isalpha() and text[:2].isascii() else text


def first_sentence(text: str) -> str:
    """The first sentence of a text, without a full stop inside a formula, a number or an abbreviation.

    >>> first_sentence("By Lemma 3.6 it moves by 2, e.g. here. The proof has 1.")
    'By Lemma 3.6 it moves by 2, e.g. here.'
    """
    before = dollars = brackets = 0
    for found in re.finditer(r"[.!?](?=\s+[^a-z\s])", text):
        end = found.end()
        dollars += text.count("$", before, end)
        brackets += text.count("(", before, end) - text.count(")", before, end)
        if dollars % 2 == brackets == 0 and not _ABBREVIATION.search(text, max(before, end - 8), end):
            return text[:end]
        before = end
    return text


def first_sentences(text: str, least: int = 110) -> str:
    """As many sentences as make `least` characters: a short first one rarely says what happens.

    >>> first_sentences("It is quoted. At n = 1 it is 2. More.", 20)
    'It is quoted. At n = 1 it is 2.'
    """
    said = first_sentence(text)
    while len(said) < least and len(said) < len(text):
        rest = text[len(said) :]
        said += rest[: len(rest) - len(rest.lstrip())] + first_sentence(rest.lstrip())
    return said


def doi_of(claim: Claim | None) -> str:
    """The DOI in the file paper.bib beside the claims of a paper, "" without one."""
    file = claim.file.parent / "paper.bib" if claim is not None and claim.file is not None else None
    if file is None or not file.is_file():
        return ""
    found = re.search(r"^\s*doi\s*=\s*[{\"]([^}\"\s]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def said_by(provenance: Mapping[str, Any]) -> str:
    """Tier and seed of a run, as options of the command that repeats it."""
    data = provenance.get("data")
    alpha = provenance["alpha"]
    more = f" --alpha {alpha:g}" if alpha != 0.001 else ""
    named = f" --data {Path(str(data.get('name'))).name}" if isinstance(data, dict) else ""
    return f"--tier {provenance['tier']} --seed {provenance['seed']}{more}{named}"
