"""What `dpclaims doctor` looks at: versions, cores, BLAS threads, name clashes, writable folders."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from claims.harness.commands.options import AsJson
from claims.harness.places import RUNS
from claims.harness.run.provenance import EXTRAS, machine, versions
from claims.harness.run.result import BAD_INPUT
from claims.harness.run.serialise import print_json


def doctor_command(json: AsJson = False) -> None:
    """Versions, cores, BLAS threads, name clashes, writable folders."""
    findings = examine()
    if json:
        print_json({"format": "dpclaims-doctor/1", **findings})
    else:
        for name, value in findings["facts"].items():
            print(f"{name:24}  {value}")
        for problem in findings["problems"]:
            print(f"problem: {problem}")
        print("all is well" if not findings["problems"] else f"{len(findings['problems'])} problems")
    raise typer.Exit(BAD_INPUT if findings["problems"] else 0)


def examine() -> dict[str, Any]:
    """Facts about the installation and, in words, what is wrong with it.

    Returns {"facts": {name: value}, "problems": [sentence, …]}; a missing extra is a fact, not a problem.
    """
    import numpy  # noqa: F401 - loads the BLAS library that is looked at next
    from threadpoolctl import threadpool_info

    from dpclaims_packages import clashes

    facts: dict[str, Any] = {**versions(), **machine()}
    pools = {p["internal_api"]: p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"}
    facts["BLAS threads"] = ", ".join(f"{k}: {v}" for k, v in pools.items()) or "unknown"
    facts["BLAS threads in workers"] = 1
    for extra, modules in EXTRAS.items():
        missing = [m for m in modules if find_spec(m) is None]
        facts[f"extra {extra}"] = "installed" if not missing else f"missing {', '.join(missing)}"
    data = os.environ.get("DPCLAIMS_DATA")
    facts["DPCLAIMS_DATA"] = data or "not set: stand-ins are used"
    problems = clashes()
    if data and not Path(data).exists():
        problems.append(f"DPCLAIMS_DATA names {data!r}, which does not exist")
    facts["runs are kept in"] = str(RUNS)
    if not _writable(RUNS):
        problems.append(f"{str(RUNS)!r} cannot be written: change into a folder that can, or use --out")
    return {"facts": facts, "problems": problems}


def _writable(folder: Path) -> bool:
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    return existing.is_dir() and os.access(existing, os.W_OK)
