"""`dpclaims trace`: the grey-box audit of a program that the user wrote, or of a library."""

from __future__ import annotations

import functools
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from claims.harness.commands.asked import Asked
from claims.harness.commands.options import (
    Arguments,
    AsJson,
    Delta,
    Epsilon,
    Junit,
    Packages,
    Python,
    Summary,
)
from claims.harness.commands.published import publish_traces
from claims.harness.commands.targets import Target, load_any, place_of, schema_of
from claims.harness.commands.watch import stdout_to_stderr
from claims.harness.exchange import Outputs, must_be_writable, save_plot
from claims.harness.run.result import BAD_INPUT, CRASHED, DIFFERS, PASSED, UNDECIDED

if TYPE_CHECKING:
    from audits.trace import TraceResult

STATUS = {"leak": DIFFERS, "ledger-exceeds": DIFFERS, "nothing-found": PASSED, "lost": UNDECIDED}
LIMIT = 30.0
"""Seconds that a command takes, at most, where the user names no others."""
PATIENCE = 1.0
"""Seconds that threads of a program have to end after the trace."""
MOST_PAIRS = 16
"""Pairs of the stock that are traced, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Where the program runs, on which data, and what is known of it."""

    primitives: Sequence[str] = ()
    python: str | None = None
    with_packages: Sequence[str] = ()
    envs: Path | None = None
    adjacency: str | None = None
    set_options: Sequence[str] = ()
    schema: str | None = None
    seed: int = 0
    seeds: int | None = None
    fixed_seeds: bool = False
    time_limit: float = LIMIT
    plot: Path | None = None
    outputs: Outputs = field(default_factory=Outputs)


def trace_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="file.py, file.py:name, package.module:name, or a library's object."
        ),
    ],
    epsilon: Epsilon = None,
    delta: Delta = None,
    adjacency: Annotated[
        str | None,
        typer.Option("--adjacency", help="replace, add, remove, or all: each with its pairs and verdict."),
    ] = None,
    primitive: Annotated[
        list[str] | None,
        typer.Option(
            "--primitive", metavar="NAME", help="A function or class that adds noise itself; repeat."
        ),
    ] = None,
    python: Python = None,
    with_packages: Packages = None,
    envs: Annotated[
        Path | None, typer.Option("--envs", metavar="DIR", help="Where --with keeps environments.")
    ] = None,
    set_options: Arguments = None,
    schema: Annotated[
        str | None,
        typer.Option("--schema", help="Data of a library's function: n=5,features=2,classes=2,nan=1."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of every run.")] = 0,
    seeds: Annotated[
        int | None, typer.Option("--seeds", help="Runs of each pair in each direction, and no more.")
    ] = None,
    fixed_seeds: Annotated[
        bool,
        typer.Option("--fixed-seeds", help="A seed in the program is for a test: the release has another."),
    ] = False,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Seconds; what is known by then is said.")
    ] = LIMIT,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Write a plot of the ledger: .png, .svg.")
    ] = None,
    junit: Junit = None,
    summary: Summary = None,
    json: AsJson = False,
) -> None:
    """Trace your own program: the line that leaks, and what each draw costs at the real distance of the data.

    Exit status: 0 nothing found (which is no proof) · 1 a leak, or a ledger above the claim · 2 bad input ·
    3 draws were lost, so that nothing is known · 4 crashed.
    """
    options = Options(
        primitives=primitive or [],
        python=python,
        with_packages=with_packages or [],
        envs=envs,
        adjacency=adjacency,
        set_options=set_options or [],
        schema=schema,
        seed=seed,
        seeds=seeds,
        fixed_seeds=fixed_seeds,
        time_limit=time_limit,
        plot=plot,
        outputs=Outputs(junit, summary),
    )
    before = set(threading.enumerate())
    end = functools.partial(_end, os._exit)  # a program that is traced finds another one
    watchdog = threading.Timer(time_limit + 15.0 * PATIENCE, end, [f"{target} cannot be interrupted"])
    watchdog.daemon = True
    watchdog.start()
    status = trace_target(target, options, epsilon=epsilon, delta=delta, json=json)
    left = [t for t in threading.enumerate() if t not in before and not t.daemon]
    for thread in left:
        thread.join(PATIENCE / len(left))
    if any(thread.is_alive() for thread in left):
        end(f"{target} leaves a thread that does not end")  # Python would wait for it
    watchdog.cancel()
    raise typer.Exit(status)


def _end(leave: Callable[[int], None], reason: str) -> None:
    """End the process, whatever else runs in it."""
    print(f"dpclaims: {reason}", file=sys.__stderr__, flush=True)
    sys.stdout.flush()
    leave(BAD_INPUT)


def trace_target(
    target: str,
    options: Options,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    json: bool = False,
) -> int:
    """Trace TARGET, print what was found, and return the exit status."""
    results: dict[str, tuple[str, TraceResult]] = {}
    try:
        must_be_writable("--plot", options.plot, parents=False)
        with stdout_to_stderr():
            results = _results(target, options, epsilon, delta)
        _written(target, results, options)
    except ValueError as error:
        print(f"dpclaims: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dpclaims: stopped", file=sys.stderr)
        return UNDECIDED
    except SystemExit as error:
        print(f"dpclaims: {target} called exit({error.code!r})", file=sys.stderr)
        return BAD_INPUT
    except Exception:
        traceback.print_exc()
        print("dpclaims: the trace crashed; this says nothing of the program", file=sys.stderr)
        return CRASHED
    if json:
        from audits.trace.result import FORMAT
        from claims.harness.run.serialise import dumps

        documents = {label: result.to_dict() for label, (_, result) in results.items()}
        typer.echo(dumps({"format": FORMAT} | documents.get("", documents)), nl=False)
    else:
        for name, result in results.values():
            _show(name, result)
    return max(
        (STATUS[result.verdict] for _, result in results.values()), key=(PASSED, UNDECIDED, DIFFERS).index
    )


def _results(
    target: str, options: Options, epsilon: float | None, delta: float | None
) -> dict[str, tuple[str, TraceResult]]:
    from audits.trace import trace_privacy

    if not 0.0 < options.time_limit < math.inf:
        raise ValueError(f"--time-limit must be a number of seconds > 0, got {options.time_limit:g}")
    if options.seed < 0:
        raise ValueError(f"--seed must be ≥ 0, got {options.seed}")
    asked = Asked(
        epsilon=epsilon,
        delta=delta,
        seed=options.seed,
        python=options.python,
        with_packages=options.with_packages,
        envs=options.envs,
        adjacency=options.adjacency,
        set_options=options.set_options,
        schema=options.schema,
    )
    adjacency, loaded = load_any(target, asked)
    claim = epsilon if epsilon is not None else loaded.epsilon
    if claim is None:
        raise ValueError("no epsilon to trace against: pass --epsilon, or set `epsilon` in the module")
    spent = delta if delta is not None else (loaded.delta or 0.0)
    found: dict[str, tuple[str, TraceResult]] = {}
    end = time.monotonic() + options.time_limit
    for one in _by_adjacency(loaded, adjacency, options):
        result = trace_privacy(
            one.mechanism,
            one.pairs,
            epsilon=claim,
            delta=spent,
            adjacency=one.adjacency,
            primitives=options.primitives,
            seed=options.seed,
            fixed_seeds=options.fixed_seeds,
            time_limit=max(end - time.monotonic(), 1e-3),
            **({} if options.seeds is None else {"seeds": options.seeds}),
        )
        found[one.label] = one.name, result
    return found


def _by_adjacency(loaded: Target, adjacency: str | None, options: Options) -> list[Target]:
    """The target with its pairs; an object of a library gets all pairs of the stock, as a trace is quick."""
    from dataclasses import replace

    from audits.stock import ADJACENCIES, derived, stock

    if adjacency is None:
        return [loaded]
    if adjacency not in (*ADJACENCIES, "all"):
        raise ValueError(f"--adjacency must be one of {', '.join((*ADJACENCIES, 'all'))}, got {adjacency!r}")
    kinds = list(ADJACENCIES) if adjacency == "all" else [adjacency]
    known: Any = loaded.adjacency
    if loaded.pairs is None and known is not None:
        meant = ("replace",) if known == "replace" else ("add", "remove")
        kinds = [kind for kind in kinds if kind in meant]
    if not kinds:
        raise ValueError(f"--adjacency {adjacency}: the claim of {loaded.name} is made for another one")
    shape = schema_of(options.schema, options.set_options)
    found: list[Target] = []
    for kind in kinds:
        if loaded.pairs is None:
            pairs: Any = [named.pair for named in stock(shape, kind)][:MOST_PAIRS]
        else:
            import numpy as np

            from audits.privacy.draw.pairs import take_pairs

            own, _ = take_pairs(loaded.pairs, np.random.default_rng(options.seed), cast(Any, known))
            pairs = [other for pair in own for other in derived(pair, kind)]
        relation = "replace" if kind == "replace" else "add-remove"
        name = f"{loaded.name} under {kind}"
        found.append(replace(loaded, name=name, pairs=pairs, adjacency=relation, label=kind))
    return found


def _show(name: str, result: TraceResult) -> None:
    """The result in plain words on stdout; coloured on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    colours = {
        "leak": "bold red",
        "ledger-exceeds": "bold red",
        "nothing-found": "bold green",
        "lost": "bold yellow",
    }
    first, *rest = result.summary().splitlines()
    headline = result.headline
    console.print(Text(headline, style=colours[result.verdict]) + Text(first[len(headline) :]))
    console.print(Text(f"  traced: {name}"))
    for line in rest:
        console.print(Text(line))
    if result.ledger:
        console.print(Text("\n" + result.table()))


def _written(target: str, results: dict[str, tuple[str, TraceResult]], options: Options) -> None:
    plot = options.plot
    try:
        if plot is not None:
            _, dearest = max(results.values(), key=lambda pair: pair[1].epsilon_ledger or 0.0)
            save_plot(dearest.plot().figure, plot)
    except ImportError as error:
        raise ValueError(f"--plot needs the library Matplotlib, which is not installed ({error})") from error
    publish_traces(dict(results.values()), place_of(target), options.outputs)
