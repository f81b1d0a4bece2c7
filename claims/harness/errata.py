"""Checks of findings that anybody can run: short programs that import nothing of this project.

The check of ``song2021/theorem-2.6:corrected`` is the file ``errata/theorem-2.6_corrected.py`` in the folder
of the paper. It prints what the paper states and what is found, and fails where the finding does not stand.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from claims.harness.claim import Claim
from claims.harness.finding import CHECKED

MOST_LINES = 30
SECONDS = 60.0
"""After which a check is ended; on a quiet machine it takes less than ten."""
LIBRARIES = frozenset({"numpy", "scipy"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check printed, and what is wrong with it; `problem` is None where nothing is."""

    output: str
    problem: str | None


def owes_check(claim: Claim) -> bool:
    """Whether a finding must come with a check of its own: a heavy one that follows from no other."""
    found = claim.finding
    return (
        found is not None and claim.role != "control" and found.weight in CHECKED and not found.follows_from
    )


def check_file(claim: Claim) -> Path:
    """Where the check of a claim's finding stands; ValueError for a claim that stands in no file."""
    if claim.file is None:
        raise ValueError(f"{claim.id} was not loaded from a file, so it has no folder for its check")
    reading = f"_{claim.variant}" if claim.variant else ""
    return claim.file.parent / "errata" / f"{claim.name}{reading}.py"


def form_problem(source: str) -> str | None:
    """Why a text is no independent check: its length, its syntax, or what it imports.

    >>> form_problem("import numpy as np")
    >>> form_problem("from claims import load")
    'imports claims; a check imports the standard library, numpy and scipy only'
    """
    lines = len(source.splitlines())
    if lines > MOST_LINES:
        return f"has {lines} lines, more than {MOST_LINES}"
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or ".").split(".")[0] if node.level == 0 else ".")
    foreign = sorted(names - LIBRARIES - sys.stdlib_module_names)
    if foreign:
        return f"imports {', '.join(foreign)}; a check imports the standard library, numpy and scipy only"
    return None


def run_check(file: Path) -> Checked:
    """Run a check by itself: an isolated interpreter in an empty folder."""
    try:
        source = file.read_text(encoding="utf-8")
    except OSError as error:
        return Checked("", f"{file.name}: {error.strerror}")
    if (problem := form_problem(source)) is not None:
        return Checked("", f"{file.name}: {problem}")
    # One BLAS thread: many would wait for each other on matrices of this size.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-I", "-X", "utf8", str(file.resolve())]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return Checked("", f"{file.name}: takes more than {SECONDS:g} s")
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return Checked(done.stdout, f"{file.name}: fails: {last}")
    if not done.stdout.strip():
        return Checked("", f"{file.name}: prints nothing; it must print the stated and the found number")
    return Checked(done.stdout, None)
