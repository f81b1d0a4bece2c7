"""Finds the claims: every module claims/<paper>/<result>.py that holds a CLAIM or CLAIMS."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from claims._claim import Claim


def load(*patterns: str) -> list[Claim]:
    """The claims whose id matches one of the patterns, all without a pattern, sorted by id.

    A pattern is an id or a glob ("song2021/*"). Without a colon it matches all readings of a result, so
    "song2021/theorem-2.6" gives the printed claim and the corrected one.

    Raises ValueError where a pattern matches nothing, two claims share an id, or a claim file is broken.

    >>> [c.id for c in load("song2021/theorem-2.6")][0]
    'song2021/theorem-2.6'
    """
    return select(discover(), patterns)


def discover(root: Path | None = None) -> list[Claim]:
    """All claims below the package folder `root` (default: this package), sorted by id."""
    folder = root or Path(__file__).parent
    found: dict[str, Claim] = {}
    for file in sorted(folder.glob("[a-z]*/[a-z]*.py")):
        for claim in _claims_of(file):
            if claim.id in found:
                raise ValueError(f"two claims share the id {claim.id!r}; the second is in {file.name}")
            if not claim.id.startswith(file.parent.name + "/"):
                raise ValueError(f"{file.parent.name}/{file.name}: the id {claim.id!r} names another paper")
            found[claim.id] = claim
    return [found[key] for key in sorted(found)]


def select(claims: Iterable[Claim], patterns: Iterable[str]) -> list[Claim]:
    """Those of `claims` that match one of the patterns; all of them without a pattern."""
    claims = list(claims)
    wanted = list(patterns)
    if not wanted:
        return claims
    chosen: set[str] = set()
    for pattern in wanted:
        matching = [c.id for c in claims if matches(c.id, pattern)]
        if not matching:
            near = difflib.get_close_matches(pattern, [c.id for c in claims], n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else "; `dpclaims list` shows all"
            raise ValueError(f"no claim matches the pattern {pattern!r}{hint}")
        chosen.update(matching)
    return [c for c in claims if c.id in chosen]


def matches(claim_id: str, pattern: str) -> bool:
    """Whether an id matches a pattern, with or without its reading.

    >>> matches("song2021/theorem-2.6:corrected", "song2021/theorem-2.6")
    True
    >>> matches("song2021/theorem-2.6", "song2021/theorem-2.6:corrected")
    False
    """
    if fnmatchcase(claim_id, pattern):
        return True
    return ":" not in pattern and fnmatchcase(claim_id.split(":")[0], pattern)


def _claims_of(file: Path) -> list[Claim]:
    module_name = f"claims.{file.parent.name}.{file.stem}"
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise ValueError(f"{module_name} cannot be imported: {type(error).__name__}: {error}") from error
    claims = list(getattr(module, "CLAIMS", []))
    if hasattr(module, "CLAIM"):
        claims.append(module.CLAIM)
    if not claims:
        raise ValueError(f"{module_name} holds neither CLAIM nor CLAIMS")
    return claims
