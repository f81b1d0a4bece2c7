"""The options of `dpclaims audit`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

ALPHA = 0.001
MAX_SAMPLES = 1_000_000
TIME_LIMIT = 300.0
METHODS = ("sequential", "clopper-pearson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of an audit.

    epsilon, delta  the claim; None takes what the module says, and 0 for δ where it says nothing.
    python          the Python that runs the file: a path or a version; None for the one that runs this.
    with_packages   packages of the environment that the file is run in, as for pip; envs is where it is kept.
    adjacency       "replace", "add", "remove" or "all", each an audit of its own at α; None: the file says.
    set_options     arguments of the function, "bounds=0,1"; schema: what its data look like; pairs: a list of
                    pairs of datasets, as Python writes it.
    """

    epsilon: float | None = None
    delta: float | None = None
    alpha: float = ALPHA
    max_samples: int = MAX_SAMPLES
    time_limit: float | None = TIME_LIMIT
    resolution: float | None = None
    method: str = METHODS[0]
    seed: int = 0
    jobs: int = 1
    errors: str = "raise"
    python: str | None = None
    with_packages: Sequence[str] = ()
    envs: Path | None = None
    adjacency: str | None = None
    set_options: Sequence[str] = ()
    schema: str | None = None
    pairs: str | None = None

    def again(self, target: str, command: str = "audit") -> str:
        """The command and those of its options that a result does not know."""
        given = {
            "--adjacency": self.adjacency,
            "--time-limit": None if self.time_limit == TIME_LIMIT else self.time_limit,
            "--schema": self.schema,
            "--pairs": self.pairs,
            "--python": self.python,
        }
        words = [word for name, value in given.items() if value is not None for word in (name, f"{value}")]
        words += [word for option in self.set_options for word in ("--set", option)]
        words += [word for package in self.with_packages for word in ("--with", package)]
        return shlex.join(["dpclaims", command, target, *words])

    @property
    def keywords(self) -> dict[str, Any]:
        """Those of the options that are keywords of `audit_privacy`, but the claim."""
        from audits.privacy.options import Options

        known = {one.name for one in fields(Options)} - {"epsilon", "delta"}
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name in known}

    def check(self) -> None:
        """ValueError for the first option of an audit that makes no sense: `Options` has its rules."""
        from audits.privacy.options import Options

        claim = {"epsilon": self.epsilon or 0.0, "delta": self.delta or 0.0}
        try:
            Options(**claim, **self.keywords)
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            raise ValueError(f"--{name.replace('_', '-')} {rest}") from None
