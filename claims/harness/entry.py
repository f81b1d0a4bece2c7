"""What lists, maps and pages say of a claim; of one that only a run has, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from claims.harness.finding import Finding

if TYPE_CHECKING:
    from claims.harness.claim import Claim


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim as the list shows it; `name` and `variant` are the parts of its id.

    finding   what is wrong with it, where it is expected to fall
    summary   one line on a statement that holds
    rests_on  ids of the claims that it takes for granted
    label     as the paper calls it: "Theorem 3.1"
    uses      (id, note) of what the paper's proof uses
    place     where the paper's list of findings names it, from 0; the length of the list where it does not
    """

    id: str
    paper: str
    name: str
    variant: str
    kind: str
    role: str
    title: str
    expected: str
    finding: Finding | None
    summary: str
    rests_on: tuple[str, ...]
    label: str = ""
    uses: tuple[tuple[str, str], ...] = ()
    place: int = 0


def entry_of(claim: Claim) -> Entry:
    """A claim as the list shows it."""
    named = claim.paper.findings
    return Entry(
        id=claim.id,
        paper=claim.paper.key,
        name=claim.name,
        variant=claim.variant,
        kind=claim.kind.value,
        role=claim.role,
        title=claim.title,
        expected=claim.expected.value,
        finding=claim.finding,
        summary=claim.summary,
        rests_on=tuple(claim.rests_on),
        label=claim.result,
        uses=tuple(cast(Mapping[str, str], claim.uses).items()),
        place=named.index(claim.id) if claim.id in named else len(named),
    )
