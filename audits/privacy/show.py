"""The outcome of an audit in words: the verdict and one number first, then what carries it.

A refutation is told by its witness, an event that anybody can count, and a pass by the leaks that it would
have caught. Everything else is there for who asks for it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.privacy.outputs.outputs import number_words
from audits.values import digest

if TYPE_CHECKING:
    from audits.privacy.result import AuditResult

LOW_BITS = (
    "floating-point noise shows its lowest bits, as NumPy's does nearly always: see Mironov (2012), "
    "https://doi.org/10.1145/2382196.2382264"
)
NO_WITNESS = "none: no coordinate, symbol, sum, reading or short whole output was seen to show it alone"
MORE_LIKELY = {"forward": "likelier on D", "backward": "likelier on D′"}
NO_REPLAY = "mechanism does not draw from the given generator alone: this run cannot be replayed"
SHOWN = 4
"""Kinds of planted leaks that are told of a pass."""
COLOURS = {"refuted": "#b3261e", "not-refuted": "#1b6e3c", "undecided": "#7a5b00"}
HEADS = {"refuted": "REFUTED", "not-refuted": "NOT REFUTED", "undecided": "UNDECIDED"}
NO_PROOF = "This is no proof that it is private."


def headline(result: AuditResult, name: str = "the mechanism") -> str:
    """The verdict and its number, in a sentence or two."""
    return f"{HEADS[result.verdict]}: {meaning(result, name)}"


def meaning(result: AuditResult, name: str = "the mechanism") -> str:
    """What stands behind the verdict in the headline."""
    claim = f"(ε = {result.epsilon_claimed:g}, δ = {result.delta:g})"
    if result.refuted:
        sure = f"δ = {result.delta:g}, confidence {_confidence(result.alpha_shown)}"
        unless = ", unless it returns earlier answers" if result.constant else ""
        return f"{bound(result)}, claimed {result.epsilon_claimed:g} ({sure}): {name}{unless}."
    if result.verdict == "not-refuted":
        same = ", whose outputs on a dataset were all the same" if result.constant else ""
        return f"no violation of {claim} was found in {name}{same}, only {bound(result)}. {NO_PROOF}"
    why = "the samples ran out before the audit could have seen much"
    if result.premise or result.note:
        why = "the samples cannot be used for an audit" if result.premise else "nothing is decided"
    reason = "" if _note(result) else f" {result.note}".rstrip()
    return f"{why}, for {name} and {claim}.{reason} {NO_PROOF}"


def _confidence(alpha: float) -> str:
    """1 − α in words."""
    percent = f"{100.0 * (1.0 - alpha):.6g}"
    return f"{percent} %" if percent != "100" else f"1 − {alpha:.3g}"


def _note(result: AuditResult) -> str:
    """The note, but where the headline has it: why nothing is decided."""
    return "" if result.verdict == "undecided" and not result.premise else result.note


def bound(result: AuditResult) -> str:
    """The number of the first line, in words: see `AuditResult.epsilon_shown`."""
    found = f"{result.epsilon_shown:.4g}"
    return f"ε {'>' if result.refuted and found == f'{result.epsilon_claimed:.4g}' else '≥'} {found}"


def facts(result: AuditResult, verbose: bool = False) -> list[tuple[str, str]]:
    """What else is to be said, each a label and a text; what is empty is left out."""
    seen = not result.premise
    low_bits = f"{result.low_bits} {LOW_BITS}" if verbose else LOW_BITS
    rows = [
        ("witness", str(result.simplest or NO_WITNESS) if result.refuted else ""),
        passed(result) if seen and not result.refuted and _looked(result) else ("", ""),
        ("event", event(result) if seen and (verbose or _no_witness(result)) else ""),
        ("pair", pair_said(*result.pair)),
        ("pairs", pairs_said(result)),
        *(_details(result) if seen and verbose else []),
        ("samples", _samples(result)),
        ("low-order bits", low_bits if result.low_bits else ""),
        ("note", _note(result)),
        ("replay", result.replay),
    ]
    return [(label, text) for label, text in rows if text]


def event(result: AuditResult) -> str:
    """The event that carries the bound, and on which dataset of the pair (D, D′) it is likelier."""
    return f"{result.event} ({MORE_LIKELY[result.direction]})"


def _looked(result: AuditResult) -> bool:
    """Whether the audit came so far that there is something to be said of what it would have shown."""
    return bool(result.planted or not result.note or math.isfinite(result.resolution.epsilon))


def _no_witness(result: AuditResult) -> bool:
    return result.refuted and result.simplest is None


def _details(result: AuditResult) -> list[tuple[str, str]]:
    much = "more than 1e+299" if result.e_value > 1e299 else f"{result.e_value:.3g}"
    once = "" if result.replayable else f"; the {NO_REPLAY}"
    lower = f"ε ≥ {result.epsilon_lower:.4g} at δ = {result.delta:g}, confidence {result.confidence:g}"
    return [
        ("lower bound", lower),
        ("estimate", f"ε ≈ {result.epsilon_estimate:.4g}; no bound" if result.refuted else ""),
        *worth(result),
        ("e-value", f"{much}, the largest so far"),
        ("resolution", resolution_words(result) if result.planted or result.refuted else ""),
        ("method", f"{result.method}, seed {result.seed}{once}"),
    ]


def _samples(result: AuditResult) -> str:
    tested = f", {result.premise_samples:,} more for the assumptions" if result.premise_samples else ""
    fresh = f", {result.simplest.samples:,} for the witness" if result.simplest else ""
    return f"{result.samples:,} on each dataset{tested}{fresh}, {result.seconds:.2f} s"


def resolution_words(result: AuditResult) -> str:
    """What the events at hand would have shown; says so where that is nothing."""
    if not math.isfinite(result.resolution.epsilon):
        return "too few samples: no violation of any size would have been caught reliably"
    return (
        f"ε ≥ {result.resolution.epsilon:.4g}, or {result.resolution.delta:.3g} more δ, would have shown "
        "(probability 0.9) on the best placed of the events tried, not on others"
    )


def would_have_caught(result: AuditResult) -> str:
    """The planted leaks that were caught, the commonest mistakes first, in a line; without planted leaks the
    resolution."""
    caught = [
        planted.said(planted.caught or 0.0, planted.brief)
        for planted in result.planted
        if planted.worth_saying
    ]
    nothing = "none of the planted leaks" if result.planted else "no leak was planted"
    return ", ".join([*dict.fromkeys(caught)][:SHOWN]) or f"{nothing}; {resolution_words(result)}"


def passed(result: AuditResult) -> tuple[str, str]:
    """What a pass is worth, a label and a text: planted leaks that were caught, or the resolution."""
    return ("would have caught" if result.planted else "resolution"), would_have_caught(result)


def worth(result: AuditResult) -> list[tuple[str, str]]:
    """What a pass is worth, as planted leaks show it: three lines, each a label and a text; none without
    planted leaks."""
    found = [p for p in result.planted if p.worth_saying]
    lines = (
        ("caught", "planted leaks of this size were: ", [p.said(p.caught) for p in found if p.caught]),
        ("not caught", "", [p.left_over for p in result.planted if not p.worth_saying]),
        (
            "too small",
            f"to show in {result.samples:,} samples as a rule, to a test that looks at nothing else: ",
            [p.said(p.too_small, rarer=True) for p in found if p.too_small],
        ),
    )
    every = [(label, text + "; ".join(words) if words else "nothing") for label, text, words in lines]
    return every if result.planted else []


def pairs_said(result: AuditResult) -> str:
    """How many pairs were audited, in words; empty for one, which is shown."""
    were = "was" if result.followed == 1 else "were"
    followed = "" if result.followed == result.pairs else f", of which {result.followed:,} {were} followed"
    return f"{result.pairs:,} pairs{followed}" if result.pairs > 1 else ""


def low_bits(result: AuditResult) -> str:
    """What the low-order bits tell, in a sentence; empty where they tell no more than the claim, or where the
    numbers themselves do, as the exponent is part of the event."""
    found = result.footprints
    if found is None or found.epsilon_lower <= result.epsilon_claimed or result.refuted:
        return ""
    return (
        f"the program leaks by the lowest bits of its doubles: ε ≥ {found.epsilon_lower:.3g} "
        f"({found.event}). The verdict is on real numbers."
    )


def replay(result: AuditResult) -> str:
    """What gives this run again, as options of the command."""
    seed = f"--seed {result.seed}" if result.seed is not None else "(no seed: it cannot be replayed)"
    further = "" if result.errors == "raise" else f" --errors {result.errors}"
    further += "" if result.asked is None else f" --resolution {result.asked!r}"
    return (
        f"--epsilon {number_words(result.epsilon_claimed)} --delta {number_words(result.delta)} "
        f"--alpha {number_words(result.alpha)} "
        f"--max-samples {result.max_samples} --method {result.method} {seed}{further}"
    )


def summary(result: AuditResult) -> str:
    """The outcome in a few sentences."""
    if result.premise:
        return f"{headline(result)} {result.note}"
    if result.refuted:
        told = f"Witness: {result.simplest}." if result.simplest else f"Event: {event(result)}."
    else:
        label, text = passed(result)
        told = f"{label.capitalize()}: {text}." if _looked(result) else ""
    pairs = f"{pairs_said(result)}." if result.pairs > 1 else ""
    once = "" if result.replayable else f"The {NO_REPLAY}."
    return " ".join(
        filter(None, [headline(result), told, f"{_samples(result)}.", pairs, once, _note(result)])
    )


def to_html(result: AuditResult) -> str:
    """The outcome as a table for notebooks."""
    body = "".join(
        f"<tr><th style='text-align:left'>{html.escape(label)}</th><td>{html.escape(text)}</td></tr>"
        for label, text in [("", headline(result)), *facts(result, verbose=True)]
    )
    verdict = f"<strong style='color:{COLOURS[result.verdict]}'>{html.escape(result.verdict)}</strong>"
    return f"{verdict}<table>{body}</table>"


def short(data: Any) -> str:
    """A dataset in at most 200 characters."""
    plain = data.item() if isinstance(data, np.generic) else data
    text = np.array2string(data, threshold=12) if isinstance(data, np.ndarray) else repr(plain)
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:199] + "…"


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
