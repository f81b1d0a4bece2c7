"""What `dpclaims list` shows of every claim, kept from the last time so that no claim need be imported.

The index is valid for exactly the sources that it was made from: its name is a digest of the paths, sizes and
modification times of every Python file below the folders of papers and the two packages under them. Another
file, or another content, is another name; then the claims are imported and a new index is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from audits.environments import cache_folder
from claims.harness.finding import Finding, finding_from_json
from claims.harness.places import OWN, other_folders
from claims.harness.run.temporary import write_whole

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


@dataclass(frozen=True, slots=True)
class Index:
    """All claims, and the broken files as (paper, sentence)."""

    claims: tuple[Entry, ...]
    problems: tuple[tuple[str, str], ...]


def index(folders: Sequence[Path | str] = ()) -> Index:
    """The index of all papers; ValueError as `discover`."""
    root = OWN.parent
    places = [OWN, root / "audits", root / "implementations", *other_folders(folders)]
    file = cache_folder() / f"index-{_signature(places)}.json"
    with suppress(OSError, ValueError, TypeError, KeyError):
        document = json.loads(file.read_text(encoding="utf-8"))
        return Index(
            tuple(_entry_from_json(e) for e in document["claims"]),
            tuple((paper, sentence) for paper, sentence in document["problems"]),
        )
    from claims.harness.discover import discover

    catalogue = discover(folders)
    made = Index(
        tuple(entry_of(claim) for claim in catalogue.claims),
        tuple((p.paper, p.sentence) for p in catalogue.problems),
    )
    _write(file, made)
    return made


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


def _entry_from_json(document: Mapping[str, Any]) -> Entry:
    finding = finding_from_json(document["finding"])
    uses = tuple((name, note) for name, note in document["uses"])
    return Entry(**{**document, "finding": finding, "rests_on": tuple(document["rests_on"]), "uses": uses})


def _signature(places: Sequence[Path]) -> str:
    digest = hashlib.sha256(f"{sys.version} {__file__}".encode())
    for place in places:
        for path, size, changed in sorted(_files(str(place))):
            digest.update(f"{path}\0{size}\0{changed}\n".encode())
    return digest.hexdigest()[:32]


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif entry.name.endswith(".py"):
                stat = entry.stat()
                yield entry.path, stat.st_size, stat.st_mtime_ns


def _write(file: Path, made: Index) -> None:
    """Keep the index; an older one goes. A folder that cannot be written is no obstacle."""
    with suppress(OSError, RuntimeError):
        document = {"claims": [asdict(e) for e in made.claims], "problems": made.problems}
        write_whole(file, json.dumps(document).encode())
        old = sorted(file.parent.glob("index-*.json"), key=lambda f: f.stat().st_mtime_ns)
        for each in old[:-8]:
            each.unlink()
