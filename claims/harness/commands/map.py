"""`dpclaims map`: the distance or loss that an object states, held against outputs of neighbours."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from audits.foreign.calls import required
from claims.harness.commands.options import AsJson, Seed, options_of
from claims.harness.commands.targets import is_file, module_of, place_of, split
from claims.harness.commands.verdicts import Told, conclude
from claims.harness.commands.watch import stdout_to_stderr
from claims.harness.exchange import Outputs

PAUSE = 5.0
"""Seconds between lines of progress."""


@options_of(last=Outputs)
def map_command(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="file.py:name or package.module:name of an object.")
    ],
    d_in: Annotated[
        str | None, typer.Option("--d-in", metavar="D", help="Input distance to try (default: several).")
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", metavar="S", help="Seconds of search: 60 or 60s.")
    ] = "60s",
    seed: Seed = 0,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Search for neighbours whose outputs are farther apart than an object's map states.

    Exit status: 0 no pair found (which is no proof) · 1 refuted · 2 bad input · 3 nothing could be driven, or
    one of two neighbours raises · 4 crashed.
    """
    from audits.maps import check_map

    outputs = Outputs(**options)
    asked = {"d_in": _distance(d_in), "budget": _seconds(budget), "seed": seed}
    with stdout_to_stderr():
        found, made = required(f"TARGET: to load {target}", loaded, target)
        result = check_map(found, made=made, progress=_progress(), **asked)
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


def loaded(target: str) -> tuple[Any, tuple[str, ...]]:
    """(the object of a TARGET, the lines of Python that make it under the name `checked`).

    A function that needs no arguments is called, unless it states a map itself. Raises ValueError, one
    sentence, where there is no such object.
    """
    from audits import adapters
    from audits.maps.program import lines_of

    place, _ = split(target)
    if is_file(target) and place == target:
        raise ValueError(
            f"TARGET must name an object, as file.py:name or package.module:name, got {target!r}"
        )
    module, names, where = module_of(target)
    found, name = adapters.inside(module, names, where.strip(": ")), ".".join(names)
    call = "()" if inspect.isfunction(found) and not hasattr(found, "stability") else ""
    if is_file(place):
        lines = lines_of(Path(str(module.__file__)), name, call)
    else:
        lines = [f"from {module.__name__} import {names[0]}", f"checked = {name}{call}"]
    if call and (needed := adapters.missing(found, {}, 0)):
        raise ValueError(
            f"TARGET: {target} needs {', '.join(needed)}: name an object, or a function without arguments "
            "that returns one; a function of your own has its map in attributes `domain` and `stability`"
        )
    return (required(f"TARGET: {target}", found) if call else found), tuple(lines)


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
