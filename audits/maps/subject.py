"""What is read off an object: the claim of a stability map, and how to try it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

PROFILE = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Where a privacy profile is read."""
LONG = 8
"""Records of a list that are written one by one."""


class Unknown(Exception):
    """An object of a library that is known, with a domain or metric that is not: a sentence."""


def written(value: Any) -> str:
    """A value as Python, with long runs of one record as products: ``[0.5] * 99 + [1.0]``."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in items) + "}"
    if not isinstance(value, list | tuple):
        return repr(value)
    parts = [*map(written, cast("list[Any]", value))]
    if isinstance(value, tuple):
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    runs = [(key, len([*same])) for key, same in itertools.groupby(parts)]
    if len(parts) <= LONG or len(runs) > LONG:
        return f"[{', '.join(parts)}]"
    return " + ".join(f"[{key}]" if times == 1 else f"[{key}] * {times}" for key, times in runs)


def claim_of(measure: str) -> Callable[[Any], Any]:
    """What a loss in a privacy measure claims, as a function of the loss. Raises `Unknown`."""
    from audits.privacy import claims

    known: dict[str, Callable[[Any], Any]] = {
        "MaxDivergence": claims.Pure,
        "PureDP()": claims.Pure,
        "ZeroConcentratedDivergence": claims.ZeroConcentrated,
        "RhoZCDP()": claims.ZeroConcentrated,
        "Approximate(MaxDivergence)": lambda loss: claims.Approximate(*loss),
        "ApproxDP()": lambda loss: claims.Approximate(*loss),
        "Approximate(ZeroConcentratedDivergence)": lambda loss: claims.ApproximateZeroConcentrated(*loss),
        "SmoothedMaxDivergence": lambda profile: claims.Curve({e: profile.delta(e) for e in PROFILE}),
    }
    if measure not in known:
        raise Unknown(f"losses in the measure {measure} are not known here")
    return known[measure]


def itself(value: Any) -> Any:
    """The value as it is."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A function between metric spaces, with the distance that it states.

    domain            one of `domains`, with `strategy()` and `holds(value)`.
    metric, output    the input metric and the output metric, names of `distances.METRICS`; for a measurement
                      `output` is empty.
    stated            d_in ↦ the stated distance, or loss.
    invoke            the function itself.
    claim             for a measurement: stated loss ↦ a claim of `audits.privacy.claims`.
    made              turns a drawn value into what the function takes; `code` writes that as Python.
    shown, mapped     an output of `data`, and the stated distance at {d_in}, in the printed program.
    idealised         whether the library proves its map for real numbers only: rounding is no violation then.
    lines             the first lines of that program.
    """

    name: str
    domain: Any
    metric: str
    output: str
    stated: Callable[[Any], Any]
    invoke: Callable[[Any], Any]
    claim: Callable[[Any], Any] | None = None
    made: Callable[[Any], Any] = itself
    code: Callable[[Any], str] = written
    shown: str = "checked(data)"
    mapped: str = "checked.map({d_in})"
    idealised: bool = False
    lines: tuple[str, ...] = ()


class Raised(str):
    """An exception as an output: its kind and its last line in words."""

    __slots__ = ()

    @classmethod
    def of(cls, error: Exception) -> Raised:
        text = str(getattr(error, "message", None) or error)
        lines = [line.strip() for line in text.splitlines() if re.search("[a-z]{3}", line)]
        return cls(f"{type(error).__name__}: {lines[-1] if lines else ''}"[:200])


@dataclass(frozen=True, slots=True)
class Found:
    """A pair of neighbours and what was measured on it.

    certain   the function is deterministic on both: a proof. Else the outputs are random.
    """

    first: Any
    second: Any
    d_in: Any
    stated: Any
    measured: Any
    certain: bool = True
