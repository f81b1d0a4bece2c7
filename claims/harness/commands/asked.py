"""The options of `dpclaims audit`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from typing import Annotated, Any

import typer

from audits.environments import must_be_packages
from claims.harness.commands.options import (
    Arguments,
    Data,
    Delta,
    Environments,
    Epsilon,
    Neighbours,
    Packages,
    Python,
    Seed,
)

ALPHA = 0.001
MAX_SAMPLES = 1_000_000
TIME_LIMIT = 300.0
METHODS = ("sequential", "clopper-pearson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of an audit: the options of the command, but for what is printed and written.

    ε and δ are the claim: None takes what the module says, and 0 for δ where it says nothing. Each adjacency
    is an audit of its own at α; None: the file says. `set_options` are arguments of the function.
    """

    epsilon: Epsilon = None
    delta: Delta = None
    alpha: Annotated[
        float, typer.Option("--alpha", help="Probability of refuting a mechanism that keeps its claim.")
    ] = ALPHA
    max_samples: Annotated[
        int,
        typer.Option(
            "--max-samples",
            help="Outputs of each dataset, at most; assumptions, confirmation and witness take more.",
        ),
    ] = MAX_SAMPLES
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", help="Seconds after which to stop, counted from the first output."),
    ] = TIME_LIMIT
    resolution: Annotated[
        float | None,
        typer.Option("--resolution", help="The ε that must not go unnoticed; undecided where it could."),
    ] = None
    method: Annotated[str, typer.Option("--method", help=f"One of {', '.join(METHODS)}.")] = METHODS[0]
    seed: Seed = 0
    jobs: Annotated[
        int,
        typer.Option("-j", "--jobs", help="Processes that draw outputs of audits.each; threads for others."),
    ] = 1
    errors: Annotated[
        str,
        typer.Option(
            "--errors", help="raise: an exception is bad input; symbol: it is an output, as is NaN."
        ),
    ] = "raise"
    python: Python = None
    with_packages: Packages = field(default_factory=list[str])
    envs: Environments = None
    adjacency: Neighbours = None
    set_options: Arguments = field(default_factory=list[str])
    schema: Data = None
    pairs: Annotated[
        str | None,
        typer.Option("--pairs", help="Pairs of datasets as Python writes them: '[([3, 0], [2, 0])]'."),
    ] = None

    def __post_init__(self) -> None:
        if self.envs is not None and not self.with_packages:
            raise ValueError("--envs is where --with PACKAGE keeps environments; give it, too")
        must_be_packages(self.with_packages)

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
