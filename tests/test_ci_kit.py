"""The workflow and the hook of docs/ci: every command in them is executed, on a copy of the project there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

yaml = pytest.importorskip("yaml", reason="the workflow is read with PyYAML, which comes with papermill")

PROJECT = Path(__file__).resolve().parents[1] / "docs" / "ci" / "project"
BIN = Path(sys.executable).parent
pytestmark = pytest.mark.skipif(not (BIN / "dpclaims").exists(), reason="dpclaims is not installed")


def workflow():
    text = (PROJECT / ".github" / "workflows" / "privacy.yml").read_text(encoding="utf-8")
    return [s["run"] for s in yaml.safe_load(text)["jobs"]["privacy"]["steps"] if "run" in s]


def hooks():
    text = (PROJECT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    return [hook["entry"] for repository in yaml.safe_load(text)["repos"] for hook in repository["hooks"]]


@pytest.fixture
def project(tmp_path):
    """A copy of the project."""
    return Path(shutil.copytree(PROJECT, tmp_path / "project"))


@pytest.fixture
def call(project):
    """Runs one command there, as GitHub does. What pip installs is there already, and nothing is fetched."""
    environment = {
        **os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(project / "summary.md"), "DPCLAIMS": "dpclaims",
        "PIP_NO_INDEX": "1", "PIP_DRY_RUN": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }  # fmt: skip
    environment.pop("PYTEST_ADDOPTS", None)
    environment.pop("COLUMNS", None)

    def run(command):
        return subprocess.run(
            ["bash", "-e", "-c", command], cwd=project, env=environment, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip

    return run


def properties(file):
    return {p.attrib["name"]: p.attrib["value"] for p in ElementTree.parse(file).getroot().iter("property")}


@pytest.mark.slow
def test_every_line_of_the_workflow_runs(project, call):
    # The mechanism keeps its claim: each audit refutes it with probability 0.001 over seeds, which are fixed.
    commands = workflow()
    assert [c.split()[1] for c in commands] == ["-m", "trace", "audit", "120", "rates", "-m"]
    for command in commands:
        done = call(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "::error" not in done.stdout + done.stderr
    assert properties(project / "reports" / "audit.xml")["verdict"] == "not-refuted"
    assert properties(project / "reports" / "pytest.xml")["dp_audit.verdict"] == "not-refuted"
    summary = (project / "summary.md").read_text(encoding="utf-8")
    assert summary.count("### ") == 3
    assert "| mechanism.py:mechanism | nothing-found |" in summary


def test_the_hook_stops_a_leak_and_says_where(project, call):
    (hook,) = hooks()
    assert call(hook).returncode == 0
    file = project / "mechanism.py"
    text = file.read_text(encoding="utf-8")
    line = next(k for k, words in enumerate(text.splitlines(), 1) if "rng.laplace" in words)
    file.write_text(text.replace("1.0 / len(data)", "(data[-1] + 0.5) / len(data)"))
    done = call(hook)
    assert done.returncode == 1
    assert f"::error file=mechanism.py,line={line},title=mechanism.py%3Amechanism::LEAK at" in done.stderr


@pytest.mark.parametrize(
    ("noise", "title"),
    [
        ("len(data) ** -0.8", "exponent of n::"),
        pytest.param("1.5 / len(data)", "level at n=800 against the baseline::", marks=pytest.mark.slow),
        ("1.0 / len(data)", None),
    ],
)
def test_code_that_is_slower_turns_the_job_red_and_is_annotated(project, call, noise, title):
    # Unchanged code has the figures of the baseline, by its seeds.
    measure, rates = (next(c for c in workflow() if word in c) for word in ("measure.py", " rates "))
    file = project / "mechanism.py"
    file.write_text(file.read_text(encoding="utf-8").replace("1.0 / len(data)", noise), encoding="utf-8")
    done = call(f"{measure} && {rates} --json")
    assert done.returncode == (title is not None), done.stderr
    assert json.loads(done.stdout)["format"] == "dpclaims-rates/1"
    assert (f"::error file=risks.csv,line=1,title={title}" in done.stderr) == (title is not None)
