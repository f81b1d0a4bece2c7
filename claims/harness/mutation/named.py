"""The bugs that are written down: one TOML file an algorithm in `claims/mutants`, read and checked here.

Those of other people's papers stand in a folder `mutants` of the paper.

A file begins with ``module = "package.module"``, the module of the functions that its bugs replace; a bug in
another module names it ("package.module:function"). Each bug is a table, its name in brackets, with

    bug        one sentence: what is wrong
    replaces   the function, or Class.method
    old, new   a text that occurs once in the function's source, and what stands there with the bug
    caught_by  ids of the claims that notice; where it is [], all claims that import the module are asked
    axis       (if any) the axis whose exponent the bug changes
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import claims.mutants
from claims.harness.mutation.plant import Mutant
from claims.harness.places import matches, nearest

FOLDER = Path(claims.mutants.__path__[0])
NEEDED = frozenset({"bug", "replaces", "old", "new", "caught_by"})
KINDS = NEEDED | {"axis"}


def bug_folders(papers: Sequence[Path]) -> tuple[Path, ...]:
    """Where bugs are written down: here, and in the folder `mutants` of each paper of other people."""
    inside = [paper / "mutants" for place in papers for paper in (place, *sorted(place.iterdir()))]
    return tuple(dict.fromkeys([FOLDER, *filter(Path.is_dir, inside)]))


def named(patterns: Sequence[str] = (), folders: Sequence[Path] = (FOLDER,)) -> list[Mutant]:
    """All named bugs of these folders that match one of the patterns, sorted by name.

    A pattern is the name of a bug or a glob ("song2021-*"), a paper, or the id of a claim that must notice.

    Raises ValueError where none matches, where two bugs have one name, and as `read_bugs`.
    """
    found: dict[str, Mutant] = {}
    for file in sorted(f for folder in folders for f in folder.glob("[a-z]*.toml")):
        for mutant in read_bugs(file):
            if other := found.get(mutant.name):
                raise ValueError(f"{mutant.place}: the name is taken by a bug in {other.file}; rename one")
            found[mutant.name] = mutant
    chosen = [found[n] for n in sorted(found) if not patterns or any(_chosen(found[n], p) for p in patterns)]
    if not chosen:
        papers = sorted({name.split("-")[0] for name in found})
        near = nearest(patterns[0], papers if "-" not in patterns[0] else list(found)) if patterns else ""
        hint = f"did you mean {near!r}?" if near else "names begin with a paper, say 'song2021-*'"
        raise ValueError(f"no mutant matches {', '.join(patterns)!r}; {hint}")
    return chosen


@cache
def noticing(folders: tuple[Path, ...] = (FOLDER,)) -> Mapping[str, Sequence[str]]:
    """The names of the bugs in these folders that each claim notices, by the claim's id."""
    found: dict[str, list[str]] = {}
    for mutant in named((), folders):
        for claim_id in mutant.caught_by:
            found.setdefault(claim_id, []).append(mutant.name)
    return found


def _chosen(mutant: Mutant, pattern: str) -> bool:
    """Whether a pattern names the bug, the paper that it is planted in ("song2021", "song2021/*"), or a claim
    that notices it."""
    paper = mutant.name.split("-")[0]
    if "-" not in pattern and fnmatchcase(paper, pattern.removesuffix("/*")):
        return True
    return fnmatchcase(mutant.name, pattern) or any(matches(c, pattern) for c in mutant.caught_by)


def read_bugs(file: Path) -> list[Mutant]:
    """The bugs of one file, in its order; ValueError, naming the file and the bug, where one is malformed."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file.name}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file.name} cannot be read: {error}") from None
    module = document.pop("module", "")
    if not isinstance(module, str):
        raise ValueError(f'{file.name}: module must be a name in quotes ("package.module"), got {module!r}')
    return [_read(file, module, name, table) for name, table in document.items()]


def _read(file: Path, module: str, name: str, table: Any) -> Mutant:
    place = f"{file.name}, [{name}]"
    if not isinstance(table, dict):
        raise ValueError(f"{file.name}: a bug is a table ([name], then its keys), got {name} = {table!r}")
    if unknown := sorted(table.keys() - KINDS):
        raise ValueError(f"{place}: unknown key {unknown[0]!r}; known: {', '.join(sorted(KINDS))}")
    if missing := sorted(NEEDED - table.keys()):
        raise ValueError(f"{place}: {missing[0]} is missing")
    for key, value in table.items():
        if key == "caught_by":
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise ValueError(f"{place}: caught_by must be a list of claim ids in quotes, got {value!r}")
        elif not isinstance(value, str) or (not value and key != "new"):
            raise ValueError(f"{place}: {key} must be a text in quotes, got {value!r}")
    replaces = table["replaces"] if ":" in table["replaces"] else f"{module}:{table['replaces']}"
    if replaces.startswith(":"):
        raise ValueError(
            f"{place}: replaces must be package.module:function where the file names no module, "
            f"got {table['replaces']!r}"
        )
    return Mutant(
        name=name,
        bug=table["bug"],
        replaces=replaces,
        swap=(table["old"], table["new"]),
        caught_by=tuple(table["caught_by"]),
        axis=table.get("axis"),
        file=file,
    )
