"""The public names of the distribution, and the command `dpclaims`.

    from dpclaims import audit_privacy, fit_rate, hockey_stick, load, run, Claim, Paper

Each name is loaded when it is first used. The command checks that the three packages are ours, then hands
over to the command line. This module stands outside the packages, because another distribution may have put
its own `claims`, `audits` or `implementations` in their place, and then none of their code can be trusted to
say so.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

PACKAGES = ("claims", "audits", "implementations")


INSTRUMENTS = (
    "Evidence",
    "Side",
    "Verdict",
    "assert_ledger",
    "audit_privacy",
    "each",
    "fit_rate",
    "hockey_stick",
    "remote",
    "trace_privacy",
    "unseeded",
)
AUTHORS = (
    "Adjacency",
    "Budget",
    "Claim",
    "Kind",
    "Paper",
    "Plot",
    "Point",
    "Tier",
    "at_least",
    "at_most",
    "equals",
    "grid",
    "load",
    "run",
)


def __getattr__(name: str) -> Any:
    package = "audits" if name in INSTRUMENTS else "claims" if name in AUTHORS else None
    if package is None:
        raise AttributeError(f"module 'dpclaims' has no attribute {name!r}")
    if problems := clashes():
        raise ImportError("; ".join(problems))
    return getattr(importlib.import_module(package), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *INSTRUMENTS, *AUTHORS])


def clashes() -> list[str]:
    """One sentence for each of the three packages that is missing or belongs to somebody else."""
    found: list[str] = []
    for name in PACKAGES:
        try:
            package = importlib.import_module(name)
        except ImportError as error:
            found.append(f"package {name!r} cannot be imported ({error}): reinstall dpclaims")
            continue
        if getattr(package, "__distribution__", None) != "dpclaims":
            where = getattr(package, "__file__", None) or next(
                iter(getattr(package, "__path__", ["unknown"]))
            )
            found.append(
                f"package {name!r} at {where} belongs to another distribution: "
                "install dpclaims in a virtual environment of its own"
            )
    return found


def main() -> None:
    """Entry point of the command; exit status 2 where the packages are not ours."""
    if problems := clashes():
        for problem in problems:
            print(f"dpclaims: {problem}", file=sys.stderr)
        raise SystemExit(2)
    from claims.harness.commands.main import main as command_line

    command_line()


if __name__ == "__main__":
    main()
