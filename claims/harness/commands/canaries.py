"""`dpclaims canaries`: a lower bound of the privacy of one training run, from a table of canaries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from claims.harness.commands.asked import Asked
from claims.harness.commands.options import AsJson, Mu, Rho, Seed, options_of
from claims.harness.commands.verdicts import Told, conclude
from claims.harness.exchange import Outputs, from_here


@options_of(last=Outputs)
def canaries_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="SCORES.csv", help="Columns score and included (0 or 1)."),
    ],
    epsilon: Annotated[float | None, typer.Option(help="Claimed ε.")] = None,
    delta: Annotated[float | None, typer.Option(help="Claimed δ, of --epsilon or --rho.")] = None,
    rho: Rho = None,
    mu: Mu = None,
    alpha: Annotated[float, typer.Option(help="Probability that a true claim is refuted.")] = 0.001,
    seed: Seed = 0,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Audit one training run: each canary was included by a fair coin, and has a score from the outputs.

    Exit status: 0 not refuted (which is no proof) · 1 refuted · 2 bad input · 3 too few canaries.
    """
    import pandas as pd

    from audits.canaries import audit_canaries
    from audits.privacy.claims import Approximate

    outputs = Outputs(**options)
    try:
        table = pd.read_csv(file)
    except (UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} is no CSV file: {error}") from error
    columns = [*map(str, table.columns)]
    if missing := [name for name in ("score", "included") if name not in columns]:
        raise ValueError(f"the table must have a column {missing[0]!r}, got {', '.join(columns) or 'none'}")
    scores, included = table["score"].to_numpy(), table["included"].to_numpy()
    claim = Asked(epsilon=epsilon, delta=delta, rho=rho, mu=mu).claim()
    if claim is None:
        if epsilon is None:
            raise ValueError("give one claim: --epsilon [--delta], --rho [--delta] or --mu")
        claim = Approximate(epsilon, delta or 0.0)
    result = audit_canaries(scores, included, claim=claim, alpha=alpha, seed=seed)
    document, text = result.to_dict(), result.summary()
    told = Told(
        name=str(file),
        verdict=result.verdict,
        headline=text.partition(":")[0],
        text=text,
        document=document,
        numbers={key: value for key, value in document.items() if isinstance(value, int | float)},
        place=(from_here(file), 1),
    )
    raise typer.Exit(conclude("canaries", [told], outputs, json=json))
