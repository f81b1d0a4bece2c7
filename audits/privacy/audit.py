"""`audit_privacy`: the one entry to the tests of this package."""

from __future__ import annotations

import functools
import math
import numbers
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import numpy as np

from audits.privacy import footprints as footprints_of
from audits.privacy import premises
from audits.privacy.datasets import brief, digest, kept_apart
from audits.privacy.draws import ERRORS, Drawer, Stopped, named
from audits.privacy.fixed_size import run_fixed
from audits.privacy.pairs import MAX_PAIRS, AdjacencyLike, Pairs, take_pairs
from audits.privacy.planting import KEPT, LEAST_SECONDS, PATIENCE, Given, Passed, plant
from audits.privacy.request import Finding, Request, nothing
from audits.privacy.result import AuditResult, Look, Planted
from audits.privacy.sequential import LONGER, Sequential
from audits.privacy.simplest import Simplest, fresh_samples, simplest_event
from audits.privacy.tuning import TUNING

METHODS = ("sequential", "clopper-pearson", "gdp")
MIN_SAMPLES = 64
MOST_EPSILON = 200.0
ALIKE = 64
"""Outputs of each dataset that are compared with each other."""
CONSTANT = (
    "Each of the two datasets gave the same output again and again, as where no noise is added, or where an "
    "earlier answer is returned."
)
SWITCHES = "stop_early", "footprints", "confirm", "partial", "planting", "simplest"


def audit_privacy(
    mechanism: Callable[..., Any],
    pairs: Pairs,
    *,
    epsilon: float,
    delta: float = 0.0,
    adjacency: AdjacencyLike,
    alpha: float = 0.05,
    seed: int = 0,
    rng: np.random.Generator | None = None,
    max_samples: int = 1_000_000,
    time_limit: float | None = None,
    method: str = "sequential",
    score: Callable[[Any], Any] | None = None,
    resolution: float | None = None,
    stop_early: bool = True,
    footprints: bool = False,
    errors: str = "raise",
    jobs: int = 1,
    precision: float | None = None,
    confirm: bool = False,
    partial: bool = False,
    planting: bool = False,
    simplest: bool = True,
    progress: Callable[[Look], None] | None = None,
) -> AuditResult:
    """Test by sampling whether a mechanism is (ε, δ)-differentially private on neighbouring datasets.

    mechanism    ``mechanism(data, size, rng)`` → `size` independent outputs, first axis first. An output may
                 be a number of any type, a string, None, a time, or an array, list, tuple, dictionary, set,
                 record, dataclass or DataFrame of these. See `each` and `unseeded` for mechanisms of another
                 shape.
    pairs        pairs (D, D′) of neighbouring datasets, or a function ``pairs(rng)`` that yields them (the
                 first 64 are taken).
    epsilon, delta   the claim, 0 ≤ ε ≤ 200 and 0 ≤ δ < 1.
    adjacency    "replace", "replace-item", "add-remove", or a function (D, D′) → bool. Every pair is checked
                 before a sample is drawn.
    alpha        the probability that a private mechanism is called refuted, over all pairs, events and looks.
    seed, rng    where the randomness comes from; a generator takes precedence over the seed.
    max_samples  samples a side, all pairs together.
    time_limit   seconds since the first output came; None for no limit.
    method       "sequential" (the default; stops as soon as the violation is certain), "clopper-pearson"
                 (all of max_samples; one event, learned on a part, exact binomial bound on the rest), "gdp"
                 (an estimate for Gaussian noise, in `epsilon_estimate`: always undecided).
    score        ``score(outputs)`` → (size,) numbers, large for the first dataset; replaces the learned ones.
    resolution   the ε that must not go unnoticed: the run may end when that is reached, and is "undecided"
                 where it is not reached within the budget.
    stop_early   False: go on after a refutation, for the sharpest `epsilon_lower`.
    footprints   let the verdict also speak of the least significant bits of floating-point outputs. Noise
                 that is drawn in floating point has such footprints nearly always (Mironov, CCS 2012); the
                 result's `footprints` tells of them apart from the verdict in any case, at an error level α
                 of its own.
    errors       "raise": a mechanism that raises or returns NaN is bad input. "symbol": an exception, by its
                 type, and NaN are outputs like others, as a failure that depends on the data is a leak;
                 outputs are then drawn one a call.
    jobs         processes that draw the outputs of `each` mechanisms, threads for others; same bits for any.
    precision    after a refutation go on until `epsilon_lower` is within this share of `epsilon_estimate`, at
                 most to 256 times the samples of the refutation; None to stop at once.
    confirm      a refutation must also be found by an exact test on as many fresh draws (level 0.05, halved
                 at each further try), which may come on top of max_samples. Sequential method only.
    partial      Ctrl-C, and `Stopped` raised by a handler of signals, end the run with what is known by then.
    planting     where the audit passes, plant leaks of many sizes into the outputs that it drew, and tell in
                 `planted` which of them it catches: runs of 15 % of the audit's samples in all, at
                 least 10,000.
    simplest     after a refutation name in `simplest` the simplest event of like power, counted on fresh
                 draws: twice as many as the audit took, four times where these were few, as many where they
                 were many (`fresh_samples`), as far as the time limit allows.
    progress     called with each look of the sequential method.

    Before the first bet the premises are tested on outputs of their own (`premise_samples` of each dataset):
    that outputs are independent and that the mechanism leaves its data as they are. Before a claim is called
    refuted, independence is tested again on calls about as long as those of the audit. Where a premise fails
    the audit is undecided and names it; independent outputs fail a test with probability at most 1e-6. A
    mechanism that is called for each output anyway (`each`) may change its data.

    Returns an `AuditResult`. Raises ValueError in one sentence for bad input and for a mechanism that raises,
    returns NaN, another number of outputs, or another kind of output on the second dataset.

    >>> laplace = lambda data, size, rng: data.sum() + rng.laplace(size=size)
    >>> pairs = [(np.array([0.0, 1.0]), np.array([0.0, 0.0]))]
    >>> audit_privacy(laplace, pairs, epsilon=0.5, adjacency="replace").verdict
    'refuted'
    """
    started, clock = time.process_time(), time.perf_counter()
    most = f"a number in [0, {MOST_EPSILON:g}]; samples cannot speak against more"
    epsilon = _number("epsilon", epsilon, lambda v: 0.0 <= v <= MOST_EPSILON, most)
    delta = _number("delta", delta, lambda v: 0.0 <= v < 1.0, "in [0, 1)")
    alpha = _number("alpha", alpha, lambda v: 0.0 < v < 1.0, "in (0, 1)")
    samples = f"a whole number of samples ≥ {MIN_SAMPLES}"
    max_samples = _whole("max_samples", max_samples, MIN_SAMPLES, math.inf, samples)
    jobs = _whole("jobs", jobs, 1, 1024, "a whole number of processes ≥ 1")
    limit = math.inf
    if time_limit is not None:
        seconds = "a number of seconds > 0 or None"
        limit = _number("time_limit", time_limit, lambda v: 0.0 < v < math.inf, seconds)
    if resolution is not None:
        above = "an ε above the claimed one, or None"
        resolution = _number("resolution", resolution, lambda v: epsilon < v < math.inf, above)
    if precision is not None:
        precision = _number("precision", precision, lambda v: 0.0 < v < 1.0, "in (0, 1) or None")
    switches = stop_early, footprints, confirm, partial, planting, simplest
    _check_kinds(mechanism, score, progress, seed, rng, method, errors, switches)
    generator = np.random.default_rng(seed) if rng is None else rng
    checked, more_pairs = take_pairs(pairs, generator, adjacency)
    drawer = Drawer(
        mechanism if score is None else _scored(mechanism, score),
        errors,
        jobs,
        keep=max(footprints_of.ROWS, planting * max_samples // (KEPT * len(checked))),
    )
    request = Request(
        drawer=drawer,
        pairs=[kept_apart(pair) for pair in checked],
        epsilon=epsilon,
        delta=delta,
        alpha=alpha,
        rng=generator,
        max_samples=max_samples,
        time_limit=limit,
        resolution=resolution,
        stop_early=stop_early,
        user_score=score is not None,
        footprints=footprints,
        precision=precision,
        confirm=confirm,
        partial=partial,
        progress=progress,
    )
    stops = (KeyboardInterrupt, Stopped) if partial else ()
    # Premises are tested with a generator of their own: the samples of the audit stay what they were.
    own = generator.spawn(1)[0]
    checks = premises.Assumptions(request, own)
    try:
        if not checks.test(0):
            finding = nothing(0, checks.broken)
        elif drawer.failure and len(checked) == 1:
            finding = nothing(0)
        else:
            finding = Sequential(request).run() if method == "sequential" else run_fixed(request, method)
            if finding.refuted and finding.pair_index > 0:
                checks.test(finding.pair_index)
            if finding.refuted and not checks.broken and not drawer.one_by_one:
                longest = _longest_call(finding.trace)
                if longest > premises.CALL:
                    checks.test(finding.pair_index, longest)
    except stops as stop:
        finding = nothing(0, f"{str(stop) or 'Interrupted.'} Nothing was shown by then.")
    premise = checks.broken
    if drawer.changed and not drawer.one_by_one:
        premise = premise or premises.sentence("data")
    if premise:
        finding = replace(finding, refuted=False, undecided=True, epsilon_lower=0.0, note=premise)
    elif drawer.failure:
        finding = replace(finding, undecided=True, note=f"Every call of the mechanism {drawer.failure}.")
    reached = finding.resolution.epsilon <= (math.inf if resolution is None else resolution)
    decided = not finding.undecided and reached and math.isfinite(finding.resolution.epsilon)
    verdict = "refuted" if finding.refuted else "not-refuted" if decided else "undecided"
    outputs = [drawer.kept(named(side, finding.pair_index)) for side in (0, 1)]
    low_bits = None
    if score is None and not premise:
        low_bits = footprints_of.look(outputs[0], outputs[1], epsilon, delta, alpha)
    cost = max(time.process_time() - started, drawer.seconds)
    planted, named_event = (), None

    def announce(step: str) -> None:
        if progress is not None and finding.trace:
            progress(replace(finding.trace[-1], next=step))

    with suppress(*stops):
        if planting and verdict == "not-refuted" and method != "gdp":
            announce("leaks are planted into its outputs")
            planted = _planted(request, outputs, finding, method, cost)
    # The refutation stands, whatever a mechanism does when it is called again.
    with suppress(ValueError, *stops):
        if simplest and finding.refuted:
            announce("refuted; a simple event is looked for")
            named_event = _simplest(request, outputs, finding)
    notes = [finding.note]
    if drawer.changed and drawer.one_by_one:
        notes += [
            "The mechanism changes its data: every call was given a copy, which it would not get in use."
        ]
    if finding.refuted and all(len(set(map(digest, side[:ALIKE]))) == 1 for side in outputs):
        notes += [CONSTANT]
    if more_pairs:
        notes += [f"pairs yields more than {MAX_PAIRS} pairs: only the first {MAX_PAIRS} were audited."]
    return AuditResult(
        verdict=verdict,
        epsilon_claimed=epsilon,
        delta=delta,
        epsilon_lower=finding.epsilon_lower,
        confidence=1.0 - alpha,
        e_value=finding.largest_e_value,
        pairs=len(checked),
        followed=finding.followed or len(checked),
        samples=finding.samples,
        seconds=time.perf_counter() - clock,
        pair=checked[finding.pair_index],
        pair_index=finding.pair_index,
        direction=finding.direction,
        event=finding.event,
        resolution=finding.resolution,
        method=method,
        seed=int(seed) if rng is None and drawer.replayable else None,
        replayable=drawer.replayable,
        errors=errors,
        asked=resolution,
        planted=planted,
        simplest=named_event,
        note=" ".join(filter(None, notes)),
        epsilon_estimate=finding.epsilon_estimate,
        max_samples=max_samples,
        premise=premise,
        premise_samples=checks.tested,
        footprints=low_bits,
        trace=finding.trace,
        curve=finding.curve,
    )


def _longest_call(trace: tuple[Look, ...]) -> int:
    """How many outputs of a dataset were drawn between two looks, at most."""
    return int(np.diff([look.samples for look in trace], prepend=0).max(initial=0))


def _planted(
    request: Request,
    outputs: list[Any],
    finding: Finding,
    method: str,
    cost: float,
) -> tuple[Planted, ...]:
    """What leaks this audit, which took `cost` seconds, would have caught on the pair that it names."""
    count = len(request.pairs)

    def run(given: Given, samples: int, limit: float, rng: np.random.Generator) -> tuple[bool, bool]:
        short = Request(
            drawer=given,
            pairs=[kept_apart((0, 1))],
            epsilon=request.epsilon,
            delta=request.delta,
            alpha=request.alpha / count,
            rng=rng,
            max_samples=samples,
            time_limit=limit,
            user_score=request.user_score,
            footprints=request.footprints,
            threads=request.threads,
        )
        found = Sequential(short).run() if method == "sequential" else run_fixed(short, method)
        return found.refuted, not found.undecided

    audit = Passed(
        samples=finding.samples // count,
        epsilon=request.epsilon,
        delta=request.delta,
        alpha=request.alpha / count,
        run=run,
    )
    allowed = min(max(PATIENCE * cost, LEAST_SECONDS), request.time_limit - request.timed())
    return plant(audit, outputs, request.drawer.encoder(), allowed, request.rng.spawn(1)[0])


def _simplest(request: Request, outputs: list[Any], finding: Finding) -> Simplest | None:
    """The simplest event that shows the refutation; None where there is none, or no time to count one."""
    drawer, index = cast(Drawer, request.drawer), finding.pair_index
    rng = request.rng.spawn(1)[0]

    def draw(side: int, size: int) -> Any:
        return drawer.draw(request.pairs[index][side], size, rng, named(side, index))

    # An audit that does not stop early may have gone on for ever so long after the refutation.
    shown = (look.samples for look in finding.trace if look.epsilon_lower >= request.epsilon)
    enough = TUNING.longest * min(shown, default=finding.samples)
    samples = fresh_samples(min(finding.samples, enough))
    # A draw takes as long as those before it did, and there are two datasets; no longer than the audit did.
    left = min(request.time_limit - request.timed(), max(LONGER, drawer.seconds))
    samples = min(samples, int(0.5 * left * drawer.drawn / max(drawer.seconds, 1e-9)))
    if samples < MIN_SAMPLES:
        return None
    drawer.keep = 0
    return simplest_event(
        outputs,
        draw,
        epsilon=request.epsilon,
        delta=request.delta,
        alpha=request.alpha,
        bound=finding.epsilon_lower,
        samples=samples,
        encoder=drawer.encoder(),
    )


def _number(name: str, value: Any, good: Callable[[float], bool], wanted: str) -> float:
    """The value as a float; bad input where it is no number, or not a good one."""
    number = math.nan
    with suppress(TypeError, ValueError, OverflowError):
        if isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, (bool, np.bool_)):
            number = float(value)
    if not good(number):  # NaN compares false with everything
        raise ValueError(f"{name} must be {wanted}, got {brief(value)}")
    return number


def _whole(name: str, value: Any, least: int, most: float, wanted: str) -> int:
    return int(_number(name, value, lambda v: least <= v <= most and v.is_integer(), wanted))


def _check_kinds(
    mechanism: Any,
    score: Any,
    progress: Any,
    seed: Any,
    rng: Any,
    method: Any,
    errors: Any,
    switches: tuple[Any, ...],
) -> None:
    """Raises ValueError for what is no function, seed, generator, known word or switch."""
    if not callable(mechanism):
        raise ValueError(f"mechanism must be a function (data, size, rng) -> outputs, got {brief(mechanism)}")
    for name, value, known in (("method", method, METHODS), ("errors", errors, ERRORS)):
        if not isinstance(value, str) or value not in known:
            raise ValueError(f"{name} must be one of {known}, got {brief(value)}")
    for name, value in (("score", score), ("progress", progress)):
        if value is not None and not callable(value):
            raise ValueError(f"{name} must be a function or None, got {brief(value)}")
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or int(seed) < 0:
        raise ValueError(f"seed must be a whole number ≥ 0, got {brief(seed)}")
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator or None, got {brief(rng)}")
    for name, value in zip(SWITCHES, switches, strict=True):
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name} must be True or False, got {brief(value)}")


def _scored(mechanism: Callable[..., Any], score: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(mechanism)  # it keeps what is known of the mechanism
    def scored(data: Any, size: int, rng: np.random.Generator) -> Any:
        outputs = mechanism(data, size, rng)
        values = np.asarray(score(outputs))
        if values.shape != (size,) or values.dtype.kind not in "biuf":
            raise ValueError(
                f"score must return {size} numbers for {size} outputs, "
                f"got {values.dtype} of shape {values.shape}"
            )
        return cast(Any, values)

    return scored
