"""Every exit status of every command, each with a command line that ends with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audits.evidence import Verdict
from claims import load
from claims.harness.mutation import bugs
from claims.harness.mutation.named import named
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import claim_folder, replace_result
from tests.harness.synthetic import claim_file, write_paper

FINDING = 'finding=Finding("theorem", "It is 2.", "Read as 2 it holds.", "2.")'
CLAIMS = {  # name: value, expected verdict, more
    "holds": ("1.0", "CONFIRMED", ""),
    "differs": ("2.0", "CONFIRMED", ""),
    "falls": ("2.0", "REFUTED", FINDING),
    "falls-too": ("2.0", "REFUTED", FINDING),
    "crashes": ("1 / 0", "CONFIRMED", ""),
}
BUG = """
module = "implementations.privacy"
[demo-bug]
bug = "Half of the amplified ε."
replaces = "amplified_epsilon"
old = "math.expm1("
new = "0.5 * math.expm1("
caught_by = ["zoe2000/holds"]
"""
PROGRAM = """
epsilon, adjacency, pairs = 1.0, "replace", [((0.0, 1.0), (0.0, 0.0))]
def mechanism(data, size, rng):
    return sum(data) + rng.laplace(scale={scale}, size=size)
"""
MAPS = """
class Made:
    input_domain, output_domain = "VectorDomain(AtomDomain(T=i32))", "AtomDomain(T=i32)"
    input_metric, output_metric = "SymmetricDistance()", "AbsoluteDistance(i32)"
    def __init__(self, stated): self.map = lambda d_in: stated * d_in
    def invoke(self, records): return len(records)
    __call__ = invoke
keeps, wrong, infinite = Made(1), Made(0), Made(float("inf"))
"""
CSV = "rates --csv table.csv --risk risk --axis n --claimed"
OWN = "--claims papers"
CASES = [
    ("list zoe2000 " + OWN, 0),
    ("list nobody", 2),
    ("show zoe2000/holds " + OWN, 0),
    ("show zoe2000/nothing " + OWN, 2),
    ("errata zoe2000 --out letters " + OWN, 1),
    ("errata doe2000 --out letters --claims good", 0),
    ("errata nobody", 2),
    ("run zoe2000/holds zoe2000/falls --tier smoke --out two " + OWN, 0),
    ("run zoe2000/holds zoe2000/differs --tier smoke --out two " + OWN, 1),
    ("run zoe2000/nothing " + OWN, 2),
    ("run zoe2000/* --tier smoke --out three " + OWN, 4),
    ("compare one one", 0),
    ("compare one other", 1),
    ("compare one nowhere", 2),
    ("audit keeps.py --max-samples 20000", 0),
    ("audit leaks.py --max-samples 20000", 1),
    ("audit nowhere.py", 2),
    ("audit keeps.py --max-samples 100 --resolution 1.1", 3),
    ("trace keeps.py", 0),
    ("trace leaks.py", 1),
    ("trace nowhere.py", 2),
    ("trace lost.py", 3),
    (f"{CSV} n=-1", 0),
    (f"{CSV} n=-2", 1),
    (f"{CSV} m=-1", 2),
    (f"{CSV} n=-1 --tolerance 1e-9", 3),
    ("canaries nowhere.csv --epsilon 1", 2),
    ("map nowhere.py:made", 2),
    ("map maps.py:keeps --budget 2", 0),
    ("map maps.py:wrong --budget 5", 1),
    ("map maps.py:infinite --budget 2", 3),
    ("mutants demo-bug " + OWN, 1),
    ("mutants nobody", 2),
    ("check zoe2000/holds " + OWN, 1),
    ("check nobody", 2),
    ("new roe2000/theorem-1 --claims mine", 0),
    ("new roe2000", 2),
    ("report --run nowhere", 2),
    ("notebooks", 0),
    ("notebooks nothing", 2),
    ("doctor", 0),
]


def _write(folder: Path, key: str, names: list[str], check: str) -> None:
    files = {}
    for name in names:
        value, expected, more = CLAIMS[name]
        files[name.replace("-", "_")] = claim_file(name, value=value, expected=expected, more=more)
    errata = write_paper(folder, key, **files) / "errata"
    errata.mkdir()
    (errata / "falls.py").write_text("print(1, 2)\n")
    (errata / "falls-too.py").write_text(check)


@pytest.fixture(scope="session")  # made once, however tests are spread over workers
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("statuses")
    _write(folder / "papers", "zoe2000", [*CLAIMS], "print(1, 2)\nassert 1 == 2\n")
    _write(folder / "good", "doe2000", ["falls", "falls-too"], "print(1, 2)\n")
    (folder / "maps.py").write_text(MAPS)
    (folder / "demo_bugs.toml").write_text(BUG)
    noise = np.exp(0.02 * np.random.default_rng(1).standard_normal((7, 8)))
    rows = (f"{10 * 2**k},{0.5**k * factor}" for k in range(7) for factor in noise[k])
    (folder / "table.csv").write_text("\n".join(["n,risk", *rows]))
    for name, scale in (("keeps", 1.0), ("leaks", 0.1)):
        (folder / f"{name}.py").write_text(PROGRAM.format(scale=scale))
    (folder / "lost.py").write_text(PROGRAM.format(scale=1.0).replace("laplace(scale=1.0", "zipf(a=2.0"))
    claims = load("zoe2000/holds", claims=[folder / "papers"])
    for run in ("one", "other"):
        (result,) = run_claims(claims, Settings(tier="smoke"), out=folder / run).claims
    manifest = json.loads((claim_folder(folder / "other", result.id) / "manifest.json").read_text())
    replace_result(folder / "other", manifest["key"], replace(result, verdict=Verdict.REFUTED))
    return folder


@pytest.mark.parametrize(("line", "status"), CASES, ids=[line for line, _ in CASES])
def test_a_command_line_ends_with_its_status(here, dpclaims, monkeypatch, line, status):
    monkeypatch.chdir(here)
    monkeypatch.setattr(bugs, "named", lambda patterns, _: named(patterns, [here]))
    got, out, err = dpclaims(*line.split())
    assert got == status, out + err
    assert "Traceback" not in err
