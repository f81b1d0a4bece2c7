"""Claims that are no library's object: a function with a stability, or with a method `sensitivity()`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from audits.maps.distances import METRICS
from audits.maps.domains import Drawn
from audits.maps.neighbours import DATASETS
from audits.maps.subject import Subject

RELATIONS = {"symmetric": "ADD_OR_REMOVE_ONE", "change-one": "REPLACE_ONE", "hamming": "REPLACE_ONE"}
"""Names of `dp_accounting.NeighboringRelation` for the metrics of datasets."""


def is_own(found: Any, given: Any) -> bool:
    """Whether an object is a function with a stability, given or among its attributes."""
    return callable(found) and (
        given.stability is not None or hasattr(found, "stability") or hasattr(found, "sensitivity")
    )


def read(found: Any, given: Any) -> Subject:
    """The claim of a function of one argument, a list of records.

    given   domain, stability, metric and output, each None for what the function has as an attribute.
    Raises ValueError where the domain is missing or a metric is not known.
    """
    said = {
        name: getattr(found, name, None) if getattr(given, name) is None else getattr(given, name)
        for name in ("domain", "stability", "metric", "output")
    }
    metric, output = said["metric"] or "symmetric", said["output"] or "l2"
    if not hasattr(said["domain"], "example"):
        raise ValueError(f"domain must be a Hypothesis strategy of lists of records, got {said['domain']!r}")
    for name, value, known in ("metric", metric, DATASETS), ("output", output, METRICS):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    return Subject(
        name=getattr(found, "__name__", type(found).__name__),
        domain=Drawn(said["domain"]),
        metric=metric,
        output=output,
        stated=_stability(found, said["stability"], metric),
        invoke=found,
        mapped="",
        idealised=True,
    )


def _stability(found: Any, stability: Any, metric: str) -> Callable[[Any], Any]:
    if callable(stability):
        return stability
    if stability is None:
        stability = _sensitivity(found, metric)
    if not isinstance(stability, int | float):
        raise ValueError(f"stability must be a function d_in -> d_out or a number, got {stability!r}")
    return lambda d_in: d_in * stability


def _sensitivity(found: Any, metric: str) -> float:
    """What `sensitivity()` returns, under the relation of the metric where it takes one."""
    if "neighboring_relation" not in inspect.signature(found.sensitivity).parameters:
        return float(found.sensitivity())
    import dp_accounting

    return float(found.sensitivity(getattr(dp_accounting.NeighboringRelation, RELATIONS[metric])))
