"""`dpclaims map`: the distance or loss that an object states, held against outputs of neighbours."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audits.foreign.calls import required
from claims.harness.commands.options import (
    AsJson,
    Environments,
    Junit,
    Packages,
    Python,
    Sarif,
    Seed,
    Summary,
    options_of,
)
from claims.harness.commands.targets import place_of
from claims.harness.commands.verdicts import Told, conclude
from claims.harness.commands.watch import stdout_to_stderr
from claims.harness.exchange import Outputs

if TYPE_CHECKING:
    from audits.maps import MapResult

PAUSE = 5.0
"""Seconds between lines of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command, but for what is printed and written."""

    d_in: Annotated[
        str | None, typer.Option("--d-in", metavar="D", help="Input distance to try (default: several).")
    ] = None
    budget: Annotated[str, typer.Option("--budget", metavar="S", help="Seconds of search: 60 or 60s.")] = (
        "60s"
    )
    seed: Seed = 0
    python: Python = None
    with_packages: Packages = field(default_factory=list[str])
    envs: Environments = None


@options_of(Options)
def map_command(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="file.py:name or package.module:name of an object.")
    ],
    junit: Junit = None,
    summary: Summary = None,
    sarif: Sarif = None,
    json: AsJson = False,
    **given: Any,
) -> None:
    """Search for neighbours whose outputs are farther apart than an object's map states.

    Exit status: 0 no pair found (which is no proof) · 1 refuted · 2 bad input · 3 nothing could be driven, or
    one of two neighbours raises · 4 crashed.
    """
    options, outputs = Options(**given), Outputs(junit, summary, sarif)
    with stdout_to_stderr():
        result = _checked(target, options)
    first, *rest = result.summary().splitlines()
    told = Told(
        name=target,
        verdict=result.verdict,
        headline=result.headline,
        text="\n".join([first, f"  checked: {target}", *rest, f"  replay: seed {result.seed}"]),
        document=result.to_dict(),
        numbers={name: getattr(result, name) for name in ("pairs", "ratio", "stated", "found")},
        seconds=result.seconds,
        place=place_of(target),
    )
    raise typer.Exit(conclude("map", [told], outputs, json=json))


def _checked(target: str, options: Options) -> MapResult:
    from audits.maps import MapResult, check_map
    from audits.maps.elsewhere import check_elsewhere
    from audits.maps.target import load

    asked = {"d_in": _distance(options.d_in), "budget": _seconds(options.budget), "seed": options.seed}
    if options.python is None and not options.with_packages:
        found, made = required(f"TARGET: to load {target}", load, target)
        return check_map(found, made=made, progress=_progress(), **asked)
    from audits.environments import environment, interpreter

    if options.with_packages:
        wanted = [*options.with_packages, "hypothesis", "threadpoolctl", "scipy"]
        python = environment(wanted, python=options.python, folder=options.envs)
    else:
        python = interpreter(options.python)
    return MapResult.from_dict(check_elsewhere(python, target, asked))


def _distance(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(f"--d-in must be a number, as 1 or 0.5, got {text!r}") from None


def _seconds(text: str) -> float:
    try:
        return float(text.removesuffix("s"))
    except ValueError:
        raise ValueError(f"--budget must be a number of seconds, as 60 or 60s, got {text!r}") from None


def _progress() -> Callable[[Any], None]:
    """Prints the best ratio so far, every few seconds."""
    import time

    last = [time.monotonic()]

    def report(search: Any) -> None:
        if time.monotonic() - last[0] >= PAUSE:
            last[0] = time.monotonic()
            print(f"dpclaims: {search.progress()}", file=sys.stderr)

    return report
