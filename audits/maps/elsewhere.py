"""`check_map` in another Python, where the library is installed: it needs Hypothesis there, and NumPy.

Run as a script by that Python: it reads one JSON document of options and writes one of the result.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

START = 120.0
"""Seconds that importing a library and ending may take on top of the budget."""


def check_elsewhere(python: Path, target: str, options: dict[str, Any]) -> dict[str, Any]:
    """The result, as `MapResult.to_dict` has it, of a TARGET that another Python loads.

    options   keywords of `check_map`. What the library prints goes to standard error.
    Raises ValueError, one sentence, where that Python does not answer.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "result.json"
        asked = json.dumps({"target": target, "options": options, "answer": str(answer)})
        limit = START + 2.0 * float(options.get("budget") or 0.0)
        try:
            ran = subprocess.run(
                [str(python), str(Path(__file__).resolve()), asked],
                stdout=sys.stderr,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ValueError(f"{python} did not end within {limit:g} s") from error
        except OSError as error:
            raise ValueError(f"{python} cannot be started: {error}") from error
        if not answer.is_file():
            raise ValueError(f"{python} ended with status {ran.returncode} and no result")
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    if "error" in found:
        raise ValueError(found["error"])
    return found


def main(asked: str) -> None:
    """Answer one question in this Python: the packages of this project are found by their folders alone."""
    root = Path(__file__).resolve().parents[2]
    for name in ("implementations", "audits"):
        file = root / name / "__init__.py"
        spec = importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[str(file.parent)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    question = json.loads(asked)
    from audits.maps.check import check_map
    from audits.maps.target import load

    try:
        found, made = load(question["target"])
        answer = check_map(found, made=made, **question["options"]).to_dict()
    except ValueError as error:
        answer = {"error": str(error)}
    Path(question["answer"]).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file, whose modules have names of their own
    main(sys.argv[1])
