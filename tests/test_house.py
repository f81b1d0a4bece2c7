"""House rules that a machine can check: few parameters a function, one order of results in every process."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST = 8
PUBLIC = {"fit_rate", "run"}
"""Their keywords are what users type."""


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
    given = [p for p in a.posonlyargs + a.args + a.kwonlyargs if p.arg not in ("self", "cls")]
    return len(given) + bool(a.vararg) + bool(a.kwarg)


def test_no_function_has_more_than_eight_parameters() -> None:
    found = {
        function.name
        for file, function in functions()
        if parameters(function) > MOST and not is_command(file, function)
    }
    # Of the public ones as well: an exemption that nobody needs any more is taken out.
    assert found == PUBLIC


KEYS = ("estimator", "loss", "spread", "radius", "arm", "rounds")
"""Of evidence, beside the axes of its grid point: columns of the stored rows."""
SYNTHETIC = """
import sys
from pathlib import Path
from audits.judge import equals
from claims.harness.run.runner import Settings, run_claims
from tests.harness.synthetic import claim
def check(point):
    yield equals("fact", 1.0, 1.0, point=dict.fromkeys(sys.argv[2:], 1) | dict(point.axes))
run_claims([claim(check=check)], Settings(tier="smoke"), out=Path(sys.argv[1]), cache=False)
"""


def under_hash_seed(seed: int, program: str, *arguments: str) -> str:
    """What a program prints; Python orders a set of strings otherwise under each hash seed."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, check=True, env=environment, cwd=ROOT, capture_output=True, text=True
    ).stdout


def test_stored_rows_are_the_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    """Three seeds leave six columns in one order by chance with probability (1/6!)² = 2e-6."""
    stored: set[bytes] = set()
    for seed in range(3):
        under_hash_seed(seed, SYNTHETIC, str(tmp_path / str(seed)), *KEYS)
        stored |= {file.read_bytes() for file in (tmp_path / str(seed)).rglob("rows.parquet")}
    assert len(stored) == 1
