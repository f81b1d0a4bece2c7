"""The outcome of an audit as labelled lines: what carries the verdict, and the rest for who asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from audits.privacy.result import AuditResult, short
from audits.values import digest

LOW_BITS = (
    "floating-point noise shows its lowest bits, as NumPy's does nearly always: see Mironov (2012), "
    "https://doi.org/10.1145/2382196.2382264"
)
NO_REPLAY = "mechanism does not draw from the given generator alone: this run cannot be replayed"
NO_WITNESS = "none: no coordinate, symbol or sum was seen to show it alone"


def facts(result: AuditResult, verbose: bool = False) -> list[tuple[str, str]]:
    """What else is to be said, each a label and a text; what is empty is left out."""
    seen, alone = not result.premise, result.refuted and result.simplest is None
    low_bits = f"{result.low_bits} {LOW_BITS}" if verbose else LOW_BITS
    rows = [
        ("witness", str(result.simplest or NO_WITNESS) if result.refuted else ""),
        result.passed if seen and not result.refuted and result.looked else ("", ""),
        ("resolution", result.resolution_said if seen and _sized(result, verbose) else ""),
        ("event", result.event_said if seen and (verbose or alone) else ""),
        ("tested at", _tested_at(result)),
        ("pair", pair_said(*result.pair)),
        ("pairs", f"{result.pairs:,}" if result.pairs > 1 else ""),
        *(_details(result) if seen and verbose else []),
        ("samples", _samples(result)),
        ("low-order bits", low_bits if result.low_bits else ""),
        # Why nothing is decided stands in the headline.
        ("note", result.note if result.premise or result.verdict != "undecided" else ""),
        ("replay", result.replay),
    ]
    return [(label, text) for label, text in rows if text]


def _sized(result: AuditResult, verbose: bool) -> bool:
    """Whether the resolution has a line of its own: beside leaks that were planted, and who asks for it."""
    return verbose if result.refuted else result.looked and bool(result.planted)


def _samples(result: AuditResult) -> str:
    """How many samples were drawn for what, and the time."""
    tested = f", {result.premise_samples:,} more for the assumptions" if result.premise_samples else ""
    fresh = f", {result.simplest.samples:,} for the witness" if result.simplest else ""
    return f"{result.samples:,} on each dataset{tested}{fresh}, {result.seconds:.2f} s, α = {result.alpha:g}"


def _tested_at(result: AuditResult) -> str:
    """The ε′ that a claim of many was tested at, and what it allows there."""
    if result.claim.unit == "ε" or not result.tested_at >= 0.0:
        return ""
    return f"ε′ = {result.tested_at:.4g}, where the claim is δ ≤ {result.claim.delta(result.tested_at):.4g}"


def _details(result: AuditResult) -> list[tuple[str, str]]:
    much = "more than 1e+299" if result.e_value > 1e299 else f"{result.e_value:.3g}"
    once = "" if result.replayable else f"; the {NO_REPLAY}"
    at = f" at δ = {result.delta:g}" if result.claim.unit == "ε" else ""
    lower = f"{result.symbol} ≥ {result.lower:.4g}{at}, confidence {result.confidence:g}"
    return [
        ("lower bound", lower),
        ("estimate", f"{result.symbol} ≈ {result.estimate:.4g}; no bound" if result.refuted else ""),
        ("missed", "; ".join(one.said(one.missed) for one in result.planted)),
        ("e-value", f"{much}, the largest so far" if result.method == "sequential" else ""),
        ("method", f"{result.method}, seed {result.seed}{once}"),
    ]


def pair_said(first: Any, second: Any) -> str:
    """The two datasets; where not all of their records is shown, also the first record that differs."""
    said = f"D = {short(first)}   D′ = {short(second)}"
    cut = "…" in said or "..." in said
    return f"{said}   ({_apart(first, second)})" if cut and _is_list(first) and _is_list(second) else said


def _is_list(data: Any) -> bool:
    return isinstance(data, (list, tuple)) or (isinstance(data, np.ndarray) and data.ndim > 0)


def _apart(first: Sequence[Any], second: Sequence[Any]) -> str:
    """How many records two datasets have, and the first record that differs."""
    most = max(len(first), len(second))
    pairs = zip_longest(map(digest, first), map(digest, second))
    place = next((i for i, (one, other) in enumerate(pairs) if one != other), most)
    records = (short(data[place]) if place < len(data) else "none" for data in (first, second))
    sizes = dict.fromkeys(f"{len(data):,}" for data in (first, second))
    return f"{' and '.join(sizes)} records; record {place}: {' and '.join(records)}"
