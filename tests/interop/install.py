"""Installs what the extra `interop` names into the environment that runs this, as far as it can be had.

All of it at once, so that versions agree; where that fails, as for a library without a wheel for this
machine, each requirement by itself, under the constraints of all. What could not be installed is said, and
the tests of that library are skipped with a reason.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def requirements() -> list[str]:
    """The requirements of the extra."""
    return tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]["interop"]


def install(*packages: str, constraints: Path) -> bool:
    """Whether pip installed these."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--constraint", str(constraints), *packages]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    wanted = requirements()
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text("\n".join(wanted) + "\n", encoding="utf-8")
        if install(*wanted, constraints=constraints):
            return 0
        missing = [one for one in wanted if not install(one, constraints=constraints)]
    print(f"interop: could not be installed, its tests are skipped: {', '.join(missing) or 'nothing'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
