"""Options that several commands share, and how a command has the fields of a record as its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer

T = TypeVar("T")

Rho = Annotated[float | None, typer.Option("--rho", help="Claimed ρ of zCDP; with --delta δ-approximate.")]
Mu = Annotated[float | None, typer.Option("--mu", help="Claimed μ of Gaussian privacy.")]
Patterns = Annotated[
    list[str] | None, typer.Argument(metavar="[PATTERN]...", help="Ids or globs, e.g. 'song2021/*'.")
]
Folders = Annotated[
    list[Path] | None, typer.Option("--claims", metavar="DIR", help="Papers of other people; repeat.")
]
Jobs = Annotated[int, typer.Option("-j", "--jobs", min=1, max=1024, help="Worker processes.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of every random draw.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def taken(record: type[T], options: dict[str, Any]) -> T:
    """The record of some options of a command, which are taken out of them."""
    names = [one.name for one in fields(cast(Any, record)) if one.name in options]
    return record(**{name: options.pop(name) for name in names})


def options_of(
    *records: type[Any], last: type[Any] | None = None, without: Collection[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command, in place of ``**options``, an option for each field of records, but for some names.

    An option is written down once, with its help and its default: in the record that the command makes of it.
    Those of the record `last` stand behind the command's own.
    """

    def signed(command: Callable[..., Any]) -> Callable[..., Any]:
        first, *own = inspect.signature(command, eval_str=True).parameters.values()
        more = {p.name: p for record in records for p in _parameters(record)}
        more |= {p.name: p for p in own[:-1]}
        more |= {p.name: p for p in _parameters(last)} if last else {}
        parameters = [first, *(p for name, p in more.items() if name not in without)]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return signed


def _parameters(record: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(record, include_extras=True)
    for one in fields(record):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        yield inspect.Parameter(one.name, kind, default=default, annotation=hints[one.name])
