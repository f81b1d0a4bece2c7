"""What an adapter reads off an object: the claim of a stability map, and how to try it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LONG = 8
"""Records of a list that are written one by one."""


def written(value: Any) -> str:
    """A value as Python writes it, with long runs of one record as products: ``[0.5] * 99 + [1.0]``."""
    if not isinstance(value, list) or len(value) <= LONG:
        return repr(value)
    runs = [(key, len([*same])) for key, same in itertools.groupby(map(repr, value))]
    if len(runs) > LONG:
        return repr(value)
    return " + ".join(f"[{key}]" if times == 1 else f"[{key}] * {times}" for key, times in runs)


def itself(value: Any) -> Any:
    """The value as it is."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A function between metric spaces, with the distance that it states.

    name, library     what it is, in words, and the module that the printed program imports.
    domain            a record of `domains` with `strategy()` and `holds(value)`, or `Opaque`.
    metric, output    the input metric and the output metric, names of `distances.METRICS`; for a measurement
                      `output` is empty.
    claim             for a measurement: stated map(d_in) ↦ a privacy claim.
    stated            d_in ↦ the stated distance, or loss.
    invoke            the function itself.
    made              turns a drawn value into what the function takes; `code` writes that as Python.
    shown             a released or transformed value in the program, of `data`.
    idealised         whether the library proves its map for real numbers only: rounding is no violation then.
    refusal           why this object cannot be driven, in a sentence; "" where it can.
    lines             a program that makes the object as `checked`, as far as it is known.
    """

    name: str
    library: str
    domain: Any
    metric: str
    output: str
    stated: Callable[[Any], Any]
    invoke: Callable[[Any], Any]
    claim: Callable[[Any], Any] | None = None
    made: Callable[[Any], Any] = itself
    code: Callable[[Any], str] = written
    shown: str = "checked(data)"
    idealised: bool = False
    refusal: str = ""
    lines: tuple[str, ...] = ()
