"""The end of `audit`, `trace`, `map` and `canaries`: words or JSON, files for other tools, the status."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from claims.harness import exchange
from claims.harness.exchange import Case, Outputs
from claims.harness.run.result import DIFFERS, PASSED, UNDECIDED
from claims.harness.run.serialise import print_json

OUTCOMES = {
    "not-refuted": exchange.PASSED,
    "no-pair-found": exchange.PASSED,
    "rounding": exchange.PASSED,
    "nothing-found": exchange.PASSED,
    "refuted": exchange.FAILED,
    "leak": exchange.FAILED,
    "ledger-exceeds": exchange.FAILED,
    "undecided": exchange.UNDECIDED,
    "lost": exchange.UNDECIDED,
}
STATUS = {exchange.PASSED: PASSED, exchange.FAILED: DIFFERS, exchange.UNDECIDED: UNDECIDED}
COLOURS = {exchange.PASSED: "green", exchange.FAILED: "red", exchange.UNDECIDED: "yellow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One verdict, and all that is said of it.

    name      what was audited; `label` tells it from others in JSON, "" where it is the only one.
    text      in plain words, its first line begins with `headline`; `why` in one line, by default the first.
    document  the same as JSON; `numbers` are its fields that scripts read.
    place     file and line for an annotation.
    """

    name: str
    verdict: str
    headline: str
    text: str
    document: Mapping[str, Any]
    label: str = ""
    why: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    seconds: float = 0.0
    place: tuple[str, int] = ("", 0)

    @property
    def outcome(self) -> str:
        return OUTCOMES[self.verdict]


def conclude(command: str, told: Sequence[Told], outputs: Outputs, *, json: bool) -> int:
    """Print and write what was found; returns the exit status. "Refuted" counts most, then "undecided"."""
    show(command, told, json=json)
    cases = [
        Case(
            group=f"dpclaims.{command}", name=one.name, title=one.name, outcome=one.outcome,
            verdict=one.verdict, message=one.why or one.text.partition("\n")[0], text=one.text,
            seconds=one.seconds, place=one.place, numbers=one.numbers,
        )
        for one in told
    ]  # fmt: skip
    exchange.publish(f"dpclaims {command}", f"dpclaims {command}", cases, outputs)
    return max((STATUS[one.outcome] for one in told), key=(PASSED, UNDECIDED, DIFFERS).index)


def show(command: str, told: Sequence[Told], *, json: bool) -> None:
    """Print what was found: plain words, coloured on a terminal, or one JSON document: the verdict, or the
    verdicts by their labels where there are several."""
    if json:
        found: dict[str, Any] = {one.label: one.document for one in told}
        print_json({"format": f"dpclaims-{command}/1"} | found.get("", found))
        return
    for one in told:
        colour = None if os.environ.get("NO_COLOR") else COLOURS[one.outcome]
        rest = one.text.removeprefix(one.headline)
        typer.echo(typer.style(one.headline, fg=colour, bold=True) + rest)
