"""House rules that a machine can check: few parameters a function, one order of results in every process."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST = 8
PUBLIC = {"audit_privacy", "fit_rate", "run"}
"""Their keywords are what users type."""
LEFT = {
    "_held_against",
    "audit_target",
    "run_claims",
    "search",
    "check_mean",
    "check_bound",
}
"""Functions that still have more; the list only gets shorter."""


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    files = [ROOT / "dpclaims.py", ROOT / "dpclaims_packages.py", ROOT / "dpclaims_pytest.py"]
    for package in ("claims", "audits", "implementations"):
        files += (ROOT / package).rglob("*.py")
    for file in files:
        tree = ast.parse(file.read_bytes())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield str(file.relative_to(ROOT)), node


def is_command(file: str, function: ast.FunctionDef) -> bool:
    """Whether Typer calls it: the options of a command are its parameters."""
    decorated = any(ast.unparse(d).startswith("app.command") for d in function.decorator_list)
    return file.startswith("claims/harness/commands/") and (
        decorated or (function.name.endswith("_command") and "typer." in ast.unparse(function.args))
    )


def parameters(function: ast.FunctionDef) -> int:
    a = function.args
    return len(a.posonlyargs + a.args + a.kwonlyargs) + bool(a.vararg) + bool(a.kwarg)


def test_no_function_has_more_than_eight_parameters() -> None:
    found = {
        function.name
        for file, function in functions()
        if parameters(function) > MOST and not is_command(file, function)
    }
    assert found - PUBLIC - LEFT == set()
    assert found >= LEFT  # an exemption that nobody needs any more is taken out


SMOKE = """
import sys
from pathlib import Path
from claims.harness.discover import load
from claims.harness.run.runner import Settings, run_claims
found = run_claims(load(), Settings(tier="smoke"), out=Path(sys.argv[1]), cache=False)
"""


@pytest.mark.slow
def test_results_are_the_same_bits_under_every_hash_seed(tmp_path: Path) -> None:
    """Rows of all claims, to the bit, and their evidence; Python orders strings otherwise under each seed."""
    stored = []
    for seed in ("0", "1"):
        out = tmp_path / seed
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", SMOKE, str(out)], check=True, env=environment, cwd=ROOT)
        rows = {p.parent.name: p.read_bytes() for p in sorted(out.rglob("rows.parquet"))}
        results = [json.loads(p.read_bytes()) for p in sorted(out.rglob("result.json"))]
        stored.append((rows, [_timeless(result) for result in results]))
    (rows, results), (other_rows, other_results) = stored
    assert rows.keys() == other_rows.keys() != set()
    assert [name for name in rows if rows[name] != other_rows[name]] == []
    assert results == other_results != []


def _timeless(document: Any) -> Any:
    """A stored result without its running time."""
    if isinstance(document, dict):
        return {k: _timeless(v) for k, v in document.items() if k != "seconds"}
    return [_timeless(v) for v in document] if isinstance(document, list) else document
