"""A case: one function of one release, what it claims, and what the audit is expected to say.

A file below `cases/` runs in the environment of its release, where this project is not installed. What its
cases need to run is therefore read without importing it: `RELEASES` and `CASES` are literals. Each release of
the file is audited on each of its cases; a key may stand in either, and a case's own counts. What is known of
a case, and what no result depends on, is its row of `cases/cases.csv`.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import subprocess
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

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
KNOWN = ("of", "released", "status", "reference", "line", "drawn")
"""The columns of `cases.csv` beside the id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the table.

    file, function   where the mechanism stands; its pairs are the file's `pairs`.
    library, python, requirements, dependencies   the environment: the release, the version of Python, further
                     packages, and whether what the packages depend on is installed too.
    of, released     the function of the library, and what is released of what it computes.
    adjacency        "replace", "add-remove", or "own": the file's function `adjacency`.
    epsilon, delta   the claim.
    status, reference   what is known of it, and where that can be read.
    primitives       for the grey box: functions that add noise themselves.
    drawn, line      read in the source by hand, as library/module.py:12, where they are known: the lines at
                     which what breaks the claim is drawn or leaves, any of which is right, and the line that
                     a correction changes.
    errors, max_samples, time_limit   as for `audit_privacy`; the time in seconds.
    footprints       whether the lowest bits of the outputs decide, too: the result's `footprints`.
    """

    file: Path
    function: str
    library: str
    of: str
    released: str
    adjacency: str
    epsilon: float
    status: str
    python: str = "3.11"
    requirements: tuple[str, ...] = ()
    dependencies: bool = True
    delta: float = 0.0
    reference: str = ""
    errors: str = "raise"
    footprints: bool = False
    max_samples: int = 4000
    time_limit: float = 900.0
    primitives: tuple[str, ...] = ()
    line: str = ""
    drawn: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, allowed in (("status", tuple(EXPECTED)), ("adjacency", ADJACENCIES)):
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"{self.file.name}: {name} must be one of {allowed}, got {getattr(self, name)!r}"
                )
        if "==" not in self.library:
            raise ValueError(f"{self.file.name}: library must be name==version, got {self.library!r}")
        if self.status == "documented bug" and not self.reference:
            raise ValueError(f"{self.file.name}: a documented bug needs a reference")

    @property
    def id(self) -> str:
        """Release and function, as diffprivlib==0.3.0/pca."""
        return f"{self.library}/{self.function}"

    @property
    def expected(self) -> str:
        """The verdict that follows from what is known of the case."""
        return EXPECTED[self.status]

    @property
    def packages(self) -> tuple[str, ...]:
        """What the environment holds."""
        return (self.library, *self.requirements)

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
        """A fingerprint of what the result is computed from: the code of the file, and the case without what
        is only said of it."""
        told = {"file", "primitives", *KNOWN}
        case = repr([(f.name, getattr(self, f.name)) for f in fields(self) if f.name not in told])
        return hashlib.sha256((_code(self.file) + case).encode()).hexdigest()[:16]


def cases_of(file: Path) -> list[Case]:
    """The cases of a file. Raises ValueError where it says too little or something else than literals, or
    where `cases.csv` beside it has no row of a case."""
    said, rows = _literals(file), known(file.parent)
    for name in ("RELEASES", "CASES"):
        if not isinstance(said.get(name), list):
            raise ValueError(f"{file.name} must have a list {name} of dictionaries, of literals only")
    keys = {f.name for f in fields(Case)} - {"file", *KNOWN}
    found: list[Case] = []
    for release in said["RELEASES"]:
        for case in said["CASES"]:
            both = release | case
            if unknown := set(both) - keys:
                raise ValueError(f"{file.name}: unknown keys {sorted(unknown)}")
            name = f"{both.get('library')}/{both.get('function')}"
            if name not in rows:
                raise ValueError(f"{file.name}: cases.csv has no row {name}")
            lists = {key: tuple(both.get(key, ())) for key in ("requirements", "primitives")}
            row = rows[name] | {"drawn": tuple(rows[name]["drawn"].split())}
            try:
                found.append(Case(file=file, **both | lists | row))
            except TypeError as error:
                raise ValueError(f"{file.name}: {error}") from None
    return found


def known(folder: Path) -> dict[str, dict[str, str]]:
    """The rows of `cases.csv` of a folder by their ids. Raises ValueError where two have one id."""
    with (folder / "cases.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    ids = [row["id"] for row in rows]
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise ValueError(f"two rows of cases.csv have one id: {', '.join(twice)}")
    return {row["id"]: {name: row[name] or "" for name in KNOWN} for row in rows}


def all_cases(folder: Path = FOLDER) -> list[Case]:
    """The cases of every file of a folder. Raises ValueError where two have one id."""
    found = [case for file in sorted(folder.glob("*.py")) for case in cases_of(file)]
    ids = [case.id for case in found]
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise ValueError(f"two cases have one id: {', '.join(twice)}")
    if without := sorted(set(known(folder)) - set(ids)):
        raise ValueError(f"rows of cases.csv without a case: {', '.join(without)}")
    return found


def commit() -> str:
    """The commit of the code that runs, shortened; empty where there is no repository."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        answer = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return answer.stdout.strip()


def _code(file: Path) -> str:
    """The statements of a file without its lists of releases and cases, and without comments."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    kept = [
        node
        for node in module.body
        if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("RELEASES", "CASES"))
    ]
    return ast.unparse(ast.Module(body=kept, type_ignores=[]))


def _literals(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found
