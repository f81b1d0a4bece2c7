"""Where papers stand, and which ids a pattern means; without a claim being imported."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

OWN = Path(__file__).resolve().parent.parent
"""The folder of this project's papers."""
RUNS = Path("reports") / "runs"
"""Where runs are kept unless --out names a folder, relative to the current folder."""


def other_folders(named: Sequence[Path | str] = ()) -> list[Path]:
    """The folders of other people's papers: those named, those of DPCLAIMS_CLAIMS, and of pyproject.toml."""
    inherited = [Path(f) for f in os.environ.get("DPCLAIMS_CLAIMS", "").split(os.pathsep) if f]
    found = [*map(Path, named), *inherited, *_configured()]
    for folder in found:
        if not folder.is_dir():
            raise ValueError(f"claims folder {str(folder)!r} does not exist")
    resolved = [f.resolve() for f in found]
    # A folder that is a paper itself stands for the folder that holds it.
    return [f for f in dict.fromkeys(resolved) if f != OWN and f.parent != OWN]


def _configured() -> list[Path]:
    file = Path("pyproject.toml")
    if not file.is_file():
        return []
    try:
        tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
        names = tools.get("dpclaims", {}).get("claims", [])
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError, RecursionError, AttributeError) as error:
        raise ValueError(f"pyproject.toml cannot be read: {error}") from error
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ValueError(f"[tool.dpclaims] claims must be a list of folders in pyproject.toml, got {names!r}")
    return [Path(name) for name in names]


def near_miss(pattern: str, ids: Sequence[str], problems: Sequence[tuple[str, str]]) -> str:
    """Why a pattern matches nothing: the paper's broken files, or the id that was perhaps meant.

    What is suggested stays in the paper that was named, or in the one that is most like it.

    >>> near_miss("a2020/theorem-7", ["a2020/lemma-1", "b2020/theorem-7"], ())
    "no claim matches the pattern 'a2020/theorem-7'; `dpclaims list a2020` shows what there is"
    >>> near_miss("b2002/theorem-7", ["a2020/lemma-1", "b2020/theorem-7"], ())
    "no claim matches the pattern 'b2002/theorem-7'; did you mean 'b2020/theorem-7'?"
    """
    if sentences := [sentence for paper, sentence in problems if paper == pattern.split("/")[0]]:
        return f"no claim matches the pattern {pattern!r}: {'; '.join(sentences)}"
    papers = sorted({each.split("/")[0] for each in ids})
    paper, _, result = pattern.partition("/")
    meant = nearest(paper, papers)
    inside = [each.partition("/")[2] for each in ids if meant and each.startswith(f"{meant}/")]
    found = nearest(result, inside) if result else ""
    near = f"{meant}/{found}" if found else "" if result else meant
    shown = f"dpclaims list {meant}" if meant else "dpclaims list"
    hint = f"; did you mean {near!r}?" if near else f"; `{shown}` shows what there is"
    return f"no claim matches the pattern {pattern!r}{hint}"


def meant(pattern: str, labels: Mapping[str, str]) -> str:
    """The id that a person meant who gave a label, a number, or a result without its paper; else the pattern.

    labels  what each claim is called in its paper ("Theorem 3.1"), by its id.

    Raises ValueError where it means several results, and names them.

    >>> known = {"a2020/theorem-3.1": "Theorem 3.1", "a2020/theorem-3.1:private": "Theorem 3.1"}
    >>> [meant(p, known) for p in ("theorem-3.1", "Theorem 3.1 (a2020)", "a2020/3.1:private", "lemma-1")]
    ['a2020/theorem-3.1', 'a2020/theorem-3.1', 'a2020/theorem-3.1:private', 'lemma-1']
    >>> meant("3.1", known | {"b2021/lemma-3.1": "Lemma 3.1"})
    Traceback (most recent call last):
    ValueError: '3.1' is the name of a2020/theorem-3.1 and b2021/lemma-3.1: give a whole id
    """
    if any(matches(each, pattern) for each in labels):
        return pattern
    called_in = re.fullmatch(r"(.+) \((\w+)\)", pattern)  # as `show` prints it
    paper, slash, rest = (f"{called_in[2]}/{called_in[1]}" if called_in else pattern).rpartition("/")
    name, colon, reading = rest.partition(":")
    wanted = name.lower().replace(" ", "-")
    found: dict[str, None] = {}
    for each, label in labels.items():
        of, _, called = each.split(":")[0].partition("/")
        known = {called, label.lower().replace(" ", "-"), label.rpartition(" ")[2]}
        if wanted in known and (not slash or of == paper):
            found[f"{of}/{called}"] = None
    exact = [each for each in found if each.endswith(f"/{wanted}")]
    chosen = exact if len(exact) == 1 else list(found)
    if len(chosen) > 1:
        raise ValueError(f"{pattern!r} is the name of {' and '.join(chosen)}: give a whole id")
    return f"{chosen[0]}{colon}{reading}" if chosen else pattern


def nearest(pattern: str, names: Sequence[str]) -> str:
    """The name that begins with the pattern, or looks most like it; "" where none does.

    >>> nearest("song2021/theorem-2", ["song2021/theorem-3.2", "song2021/theorem-2.6"])
    'song2021/theorem-2.6'
    """
    begins = sorted((name for name in names if name.startswith(pattern)), key=len)
    return next(iter([*begins, *difflib.get_close_matches(pattern, names, n=1, cutoff=0.5)]), "")


def matches(claim_id: str, pattern: str) -> bool:
    """Whether an id matches a pattern, with or without its reading; a paper alone means all of it.

    >>> matches("song2021/theorem-2.6:corrected", "song2021/theorem-2.6")
    True
    >>> matches("song2021/theorem-2.6", "song2021/theorem-2.6:corrected")
    False
    >>> matches("song2021/theorem-2.6", "song2021")
    True
    """
    if fnmatchcase(claim_id, pattern) or fnmatchcase(claim_id, f"{pattern}/*"):
        return True
    return ":" not in pattern and fnmatchcase(claim_id.split(":")[0], pattern)
