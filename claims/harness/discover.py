"""Finds the claims: a folder with a PAPER is a paper, and each of its modules holds CLAIM, CLAIMS, or both.

This project's papers stand in `claims/`. Other people's stand in the folders named by ``--claims DIR``, by
``[tool.dpclaims] claims = ["DIR"]`` in the pyproject.toml of the current folder, or by the environment
variable DPCLAIMS_CLAIMS. A broken file is named, and leaves all others as they are.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from audits.foreign.calls import Failed, called
from claims.harness.claim import Claim, Paper
from claims.harness.places import OWN, matches, meant, near_miss, other_folders

NO_PAPERS = frozenset({"harness", "mutants"})


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file or folder, in one sentence that names it; `paper` is the folder's name."""

    paper: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What was found: the claims sorted by id, the papers by key, what is broken, and where it was looked."""

    claims: tuple[Claim, ...]
    papers: tuple[Paper, ...]
    problems: tuple[Problem, ...]
    folders: tuple[Path, ...]


def load(*patterns: str, claims: Sequence[Path | str] = ()) -> list[Claim]:
    """The claims whose id matches one of the patterns, all without a pattern, sorted by id.

    A pattern is an id or a glob ("song2021/*"). Without a colon it matches all readings of a result, so
    "song2021/theorem-2.6" gives the printed claim and the corrected one. `claims` names folders with papers
    of other people, beside those that the current project's pyproject.toml names.

    Raises ValueError where a pattern matches nothing, and for a folder that cannot be read. Files that are
    broken are left out; `discover` tells which.

    >>> [c.id for c in load("song2021/theorem-2.6")][0]
    'song2021/theorem-2.6'
    """
    return select(discover(claims), patterns)


def discover(folders: Sequence[Path | str] = ()) -> Catalogue:
    """All papers of this project, of `folders`, and of the current project's settings.

    Raises ValueError for a folder that does not exist.
    """
    claims: dict[str, Claim] = {}
    papers: dict[str, tuple[Paper, Path]] = {}
    problems: list[Problem] = []
    places = (OWN, *other_folders(folders))
    for place in places:
        for folder in _paper_folders(place, problems):
            module = f"claims.{folder.name}" if place == OWN else folder.name
            try:
                paper = _paper(module, folder)
                if paper.key in papers:
                    raise ValueError(
                        f"two papers are called {paper.key!r}: {papers[paper.key][1]} and {folder}; "
                        "rename one"
                    )
            except ValueError as error:
                problems.append(Problem(folder.name, str(error)))
                continue
            papers[paper.key] = (paper, folder)
            for file in sorted(folder.glob("[a-z]*.py")):
                try:
                    for claim in claims_of(f"{module}.{file.stem}", file, paper):
                        if claim.id in claims:
                            other = claims[claim.id].file
                            raise ValueError(f"{file} and {other} both hold a claim {claim.id!r}; rename one")
                        claims[claim.id] = claim
                except ValueError as error:
                    problems.append(Problem(paper.key, str(error)))
    return Catalogue(
        tuple(claims[key] for key in sorted(claims)),
        tuple(papers[key][0] for key in sorted(papers)),
        tuple(problems),
        places,
    )


def _paper_folders(place: Path, problems: list[Problem]) -> list[Path]:
    """The papers at `place`: the folder itself, or the folders in it."""
    if place != OWN and _holds_paper(place):
        return [place]
    found: list[Path] = []
    for folder in sorted(f for f in place.iterdir() if f.is_dir() and f.name[0].isalpha()):
        if place == OWN and folder.name in NO_PAPERS:
            continue
        if _holds_paper(folder):
            found.append(folder)
        elif any(_assigns("CLAIMS?", f) for f in folder.glob("[a-z]*.py")):
            sentence = (
                f"{folder}: its __init__.py holds no PAPER = Paper(…), so its claims belong to no paper"
            )
            problems.append(Problem(folder.name, sentence))
    return found


def _holds_paper(folder: Path) -> bool:
    file = folder / "__init__.py"
    return file.is_file() and _assigns("PAPER", file)


def _assigns(name: str, file: Path) -> bool:
    """Whether a module assigns such a name at its top level; it is not imported for that."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return re.search(rf"^{name}\b.*=", text, re.MULTILINE) is not None


def _paper(module: str, folder: Path) -> Paper:
    package = import_from(module, folder)
    paper = getattr(package, "PAPER", None)
    if not isinstance(paper, Paper):
        raise ValueError(f"{folder}: PAPER must be a Paper, got {paper!r}")
    if paper.key != folder.name:
        raise ValueError(f"{folder}: the paper's key {paper.key!r} must be the folder's name")
    return paper


def import_from(module: str, place: Path) -> Any:
    """Import `module`, whose source is `place`; ValueError, naming the file, where that fails."""
    root = str(place.parents[module.count(".")])
    if module.split(".")[0] != "claims" and root not in sys.path:
        sys.path.append(root)
    found = called(importlib.import_module, module)
    if type(found) is Failed:
        raise ValueError(f"{place} cannot be imported: it {found.sentence}") from found.error
    file = Path(str(getattr(found, "__file__", "")))
    if file not in (place, place / "__init__.py") and file.resolve() not in (place, place / "__init__.py"):
        raise ValueError(f"{place} cannot be imported: the name {module!r} is taken by {file}; rename it")
    return found


def claims_of(module: str, file: Path, paper: Paper) -> list[Claim]:
    """The claims of one module, with its name, file and docstring; ValueError, naming the file, if broken."""
    found = import_from(module, file)
    claims = list(getattr(found, "CLAIMS", []))
    if hasattr(found, "CLAIM"):
        claims.insert(0, found.CLAIM)
    if not claims:
        raise ValueError(f"{file} holds neither CLAIM nor CLAIMS; a helper's name begins with an underscore")
    for claim in claims:
        if not isinstance(claim, Claim):
            raise ValueError(f"{file}: CLAIM and CLAIMS hold claims, got {type(claim).__name__}")
        if claim.paper != paper:
            raise ValueError(f"{file}: {claim.id} names another paper than its folder, {paper.key!r}")
    doc = getattr(found, "__doc__", None) or ""
    return [replace(claim, module=module, file=file, doc=doc) for claim in claims]


def select(found: Catalogue | Iterable[Claim], patterns: Iterable[str]) -> list[Claim]:
    """Those claims that match one of the patterns; all of them without a pattern."""
    problems = found.problems if isinstance(found, Catalogue) else ()
    claims = list(found.claims if isinstance(found, Catalogue) else found)
    wanted = list(patterns)
    if not wanted:
        return claims
    chosen: set[str] = set()
    for pattern in wanted:
        named = meant(pattern, {c.id: c.result for c in claims})
        matching = [c.id for c in claims if matches(c.id, named)]
        if not matching:
            broken_files = [(p.paper, p.sentence) for p in problems]
            raise ValueError(near_miss(pattern, [c.id for c in claims], broken_files))
        chosen.update(matching)
    return [c for c in claims if c.id in chosen]


def broken(found: Catalogue, patterns: Sequence[str]) -> list[Problem]:
    """The problems of the papers that the patterns reach; all of them without a pattern."""
    papers = [pattern.split("/")[0] for pattern in patterns]
    return [p for p in found.problems if not papers or any(fnmatchcase(p.paper, each) for each in papers)]
