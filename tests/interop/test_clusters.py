"""The files of docs/clusters.md, read by the libraries that they are for: dask-jobqueue and dask-kubernetes.

A stand-in for SLURM's `sbatch` runs the job script on this machine, so that its workers are real. The
specification for Kubernetes is held against the schema of Dask's operator; no cluster is needed.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

# The libraries warn of their own and other libraries' future; pytest would make errors of that.
pytestmark = pytest.mark.filterwarnings("ignore")

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "clusters.md"
SBATCH = """#!/bin/sh
# Runs the job script (the last argument) here, as a node would, and answers as SLURM does.
for script; do :; done
cp "$script" "{folder}/job.sh"
setsid sh "{folder}/job.sh" > "{folder}/job.log" 2>&1 &
echo $! > "{folder}/job.pid"
echo "Submitted batch job 1"
"""


def block(library: str) -> str:
    """The block of Python in docs/clusters.md that imports the library."""
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (found,) = (text for text in blocks if library in text)
    return found


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose `sbatch` and `scancel` stand in for SLURM's."""
    commands = {"sbatch": SBATCH.format(folder=tmp_path), "scancel": "#!/bin/sh\n"}
    for name, text in commands.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


@pytest.mark.slow
def test_the_job_script_of_slurm_starts_workers_that_a_run_uses(node: Path) -> None:
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    (node / "activate").write_text("", encoding="utf-8")
    text = block("dask_jobqueue")
    # Two workers on this machine in place of the four jobs of sixteen.
    replaced = {
        "cores=16": "cores=2",
        "processes=16": "processes=2",
        "32GiB": "4GiB",
        "scale(jobs=4)": "scale(jobs=1)",
        "source /shared/venv/bin/activate": f". {node}/activate",
    }
    for old, new in replaced.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    names: dict[str, Any] = {}
    exec(compile(text, str(DOCUMENT), "exec"), names)
    cluster = names["cluster"]
    try:
        asked = ["-m", "dpclaims", "run", "song2021/lemma-b.2", "--tier", "smoke", "--scheduler"]
        command = [sys.executable, *asked, cluster.scheduler_address, "--out", str(node / "run"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    finally:
        script = (node / "job.sh").read_text(encoding="utf-8")
        subprocess.run(["pkill", "-s", (node / "job.pid").read_text(encoding="utf-8").strip()], check=False)
        cluster.close()
    assert done.returncode == 0, done.stderr
    asked_of_slurm = ("#SBATCH -p main", "#SBATCH -t 04:00:00")
    asked_of_dask = ("--nthreads 1", "--nworkers 2", "--memory-limit 2.00GiB")
    for part in (*asked_of_slurm, *asked_of_dask):
        assert part in script


def test_the_specification_for_kubernetes_fits_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = pytest.importorskip("dask_kubernetes.operator", reason="dask-kubernetes is not installed")
    import jsonschema
    import yaml

    class Cluster:
        """Takes the specification as `KubeCluster` does, and asks no cluster for it."""

        scheduler_address = "tcp://scheduler:8786"

        def __init__(self, *, custom_cluster_spec: dict[str, Any]) -> None:
            self.asked = custom_cluster_spec

    monkeypatch.setattr(operator, "KubeCluster", Cluster)
    names: dict[str, Any] = {}
    exec(compile(block("dask_kubernetes"), str(DOCUMENT), "exec"), names)
    asked = names["cluster"].asked
    chart = files("dask_kubernetes.operator") / "deployment" / "helm" / "dask-kubernetes-operator"
    definition = yaml.safe_load((chart / "crds" / "daskcluster.yaml").read_text(encoding="utf-8"))
    (version,) = (one for one in definition["spec"]["versions"] if one["served"])
    assert asked["apiVersion"] == f"{definition['spec']['group']}/{version['name']}"
    schema = version["schema"]["openAPIV3Schema"]
    jsonschema.validate(without_nothing(asked), schema)
    (container,) = asked["spec"]["worker"]["spec"]["containers"]
    assert container["args"][:4] == ["dask", "worker", "--nthreads", "1"]
    assert container["resources"]["limits"]["memory"] == "2Gi"
    assert asked["spec"]["worker"]["replicas"] == 16


def without_nothing(value: Any) -> Any:
    """The value as the client of Kubernetes sends it: fields that are None are left out."""
    if isinstance(value, dict):
        return {name: without_nothing(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nothing(inner) for inner in value]
    return value
