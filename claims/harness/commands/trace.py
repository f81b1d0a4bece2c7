"""`dpclaims trace`: the grey-box audit of a program that the user wrote, or of a library."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audits.foreign.calls import required
from claims.harness.commands.asked import Asked
from claims.harness.commands.options import (
    Arguments,
    AsJson,
    CurveFile,
    Data,
    Delta,
    Divergences,
    Environments,
    Epsilon,
    Junit,
    Mu,
    Neighbours,
    Packages,
    Python,
    Rho,
    Sarif,
    Seed,
    Summary,
    options_of,
)
from claims.harness.commands.printed import harmless
from claims.harness.commands.stopping import leave
from claims.harness.commands.targets import Target, adjacent, claim_of, load_any, place_of
from claims.harness.commands.verdicts import Told, conclude
from claims.harness.commands.watch import stdout_to_stderr
from claims.harness.exchange import Outputs, from_here, must_plot, save_plot
from claims.harness.run.result import BAD_INPUT

if TYPE_CHECKING:
    from audits.trace import TraceResult

LIMIT = 30.0
"""Seconds that a command takes, at most, where the user names no others."""
PATIENCE = 15.0
"""Seconds after the time limit at which a program that cannot be interrupted is ended."""
MOST_SECONDS = 1e9
MOST_PAIRS = 16
"""Pairs of the stock that are traced, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command, but for what is printed and written: those of an audit, and its own."""

    epsilon: Epsilon = None
    delta: Delta = None
    rho: Rho = None
    mu: Mu = None
    renyi: Divergences = field(default_factory=list[str])
    curve: CurveFile = None
    adjacency: Neighbours = None
    primitive: Annotated[
        list[str],
        typer.Option(
            "--primitive", metavar="NAME", help="A function or class that adds noise itself; repeat."
        ),
    ] = field(default_factory=list[str])
    python: Python = None
    with_packages: Packages = field(default_factory=list[str])
    envs: Environments = None
    set_options: Arguments = field(default_factory=list[str])
    schema: Data = None
    seed: Seed = 0
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", min=1, max=10_000, help="Runs of each pair in each direction, and no more."),
    ] = None
    fixed_seeds: Annotated[
        bool,
        typer.Option("--fixed-seeds", help="A seed in the program is for a test: the release has another."),
    ] = False
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Seconds; what is known by then is said.")
    ] = LIMIT
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a plot of the ledger: .png, .svg.")] = (
        None
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.time_limit <= MOST_SECONDS:
            limit = f"a number of seconds > 0, at most {MOST_SECONDS:g}"
            raise ValueError(f"--time-limit must be {limit}, got {self.time_limit:g}")

    def asked(self) -> Asked:
        """The options that say where the program runs, and on which data."""
        shared = {one.name for one in fields(Asked)} & {one.name for one in fields(self)} - {"time_limit"}
        return Asked(**{name: getattr(self, name) for name in shared})


@options_of(Options)
def trace_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="file.py, file.py:name, package.module:name, or a library's object."
        ),
    ],
    junit: Junit = None,
    summary: Summary = None,
    sarif: Sarif = None,
    json: AsJson = False,
    **given: Any,
) -> None:
    """Trace your own program: the line that leaks, and what each draw costs at the real distance of the data.

    Exit status: 0 nothing found (which is no proof) · 1 a leak, or a ledger above the claim · 2 bad input ·
    3 draws were lost, so that nothing is known · 4 crashed.
    """
    options = Options(**given)
    watchdog = threading.Timer(options.time_limit + PATIENCE, _end, [target])
    watchdog.daemon = True
    watchdog.start()
    try:
        raise typer.Exit(_traced(target, options, Outputs(junit, summary, sarif), json=json))
    finally:
        watchdog.cancel()


def _end(target: str) -> None:
    """End the process, whatever else runs in it."""
    print(f"dpclaims: {harmless(target)} cannot be interrupted", file=sys.__stderr__, flush=True)
    leave(BAD_INPUT)


def _traced(target: str, options: Options, outputs: Outputs, *, json: bool) -> int:
    """Trace TARGET, print what was found, and return the exit status."""
    must_plot(options.plot)
    with stdout_to_stderr():
        results = _results(target, options)
    if options.plot is not None:
        dearest = max((result for _, result in results), key=lambda result: result.epsilon_ledger or 0.0)
        save_plot(dearest.plot().figure, options.plot)
    told = [_told(target, one, result) for one, result in results]
    return conclude("trace", told, outputs, json=json)


def _results(target: str, options: Options) -> list[tuple[Target, TraceResult]]:
    from audits.trace import trace_privacy

    asked = options.asked()
    adjacency, loaded = required(f"{target}: to load it", load_any, target, asked, as_it_is=True)
    claim = claim_of(asked, loaded, "trace")
    found: list[tuple[Target, TraceResult]] = []
    end = time.monotonic() + options.time_limit
    for one in adjacent(loaded, adjacency, asked, _first_pairs) if adjacency else [loaded]:
        result = trace_privacy(
            one.mechanism,
            one.pairs,
            claim=claim,
            adjacency=one.adjacency,
            primitives=options.primitive,
            seed=options.seed,
            fixed_seeds=options.fixed_seeds,
            time_limit=max(end - time.monotonic(), 1e-3),
            **({} if options.seeds is None else {"seeds": options.seeds}),
        )
        found.append((one, result))
    return found


def _first_pairs(kind: str, known: Sequence[Any], rng: Any) -> tuple[Sequence[Any], str]:
    """Pairs of the stock: nearly all, as a trace is quick."""
    return known[:MOST_PAIRS], ""


def _told(target: str, traced: Target, result: TraceResult) -> Told:
    """The result in plain words; an annotation stands at the line that leaks, or is lost, or costs most."""
    dearest = sorted(result.ledger, key=lambda line: -(line.share or 0.0))
    named = (*result.findings, *(result.lost if result.verdict == "lost" else dearest))
    found = [(from_here(one.file), one.line) for one in named if one.line]
    first, *rest = result.summary().splitlines()
    table = ["", result.table()] if result.ledger else []
    numbers = ("epsilon_claimed", "delta", "epsilon_ledger", "pairs", "draws")
    return Told(
        name=traced.name,
        label=traced.label,
        verdict=result.verdict,
        headline=result.headline,
        text="\n".join([first, f"  traced: {traced.name}", *rest, *table]),
        document=result.to_dict(),
        numbers={name: getattr(result, name) for name in numbers},
        seconds=result.seconds,
        place=next((place for place in found if place[0]), place_of(target)),
    )
