"""Plants each bug of implementations/mutants, runs the claims that must notice it, and keeps the score."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from claims.harness.discover import load
from claims.harness.run.provenance import PACKAGES
from claims.harness.run.runner import ALPHA, Settings, run_claims
from implementations.mutants._mutant import Mutant

FOLDER = Path(importlib.import_module("implementations.mutants").__path__[0])


def mutants(patterns: Sequence[str] = ()) -> list[Mutant]:
    """All mutants whose name matches one of the patterns, sorted by name; ValueError where none does."""
    found = []
    for file in sorted(FOLDER.glob("[a-z]*.py")):
        module = importlib.import_module(f"implementations.mutants.{file.stem}")
        found += [*getattr(module, "MUTANTS", []), *([module.MUTANT] if hasattr(module, "MUTANT") else [])]
    found.sort(key=lambda m: m.name)
    chosen = [m for m in found if not patterns or any(fnmatchcase(m.name, p) for p in patterns)]
    if not chosen:
        raise ValueError(f"no mutant matches {', '.join(patterns)!r}; known: {[m.name for m in found]}")
    return chosen


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """While this is open, every module of the three packages that holds the reference holds the bug."""
    module_name, _, attribute = mutant.replaces.partition(":")
    reference = getattr(importlib.import_module(module_name), attribute)
    places = [
        (module, name)
        for key, module in list(sys.modules.items())
        if key.split(".")[0] in PACKAGES and not key.startswith("implementations.mutants")
        for name, value in list(vars(module).items())
        if value is reference
    ]
    for module, name in places:
        setattr(module, name, mutant.by)
    try:
        yield
    finally:
        for module, name in places:
            setattr(module, name, reference)


def score(
    patterns: Sequence[str], *, jobs: int = 1, report: Callable[[str], None] = lambda line: None
) -> list[dict[str, Any]]:
    """For each mutant, the verdicts of the claims that must notice it while it is planted.

    A mutant is caught where at least one of those claims loses its expected verdict to another decided one
    or crashes; INCONCLUSIVE does not count. Runs at tier ci, one process a mutant at a time, nothing stored.
    Raises ValueError where a pattern matches no mutant.
    """
    rows = []
    for mutant in mutants(patterns):
        claims = load(*mutant.caught_by)
        report(f"{mutant.name}: {', '.join(c.id for c in claims)}")
        with planted(mutant), tempfile.TemporaryDirectory() as folder:
            # Planted in this process only, so the work stays in it.
            share = ALPHA / max(len(load()), 1)
            result = run_claims(claims, Settings(), share=share, out=Path(folder) / "run", cache=False)
        verdicts = [
            {"claim": c.id, "verdict": str(c.verdict or "crashed"), "expected": str(c.expected)}
            for c in result.claims
        ]
        caught = any(v["verdict"] not in (v["expected"], "INCONCLUSIVE") for v in verdicts)
        rows.append({"name": mutant.name, "bug": mutant.bug, "caught": caught, "verdicts": verdicts})
    return rows
