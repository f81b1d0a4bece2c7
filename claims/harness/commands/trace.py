"""`dpclaims trace`: the grey-box audit of a program that the user wrote, or of a library."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audits.foreign.calls import required
from claims.harness.commands.asked import Asked
from claims.harness.commands.options import AsJson, options_of, taken
from claims.harness.commands.targets import Target, adjacent, claim_of, load_any, place_of
from claims.harness.commands.verdicts import Told, conclude
from claims.harness.commands.watch import stdout_to_stderr
from claims.harness.exchange import Outputs, from_here, must_plot, save_plot

if TYPE_CHECKING:
    from audits.trace import TraceResult

LIMIT = 30.0
"""Seconds that a command takes, at most, where the user names no others."""
MOST_SECONDS = 1e9
NO_TRACE = ("alpha", "max_samples", "resolution", "method", "jobs", "errors")
"""Options of an audit that say nothing of a trace."""
MOST_PAIRS = 16
"""Pairs of the stock that are traced, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a trace alone, but for what is printed and written."""

    primitive: Annotated[
        list[str],
        typer.Option(
            "--primitive", metavar="NAME", help="A function or class that adds noise itself; repeat."
        ),
    ] = field(default_factory=list[str])
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


@options_of(Asked, Options, last=Outputs, without=NO_TRACE)
def trace_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="file.py, file.py:name, package.module:name, or a library's object."
        ),
    ],
    json: AsJson = False,
    **given: Any,
) -> None:
    """Trace your own program: the line that leaks, and what each draw costs at the real distance of the data.

    Exit status: 0 nothing found (which is no proof) · 1 a leak, or a ledger above the claim · 2 bad input ·
    3 draws were lost, so that nothing is known · 4 crashed.
    """
    options, outputs, asked = taken(Options, given), taken(Outputs, given), Asked(**given)
    must_plot(options.plot)
    with stdout_to_stderr():
        results = _results(target, asked, options)
    if options.plot is not None:
        dearest = max((result for _, result in results), key=lambda result: result.epsilon_ledger or 0.0)
        save_plot(dearest.plot().figure, options.plot)
    told = [_told(target, one, result) for one, result in results]
    raise typer.Exit(conclude("trace", told, outputs, json=json))


def _results(target: str, asked: Asked, options: Options) -> list[tuple[Target, TraceResult]]:
    from audits.trace import trace_privacy

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
            seed=asked.seed,
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
