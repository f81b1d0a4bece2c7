"""`dpclaims canaries`: a lower bound of the privacy of one training run, from a table of canaries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claims.harness.commands.audit import STATUS
from claims.harness.commands.options import AsJson, Junit, Sarif, Seed, Summary
from claims.harness.commands.published import publish_canaries
from claims.harness.exchange import Outputs

if TYPE_CHECKING:
    from audits.privacy.claims import Claim

FORMAT = "dpclaims-canaries/1"


def canaries_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="SCORES.csv", help="Columns score, included (0 or 1) and, of several, run."),
    ],
    epsilon: Annotated[float | None, typer.Option(help="Claimed ε.")] = None,
    delta: Annotated[float, typer.Option(help="Claimed δ, of --epsilon or --rho.")] = 0.0,
    rho: Annotated[float | None, typer.Option(help="Claimed ρ of zCDP.")] = None,
    mu: Annotated[float | None, typer.Option(help="Claimed μ of Gaussian privacy.")] = None,
    guesses: Annotated[
        str, typer.Option(help="How many to guess in and out, '50,50', fixed before coins are known.")
    ] = "",
    alpha: Annotated[float, typer.Option(help="Probability that a true claim is refuted.")] = 0.001,
    seed: Seed = 0,
    junit: Junit = None,
    summary: Summary = None,
    sarif: Sarif = None,
    json: AsJson = False,
) -> None:
    """Audit one training run: each canary was included by a fair coin, and has a score from the outputs.

    Exit status: 0 not refuted (which is no proof) · 1 refuted · 2 bad input · 3 too few canaries.
    """
    import pandas as pd

    from audits.canaries import audit_canaries, read_canaries

    outputs = Outputs(junit, summary, sarif)
    try:
        table = pd.read_csv(file)
    except (UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} is no CSV file: {error}") from error
    scores, included = read_canaries({str(name): table[name].to_numpy() for name in table.columns})
    claim = _claim(epsilon, delta, rho, mu)
    result = audit_canaries(scores, included, claim=claim, alpha=alpha, guesses=_pair(guesses), seed=seed)
    publish_canaries(str(file), result, outputs)
    if json:
        from claims.harness.run.serialise import dumps

        typer.echo(dumps({"format": FORMAT} | result.to_dict()), nl=False)
    else:
        typer.echo(result.summary())
    raise typer.Exit(STATUS[result.verdict])


def _claim(epsilon: float | None, delta: float, rho: float | None, mu: float | None) -> Claim:
    """The claim in the one unit that was given."""
    from audits.privacy.claims import Approximate, ApproximateZeroConcentrated, GaussianDP

    given = {"--epsilon": epsilon, "--rho": rho, "--mu": mu}
    given = {flag: value for flag, value in given.items() if value is not None}
    if len(given) != 1 or ("--mu" in given and delta):
        said = " ".join(f"{flag} {value:g}" for flag, value in given.items()) or "none"
        raise ValueError(
            f"give one claim: --epsilon [--delta], --rho [--delta] or --mu; got {said}"
            + f" --delta {delta:g}" * bool(delta)
        )
    if mu is not None:
        return GaussianDP(mu)
    if rho is not None:
        return ApproximateZeroConcentrated(rho, delta)
    return Approximate(given["--epsilon"], delta)


def _pair(guesses: str) -> tuple[int, int] | None:
    """'50,20' as two numbers.

    >>> _pair("50,20")
    (50, 20)
    """
    if not guesses:
        return None
    try:
        plus, minus = map(int, guesses.split(","))
    except ValueError:
        raise ValueError(f"--guesses must be two numbers such as 50,50, got {guesses!r}") from None
    return plus, minus
