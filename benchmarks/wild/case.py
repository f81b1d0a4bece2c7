"""A case: one function of one release, what it claims, and what the audit is expected to say.

It is a row of `cases/cases.csv`, its environment the row of its release in `cases/releases.csv`. The file
beside them has the function; it runs in the environment, where this project is not installed.
"""

from __future__ import annotations

import ast
import hashlib
import subprocess
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

FOLDER = Path(__file__).resolve().parent / "cases"
EXPECTED = {
    "documented bug": "refuted",
    "fixed": "not-refuted",
    "presumed correct": "not-refuted",
    "adjacency": "refuted",
    "finding": "refuted",
}
"""What may be known of a case, and the verdict that follows."""
ADJACENCIES = ("replace", "add-remove", "own")
LISTS = ("requirements", "primitives", "drawn")
"""Columns of words with spaces between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the table.

    file, function   where the mechanism stands; its pairs are the file's `pairs`.
    library, python, requirements, dependencies   the environment: the release, the version of Python, further
                     packages, and whether what the packages depend on is installed too ("yes" or "no").
    of, released     the function of the library, and what is released of what it computes.
    adjacency        "replace", "add-remove", or "own": the file's function `adjacency`.
    epsilon, delta   the claim.
    max_samples      as for `audit_privacy`.
    footprints       whether the lowest bits of the outputs decide, too ("yes"): the result's `footprints`.
    status, reference   what is known of it, and where that can be read.
    primitives       for the grey box: functions that add noise themselves.
    drawn, line      read in the source by hand, as library/module.py:12, where they are known: the lines at
                     which what breaks the claim is drawn or leaves, any of which is right, and the line that
                     a correction changes.
    """

    file: Path
    library: str
    function: str
    adjacency: str
    epsilon: float
    delta: float
    max_samples: int
    footprints: str
    primitives: tuple[str, ...]
    of: str
    released: str
    status: str
    reference: str
    line: str
    drawn: tuple[str, ...]
    python: str
    requirements: tuple[str, ...]
    dependencies: str

    def __post_init__(self) -> None:
        for name, allowed in (("status", tuple(EXPECTED)), ("adjacency", ADJACENCIES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{self.id}: {name} must be one of {allowed}, got {getattr(self, name)!r}")
        if not self.python:
            raise ValueError(f"{self.id}: releases.csv has no row {self.library!r}")
        if not self.file.is_file():
            raise ValueError(f"{self.id}: there is no file {self.file.name}")
        if self.status == "documented bug" and not self.reference:
            raise ValueError(f"{self.id}: a documented bug needs a reference")

    @property
    def id(self) -> str:
        """Release and function, as diffprivlib==0.3.0/pca."""
        return f"{self.library}/{self.function}"

    @property
    def expected(self) -> str:
        """The verdict that follows from what is known of the case."""
        return EXPECTED[self.status]

    def described(self) -> dict[str, Any]:
        """What the table says of the case, whatever comes of it."""
        return {
            "id": self.id,
            "library": self.library,
            "python": self.python,
            "function": self.of,
            "released": self.released,
            "adjacency": self.adjacency,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "status": self.status,
            "expected": self.expected,
            "reference": self.reference,
            "line": self.line,
            "drawn": list(self.drawn),
        }

    def digest(self) -> str:
        """A fingerprint of what the result is computed from: the code of the file, without comments, and the
        case without what is only said of it."""
        told = {"file", "primitives", "of", "released", "status", "reference", "line", "drawn"}
        code = ast.unparse(ast.parse(self.file.read_text(encoding="utf-8")))
        case = repr([(f.name, getattr(self, f.name)) for f in fields(self) if f.name not in told])
        return hashlib.sha256((code + case).encode()).hexdigest()[:16]


def all_cases(folder: Path = FOLDER) -> list[Case]:
    """The cases of a folder. Raises ValueError where a row says too little, and where an id stands twice."""
    cases, releases = (
        pd.read_csv(folder / name, dtype=str, keep_default_na=False) for name in ("cases.csv", "releases.csv")
    )
    rows = cases.merge(releases, on="library", how="left", validate="many_to_one").fillna("")
    found = [
        Case(
            **row
            | {name: tuple(row[name].split()) for name in LISTS}
            | {
                "file": folder / row["file"],
                "epsilon": float(row["epsilon"]),
                "delta": float(row["delta"] or 0.0),
                "max_samples": int(row["max_samples"]),
            }
        )
        for row in rows.to_dict("records")
    ]
    ids = pd.Series([case.id for case in found])
    if ids.duplicated().any():
        raise ValueError(f"two cases have one id: {', '.join(ids[ids.duplicated()])}")
    return found


def commit() -> str:
    """The commit of the code that runs, shortened; empty where there is no repository."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        answer = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return answer.stdout.strip()
