"""What a claim may be called: its id becomes names of files and folders, and parts of pages."""

from __future__ import annotations

import re

KEY = re.compile(r"[a-z][a-z0-9_]*")
NAME = re.compile(r"[a-z0-9][a-z0-9.]*(-[a-z0-9.]+)*")
TAKEN = frozenset({"errata", "index", "suite", "releases", "report", "harness", "mutants"})
"""Names of the site's own pages and of folders beside those of papers, which no paper may have."""
LONGEST = 120
"""Letters of an id: file systems take names of 255 bytes, and the names of temporary folders are longer."""


def check_id(claim_id: object) -> str:
    """The id of a claim, "paper/result" or "paper/result:reading"; ValueError for anything else.

    Ids are read from run folders, which may come from other people: no id may lead out of a folder.

    >>> check_id("song2021/theorem-2.6:corrected")
    'song2021/theorem-2.6:corrected'
    >>> check_id("song2021/../../x")
    Traceback (most recent call last):
    ValueError: a claim's id must look like song2021/theorem-2.6, got 'song2021/../../x'
    """
    if isinstance(claim_id, str) and len(claim_id) <= LONGEST:
        paper, _, rest = claim_id.partition("/")
        name, colon, reading = rest.partition(":")
        names = (name, reading) if colon else (name,)
        if KEY.fullmatch(paper) and paper not in TAKEN and all(NAME.fullmatch(each) for each in names):
            return claim_id
    raise ValueError(f"a claim's id must look like song2021/theorem-2.6, got {str(claim_id)[:LONGEST]!r}")


def result_of(claim_id: str) -> str:
    """The id of the printed result that a claim reads: a step of a proof belongs to its theorem.

    >>> result_of("song2021/theorem-b.1-proof:corrected")
    'song2021/theorem-b.1'
    """
    return claim_id.split(":")[0].removesuffix("-proof")
