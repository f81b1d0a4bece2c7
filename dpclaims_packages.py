"""Whether the three packages of this distribution are its own; see `dpclaims`."""

from __future__ import annotations

import importlib

PACKAGES = ("claims", "audits", "implementations")


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
