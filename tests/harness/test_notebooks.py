"""The notebooks compute: executed by plain papermill in empty folders, the published copies, too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from claims.harness.discover import load
from claims.harness.notebook import check
from claims.harness.run.runner import Settings, run_claims

pytest.importorskip("papermill")

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def papermill(notebook: Path, folder: Path, *parameters: str) -> subprocess.CompletedProcess[str]:
    """`papermill NOTEBOOK out.ipynb -p name value …` in this folder."""
    pairs = [word for pair in parameters for word in ("-p", *pair.split("="))]
    return subprocess.run(
        [sys.executable, "-m", "papermill", str(notebook), "out.ipynb", "--no-progress-bar", *pairs],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "svg"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def outputs(file: Path) -> str:
    """All that an executed notebook shows, as text."""
    import nbformat

    notebook: Any = nbformat.read(file, as_version=4)
    shown = [o for c in notebook.cells for o in c.get("outputs", [])]
    assert {o.output_type for o in shown} <= {"display_data", "execute_result"}
    return "\n".join(str(text) for o in shown for text in o.data.values())


@pytest.mark.parametrize(
    ("name", "parameter", "shown"),
    [
        ("claim", "claim=song2021/lemma-b.2", ("<td>0</td>", "**CONFIRMED**, expected CONFIRMED")),
        ("paper", "paper=controls", ("<td>falls</td>", "REFUTED")),
    ],
)
def test_a_notebook_computes_in_any_folder_and_leaves_nothing(
    tmp_path: Path, name: str, parameter: str, shown: tuple[str, ...]
) -> None:
    done = papermill(ROOT / "notebooks" / f"{name}.ipynb", tmp_path, parameter)
    assert done.returncode == 0, done.stderr
    text = outputs(tmp_path / "out.ipynb")
    for words in shown:
        assert words in text
    assert [f.name for f in tmp_path.iterdir()] == ["out.ipynb"]


def test_published_notebooks_compute_without_their_run(tmp_path: Path) -> None:
    from claims.harness.report.write import write_report

    run_claims(load("song2021/lemma-b.2"), Settings(tier="smoke"), out=tmp_path / "runs" / "run")
    site = write_report(tmp_path / "runs" / "run", tmp_path / "site").parent
    assert "taken from the run" in outputs(site / "song2021" / "lemma-b.2.ipynb")
    shutil.rmtree(tmp_path / "runs")
    (tmp_path / "new").mkdir()
    done = papermill(site / "song2021" / "lemma-b.2.ipynb", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    text = outputs(tmp_path / "new" / "out.ipynb")
    assert "*computed here*" in text
    assert "**CONFIRMED**" in text


def test_what_a_notebook_judges_is_what_the_run_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judging the rows again gives the evidence of the run, to the bit."""
    from claims import Budget

    monkeypatch.chdir(tmp_path)
    for claim in ("song2021/lemma-b.2", "asi2024/lemma-2.5"):
        found = check(claim, tier="smoke", seed=0, alpha=0.001)
        assert tuple(found.judge(found.rows, Budget(found.share))) == tuple(found.result.evidence)
    assert list(tmp_path.iterdir()) == []
