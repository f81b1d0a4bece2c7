"""The options of `dpclaims audit`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audits.environments import must_be_packages
from claims.harness.commands.options import Mu, Rho, Seed

if TYPE_CHECKING:
    from audits.privacy.claims import Claim

ALPHA = 0.001
MAX_SAMPLES = 1_000_000
TIME_LIMIT = 300.0
METHODS = ("sequential", "clopper-pearson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of an audit: the options of the command, but for what is printed and written.

    The claim is ε and δ, ρ (and δ), μ, Rényi divergences, or a curve. Where none is given ε and δ are what
    the module says, and δ is 0 where it says nothing. Each adjacency is an audit of its own at α; None: the
    file says. `set_options` are arguments of the function.
    """

    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Claimed ε (default: the module's `epsilon`).")
    ] = None
    delta: Annotated[
        float | None, typer.Option("--delta", help="Claimed δ (default: the module's `delta`, else 0).")
    ] = None
    rho: Rho = None
    mu: Mu = None
    renyi: Annotated[
        list[str], typer.Option("--renyi", metavar="ORDER:ε", help="Claimed Rényi divergence: 8:0.5; repeat.")
    ] = field(default_factory=list[str])
    curve: Annotated[
        str | None, typer.Option("--curve", metavar="FILE", help="Claimed δ(ε): a CSV file with ε, δ a line.")
    ] = None
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
    python: Annotated[
        str | None,
        typer.Option(
            "--python", metavar="PATH", help="Run the file in this Python: a path or 3.8; needs NumPy."
        ),
    ] = None
    with_packages: Annotated[
        list[str],
        typer.Option(
            "--with", metavar="PACKAGE", help="Run it where this is installed: 'lib==0.3.0'; repeat."
        ),
    ] = field(default_factory=list[str])
    adjacency: Annotated[
        str | None,
        typer.Option(
            "--adjacency", help="replace, add, remove, add-remove or all; of given pairs what they are."
        ),
    ] = None
    set_options: Annotated[
        list[str],
        typer.Option("--set", metavar="NAME=VALUE", help="Argument of a library's function: bounds=0,1."),
    ] = field(default_factory=list[str])
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            help="Data of a function: n=5,features=2,classes=2,categories=3,batch=4,nan=1; counts=5.",
        ),
    ] = None

    def __post_init__(self) -> None:
        must_be_packages(self.with_packages)

    def again(self, target: str, command: str = "audit") -> str:
        """The command and those of its options that a result does not know."""
        given = {
            "--adjacency": self.adjacency,
            "--time-limit": None if self.time_limit in (None, TIME_LIMIT) else f"{self.time_limit:g}",
            "--schema": self.schema,
            "--python": self.python,
            "--curve": self.curve,
        }
        words = [word for name, value in given.items() if value is not None for word in (name, f"{value}")]
        words += [word for option in self.set_options for word in ("--set", option)]
        words += [word for package in self.with_packages for word in ("--with", package)]
        return shlex.join(["dpclaims", command, target, *words])

    @property
    def keywords(self) -> dict[str, Any]:
        """Those of the options that are keywords of `audit_privacy`, but the claim."""
        from audits.privacy.options import Options

        known = {one.name for one in fields(Options)} - {"epsilon", "delta", "claim"}
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name in known}

    def claim(self) -> Claim | None:
        """The claim where it is none of ε and δ; ValueError for more than one kind, or one that makes no
        sense."""
        from audits.privacy import claims

        given = {"epsilon": self.epsilon, "rho": self.rho, "mu": self.mu, "renyi": self.renyi or None}
        given["curve"] = self.curve
        kinds = [name for name, value in given.items() if value is not None]
        if len(kinds) > 1:
            raise ValueError(f"{kinds[1]} must not be given beside --{kinds[0]}: a claim is of one kind")
        if self.delta is not None and kinds and kinds[0] not in ("epsilon", "rho"):
            raise ValueError(f"delta must not be given beside --{kinds[0]}, got {self.delta}")
        if self.rho is not None and self.delta is not None:
            return claims.ApproximateZeroConcentrated(self.rho, self.delta)
        if self.rho is not None:
            return claims.ZeroConcentrated(self.rho)
        if self.mu is not None:
            return claims.GaussianDP(self.mu)
        if self.renyi:
            return _renyi(self.renyi)
        return None if self.curve is None else _curve(self.curve)

    def check(self) -> None:
        """ValueError for the first option of an audit that makes no sense: `Options` has its rules."""
        from audits.privacy.options import Options

        try:
            asked = self.claim()
            claim = {"epsilon": self.epsilon or 0.0, "delta": self.delta or 0.0}
            if asked is not None:
                claim = {"claim": asked}
            Options(**claim, **self.keywords)
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            raise ValueError(f"--{name.replace('_', '-')} {rest}") from None


def _renyi(given: list[str]) -> Claim:
    """The claim of options such as 8:0.5."""
    from audits.privacy.claims import Renyi

    try:
        pairs = [(float(order), float(bound)) for order, bound in (one.split(":") for one in given)]
    except ValueError:
        raise ValueError(f"renyi must be ORDER:ε, as 8:0.5, got {' '.join(given)!r}") from None
    try:
        if len(pairs) == 1:
            return Renyi(*pairs[0])
        return Renyi(tuple(order for order, _ in pairs), tuple(bound for _, bound in pairs))
    except ValueError as error:
        raise ValueError(f"renyi {' '.join(given)}: {error}") from None


def _curve(file: str) -> Claim:
    """The claim of a CSV file with ε and δ on each line; a first line without numbers is a header."""
    import numpy as np

    from audits.privacy.claims import Curve

    try:
        rows = np.genfromtxt(file, delimiter=",", encoding="utf-8-sig", ndmin=2)
        header = len(rows) > 0 and bool(np.isnan(rows[0]).all())
        return Curve([tuple(row) for row in rows[header:].tolist()])
    except (OSError, ValueError) as error:
        raise ValueError(f"curve {file}: {' '.join(str(error).split())}") from None
