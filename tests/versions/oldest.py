"""Prints the oldest versions that pyproject.toml allows, as constraints for pip: "name==version" each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

EXTRAS = ("report", "cluster")


def oldest(pyproject: Path) -> Iterator[str]:
    """The lower bounds of the dependencies and of the extras that users install."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in (*project["dependencies"], *(r for e in EXTRAS for r in extras[e])):
        found = re.match(r"(?P<name>[\w-]+)(?:\[[\w,]+\])?>=(?P<version>[\d.]+)", requirement)
        if found is None:
            raise ValueError(f"{pyproject}: {requirement!r} has no lower bound")
        yield f"{found['name']}=={found['version']}"


if __name__ == "__main__":
    print("\n".join(oldest(Path(__file__).resolve().parents[2] / "pyproject.toml")))
