"""The outcome of an audit in words: the verdict and one number first, then what carries it.

A refutation is told by its witness, an event that anybody can count, and a pass by the leaks that it would
have caught. Everything else is there for who asks for it.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.privacy.outputs import number_words

if TYPE_CHECKING:
    from audits.privacy.result import AuditResult

LOW_BITS = (
    "floating-point noise shows its lowest bits, as NumPy's does nearly always: see Mironov (2012), "
    "https://doi.org/10.1145/2382196.2382264"
)
NO_WITNESS = "none: no coordinate, symbol or sum was seen to show it alone, or no time was left to count one"
SHOWN = 4
"""Kinds of planted leaks that are told of a pass."""
COLOURS = {"refuted": "#b3261e", "not-refuted": "#1b6e3c", "undecided": "#7a5b00"}
HEADS = {"refuted": "REFUTED", "not-refuted": "NOT REFUTED", "undecided": "UNDECIDED"}
NO_PROOF = "This is no proof that it is private."


def headline(result: AuditResult, name: str = "the mechanism") -> str:
    """The verdict and its number, in a sentence or two."""
    claim = f"(ε = {result.epsilon_claimed:g}, δ = {result.delta:g})"
    head = HEADS[result.verdict]
    if result.refuted:
        sure = f"δ = {result.delta:g}, confidence {100.0 * result.confidence_shown:.6g} %"
        return f"{head}: {bound(result)}, claimed {result.epsilon_claimed:g} ({sure}): {name}."
    if result.verdict == "undecided":
        return f"{head}: {_why_undecided(result)}, for {name} and {claim}. {NO_PROOF}"
    return f"{head}: no violation of {claim} was found in {name}, only {bound(result)}. {NO_PROOF}"


def _why_undecided(result: AuditResult) -> str:
    if result.premise:
        return "the samples cannot be used for an audit"
    if result.note:
        return f"{result.note.split('. ')[0].rstrip('.')}, so nothing is decided"
    return "the samples ran out before the audit could have seen much"


def bound(result: AuditResult) -> str:
    """The number of the first line, in words: see `AuditResult.epsilon_shown`."""
    found = f"{result.epsilon_shown:.4g}"
    return f"ε {'>' if result.refuted and found == f'{result.epsilon_claimed:.4g}' else '≥'} {found}"


def facts(result: AuditResult, verbose: bool = False) -> list[tuple[str, str]]:
    """What else is to be said, each a label and a text; what is empty is left out."""
    pair = f"D = {short(result.pair[0])}   D′ = {short(result.pair[1])}"
    rows: list[tuple[str, str]] = []
    if result.refuted:
        rows += [("witness", str(result.simplest or NO_WITNESS))]
    elif not result.premise:
        rows += [("would have caught", would_have_caught(result))]
    if not result.premise and (verbose or (result.refuted and result.simplest is None)):
        rows += [("event", f"{result.event} ({result.direction})")]
    rows += [("pair", pair), ("pairs", pairs_said(result))]
    if verbose and not result.premise:
        rows += _details(result)
    rows += [("samples", _samples(result))]
    if result.low_bits and not verbose:
        rows += [("low-order bits", LOW_BITS)]
    rows += [("note", result.note), ("replay", result.replay)]
    return [(label, text) for label, text in rows if text]


def _details(result: AuditResult) -> list[tuple[str, str]]:
    much = "more than 1e+299" if result.e_value > 1e299 else f"{result.e_value:.3g}"
    how = f"{result.method}, seed {result.seed}"
    if not result.replayable:
        how += "; the mechanism takes no generator, so this run cannot be replayed"
    lower = f"ε ≥ {result.epsilon_lower:.4g} at δ = {result.delta:g}, confidence {result.confidence:g}"
    estimate = f"ε ≈ {result.epsilon_estimate:.4g}; no bound" if result.refuted else ""
    low_bits = f"{result.low_bits} {LOW_BITS}" if result.low_bits else ""
    return [
        ("lower bound", lower),
        ("estimate", estimate),
        *result.worth,
        ("e-value", f"{much}, the largest so far"),
        ("resolution", resolution_words(result)),
        ("low-order bits", low_bits),
        ("method", how),
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
        f"ε ≥ {result.resolution.epsilon:.4g}, or {result.resolution.delta:.3g} more δ, at the best placed "
        "event tried, with probability 0.9"
    )


def would_have_caught(result: AuditResult) -> str:
    """The planted leaks that were caught, the commonest mistakes first, in a line; without planted leaks the
    resolution."""
    caught = [planted.briefly for planted in result.planted if planted.worth_saying]
    if caught:
        return ", ".join(caught[:SHOWN])
    if result.planted:
        return f"no planted leak; {resolution_words(result)}"
    return resolution_words(result)


def worth(result: AuditResult) -> list[tuple[str, str]]:
    """What a pass is worth, as planted leaks show it: three lines, each a label and a text; none without
    planted leaks."""
    if not result.planted:
        return []
    found = [p for p in result.planted if p.worth_saying]
    lines = (
        ("caught", "planted leaks of this size were: ", [p.said(p.caught) for p in found if p.caught]),
        ("not caught", "", [p.left_over for p in result.planted if not p.worth_saying]),
        (
            "too small",
            f"for any test of {result.samples:,} samples: ",
            [p.said(p.too_small) for p in found if p.too_small],
        ),
    )
    return [(label, text + "; ".join(words) if words else "nothing") for label, text, words in lines]


def pairs_said(result: AuditResult) -> str:
    """How many pairs were audited, in words; empty for one, which is shown."""
    if result.pairs == 1:
        return ""
    if result.followed == result.pairs:
        return f"{result.pairs:,} pairs"
    return f"{result.pairs:,} pairs, of which {result.followed:,} were followed"


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
    parts = [headline(result)]
    if result.premise:
        return " ".join([*parts, result.premise, result.note.replace(result.premise, "").strip()]).rstrip()
    if result.refuted:
        said = result.simplest or f"{result.event} ({result.direction})"
        parts += [f"Witness: {said}." if result.simplest else f"Event: {said}."]
    else:
        parts += [f"Would have caught: {would_have_caught(result)}."]
    parts += [f"{_samples(result)}."]
    parts += [f"{pairs_said(result)}."] if pairs_said(result) else []
    parts += [] if result.replayable else ["The mechanism takes no generator: this run cannot be replayed."]
    return " ".join([*parts, result.note]).rstrip()


def to_html(result: AuditResult) -> str:
    """The outcome as a table for notebooks."""
    rows = [("", headline(result)), *facts(result, verbose=True)]
    body = "".join(
        f"<tr><th style='text-align:left'>{html.escape(label)}</th><td>{html.escape(text)}</td></tr>"
        for label, text in rows
    )
    colour = COLOURS[result.verdict]
    return f"<strong style='color:{colour}'>{html.escape(result.verdict)}</strong><table>{body}</table>"


def short(data: Any) -> str:
    """A dataset in at most 200 characters."""
    text = np.array2string(data, threshold=12) if isinstance(data, np.ndarray) else repr(data)
    return text if len(text) <= 200 else text[:199] + "…"
