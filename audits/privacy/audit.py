"""`audit_privacy`: the entry to this package, in three stages: assumptions, decide, after."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import numpy as np

from audits.privacy.after import footprints as footprints_of
from audits.privacy.after.planting import KEPT, LEAST_SECONDS, PATIENCE, plant
from audits.privacy.after.witness import find_witness, fresh_samples
from audits.privacy.assumptions import CALL, TIME, Assumptions, sentence
from audits.privacy.bet.fixed_size import run_fixed
from audits.privacy.bet.method import Finding, Job, nothing, with_shares
from audits.privacy.bet.sequential import LATE, Sequential
from audits.privacy.draw import failures
from audits.privacy.draw.datasets import kept_apart
from audits.privacy.draw.draws import SYMBOLS, TRIED, Drawer, named
from audits.privacy.draw.pairs import MAX_PAIRS, AdjacencyLike, Pair, Pairs, take_pairs
from audits.privacy.draw.processes import WorkerFailed
from audits.privacy.options import MIN_SAMPLES, Options, options_of
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.result import TOO_SHORT, AuditResult, Planted, Witness
from audits.privacy.tuning import TUNING
from audits.values import brief, digest

CONSTANT = (
    "Each of the two datasets gave the same output again and again, as where no noise is added, or where an "
    "earlier answer is returned."
)
CHANGES = "The mechanism changes its data: every call was given a copy, which it would not get in use."
ALIKE = "Every output on both datasets was the same, so nothing was tested: does the mechanism do anything?"
NO_TIME = "No time was left to count a witness."
MORE_PAIRS = f"pairs yields more than {MAX_PAIRS} pairs: only the first {MAX_PAIRS} were audited."
RUN = {"sequential": lambda job: Sequential(job).run(), "clopper-pearson": run_fixed}
"""The methods, by name."""


def audit_privacy(
    mechanism: Callable[..., Any], pairs: Pairs, *, adjacency: AdjacencyLike, **options: Any
) -> AuditResult:
    """Test by sampling whether a mechanism keeps a claim of privacy on neighbouring datasets.

    mechanism    ``mechanism(data, size, rng)`` → `size` independent outputs, first axis first. An output may
                 be a number of any type, a string, None, a time, or an array, list, tuple, dictionary, set,
                 record, dataclass or DataFrame of these. See `each` and `unseeded` for mechanisms of another
                 shape.
    pairs        pairs (D, D′) of neighbouring datasets, or a function ``pairs(rng)`` that yields them (the
                 first 64 are taken).
    epsilon, delta   the claim, 0 ≤ ε ≤ 200 and 0 ≤ δ < 1; or
    claim        a claim in another unit, of `audits.privacy.claims`: Gaussian(mu), ZeroConcentrated(rho),
                 Renyi(order, epsilon), Curve({ε: δ}) … Bounds, estimates and resolutions are in its unit.
    adjacency    "replace", "replace-item", "add-remove" (as are "add" and "remove"), or a function
                 (D, D′) → bool. Every pair is checked before a sample is drawn.
    alpha        the probability that a private mechanism is called refuted, over all pairs, events and looks;
                 0.05, where the command `dpclaims audit` and `assert_private` have 0.001; the answer says
                 which where it is another than 0.001.
    seed, rng    where the randomness comes from; a generator takes precedence over the seed, 0.
    max_samples  samples of each dataset, all pairs together: 1,000,000.
    time_limit   seconds since the first output came; None, the default, for no limit (the command: 300).
    method       "sequential" (the default; stops as soon as the violation is certain) or "clopper-pearson"
                 (all of max_samples; one event, learned on a part, exact binomial bound on the rest).
    resolution   the ε, or other value of the claim, that must not go unnoticed: the run may end when that is
                 reached, and is "undecided" where it is not reached within the budget.
    stop_early   False: go on after a refutation, for the sharpest `lower`.
    errors       "raise": a mechanism that raises or returns NaN is bad input, but where it does so on one
                 dataset only, and that refutes the claim. "symbol": an exception, by its type, and NaN are
                 outputs like others, as a failure that depends on the data is a leak; outputs are then drawn
                 one a call.
    jobs         processes that draw the outputs of `each` mechanisms, threads for others; same bits for any.
    precision    after a refutation go on until `lower` is within this share of `estimate`;
                 at most to 256 times the samples of the refutation or, once its e-value is 1e8, until drawing
                 has taken two seconds and twice as long as for the refutation. None to stop at once.
    confirm      a refutation must also be found by an exact test on as many fresh draws (level 0.025, halved
                 at each further try, so that all of them err with probability 0.05 at most), which may come
                 on top of max_samples. Where the time limit leaves too few for that, `note` says so, and the
                 e-value decides alone. Sequential method only. The default is False; the command and
                 `assert_private` confirm.
    partial      Ctrl-C, and `Stopped` raised by a handler of signals, end the run with what is known by then.
    planting     where the audit passes, plant leaks of many sizes into the outputs that it drew, and tell in
                 `planted` the least that it catches, each in a tenth of the audit's samples. The default is
                 False; the command plants.
    simplest     after a refutation name in `simplest` the simplest event of like power, counted on fresh
                 draws: twice as many as the audit took, four times where these were few, down to a quarter
                 where they were many (`fresh_samples`); fewer where the time limit leaves no more.
    progress     called with each look of the sequential method.

    Before the first bet assumptions are tested on outputs of their own (`premise_samples` of each dataset):
    that outputs are independent and that the mechanism leaves its data as they are. Before a claim is called
    refuted, independence is tested again on two calls about as long as those of the audit, of 8,192 outputs
    at most, 2,048 of large outputs. Where an assumption fails the audit is undecided and names it;
    independent outputs fail a test with probability at most 1e-6, or 1e-3 where the time limit cuts its
    repetition short.
    A mechanism that is called for each output anyway (`each`) may change its data. The tests take at most a
    quarter of the time limit; a mechanism that is too costly for them is drawn one output a call.

    Noise that is drawn in floating point shows in its lowest bits nearly always (Mironov, CCS 2012). These
    are no part of the verdict; the result's `footprints` tells of them, at an error level α of its own.

    Returns an `AuditResult`. Raises ValueError in one sentence for bad input and for a mechanism that raises,
    returns NaN, or another number of outputs.

    >>> laplace = lambda data, size, rng: data.sum() + rng.laplace(size=size)
    >>> pairs = [(np.array([0.0, 1.0]), np.array([0.0, 0.0]))]
    >>> audit_privacy(laplace, pairs, epsilon=0.5, adjacency="replace").verdict
    'refuted'
    """
    started, began = time.process_time(), time.perf_counter()
    asked = options_of(options)
    if not callable(mechanism):
        raise ValueError(f"mechanism must be a function (data, size, rng) -> outputs, got {brief(mechanism)}")
    rng = np.random.default_rng(asked.seed) if asked.rng is None else asked.rng
    taken, more_pairs = take_pairs(pairs, rng, adjacency)
    drawer = Drawer(
        mechanism,
        asked.errors,
        asked.jobs,
        keep=max(footprints_of.ROWS, asked.planting * asked.max_samples // (KEPT * len(taken))),
    )
    job = Job(asked, drawer, [kept_apart(pair) for pair in taken], rng)
    # Assumptions are tested with a generator of their own: the samples of the audit stay what they were.
    checks = Assumptions(job, rng.spawn(1)[0])
    try:
        checks.test(0)
        finding = _decide(job, checks)
    except asked.stops as stop:
        finding = nothing(0, f"{str(stop) or 'Interrupted.'} Nothing was shown by then.")
    except WorkerFailed:
        # A worker that died or was slow says nothing of the mechanism: nothing more is drawn.
        raise
    except ValueError as error:
        pairs = pairs if callable(pairs) else taken
        again = functools.partial(audit_privacy, mechanism, pairs, adjacency=adjacency, **options)
        found = _told_by_failures(job, error, again)
        if found is None:
            raise
        return replace(found, seconds=time.perf_counter() - began)
    _notice_replays(job)
    result = _result(job, checks, _withheld(job, checks, finding), taken)
    result = _after(job, result, finding, time.process_time() - started)
    note = f"{result.note} {MORE_PAIRS}".strip() if more_pairs else result.note
    return replace(result, note=note, seconds=time.perf_counter() - began)


def _notice_replays(job: Job) -> None:
    """Notice a mechanism that draws from more than the generator that it is given, where that is cheap."""
    drawer = job.drawer
    cheap = 2 * TRIED * drawer.seconds < min(1.0, job.left()) * max(drawer.drawn, 1)
    if drawer.replayable and cheap:
        with suppress(ValueError, *job.options.stops):
            drawer.replayable = drawer.replays(job.pairs[0][0], named(0, 0))


def glance(mechanism: Callable[..., Any], pair: Pair, options: dict[str, Any]) -> tuple[float, float]:
    """(e-value, lower bound of ε) of one pair, for a choice between pairs: no assumption is tested.

    options  keywords of `audit_privacy`, rng among them. Raises ValueError where the mechanism fails.
    """
    asked = options_of(options)
    assert asked.rng is not None
    job = Job(asked, Drawer(mechanism, asked.errors, asked.jobs), [kept_apart(pair)], asked.rng)
    finding = RUN[asked.method](job)
    return finding.e_value, finding.lower


def _decide(job: Job, checks: Assumptions) -> Finding:
    """What the method finds. A refutation on another pair than the first, or from long calls, has the
    assumptions tested again there."""
    if checks.broken or (job.drawer.failure and len(job.pairs) == 1):
        return nothing(0)
    finding = RUN[job.options.method](job)
    if finding.refuted and (finding.pair_index == 0 or checks.test(finding.pair_index)):
        # How many outputs of a dataset were drawn between two looks, at most.
        longest = int(np.diff([look.samples for look in finding.trace], prepend=0).max(initial=0))
        if longest > CALL and not job.drawer.one_by_one:
            checks.test(finding.pair_index, longest)
    return finding


def _withheld(job: Job, checks: Assumptions, finding: Finding) -> Finding:
    """The finding; undecided where an assumption fails, or where every call failed."""
    drawer = job.drawer
    if drawer.changed and not drawer.one_by_one:
        checks.broken = checks.broken or sentence("data")
    if checks.broken:
        return replace(finding, refuted=False, undecided=True, lower=0.0, note=checks.broken)
    if drawer.failure:
        return replace(finding, undecided=True, note=f"Every call of the mechanism {drawer.failure}.")
    return finding


def _result(job: Job, checks: Assumptions, finding: Finding, pairs: Sequence[Pair]) -> AuditResult:
    """The result, with all but what follows the verdict."""
    asked, drawer = job.options, job.drawer
    # "not-refuted" needs a finite resolution, and the one that was asked for.
    reached = finding.resolution.epsilon <= (asked.resolution or sys.float_info.max)
    passed = "not-refuted" if reached and not finding.undecided else "undecided"
    note = finding.note
    if note == LATE and not finding.refuted and asked.time_limit is not None:
        enough = f", or max_samples={finding.samples}" if reached else ""
        note = f"{asked.time_limit:g} s{TOO_SHORT}. Give time_limit={4.0 * asked.time_limit:g}{enough}."
    names = {one.name for one in fields(AuditResult)} - {"note"}
    found = {one.name: getattr(finding, one.name) for one in fields(finding) if one.name in names}
    return AuditResult(
        verdict="refuted" if finding.refuted else passed,
        claim=asked.claim,
        alpha=asked.alpha,
        pairs=len(pairs),
        seconds=0.0,
        pair=pairs[finding.pair_index],
        method=asked.method,
        seed=int(asked.seed) if asked.rng is None and drawer.replayable else None,
        replayable=drawer.replayable,
        errors=asked.errors,
        asked=asked.resolution,
        note=note,
        max_samples=asked.max_samples,
        premise=checks.broken,
        premise_samples=checks.tested,
        **found,
    )


def _told_by_failures(job: Job, error: ValueError, again: Callable[..., AuditResult]) -> AuditResult | None:
    """An audit that takes failures for outputs, within the time that is left; None unless calls fail on one
    dataset alone, and that refutes the claim. Raises ValueError where failures depend on earlier calls."""
    asked = job.options
    if asked.errors == "symbol":
        return None
    # A draw on each dataset of each pair; all of them take no more than tests of assumptions do.
    patience = TIME * job.left() / (2 * min(len(job.pairs), failures.PAIRS))
    symbols = Drawer(job.drawer.mechanism, "symbol", asked.jobs, patience=patience)
    try:
        only, left = failures.told(symbols, job.pairs, job.rng.spawn(1)[0], job.drawer), job.left()
    except failures.Depends as depends:
        raise ValueError(f"{str(error).removesuffix(SYMBOLS)}; {depends}") from error
    if not only or left <= 0.0:
        return None
    found = again(errors="symbol", time_limit=None if asked.time_limit is None else left)
    note = f"{failures.ONE_SIDED} {found.note}".strip()
    return replace(found, event=f"{only}; {found.event}", note=note) if found.refuted else None


def _after(job: Job, result: AuditResult, finding: Finding, seconds: float) -> AuditResult:
    """The result with what follows the verdict: notes, low-order bits, and planted leaks or the witness. The
    verdict took `seconds` of the processor."""
    asked, drawer = job.options, job.drawer
    outputs = [drawer.kept(named(place, result.pair_index)) for place in (0, 1)]
    notes = [result.note]
    if drawer.changed and drawer.one_by_one:
        notes.append(CHANGES)
    constant = _constant(outputs, result)
    if constant and result.refuted:
        notes.append(CONSTANT)
    elif constant and digest(outputs[0][0]) == digest(outputs[1][0]):
        notes.append(ALIKE)
    result = replace(result, constant=constant, note=" ".join(notes).strip())
    cost = max(seconds, drawer.seconds)
    if not result.premise:
        first, second = _doubles(finding.encoder, outputs)
        low_bits = footprints_of.look(first, second, asked.claim, asked.alpha)
        result = replace(result, footprints=low_bits)

    def announce(step: str) -> None:
        if asked.progress is not None and result.trace:
            asked.progress(replace(result.trace[-1], next=step))

    with suppress(*asked.stops):
        if asked.planting and result.verdict == "not-refuted":
            announce("leaks are planted into its outputs")
            return replace(result, planted=_planted(job, outputs, result, cost))
    # The refutation stands, whatever a mechanism does when it is called again.
    with suppress(ValueError, *asked.stops):
        if asked.simplest and result.refuted:
            announce("refuted; a simple event is looked for")
            samples = _witness_samples(job, result)
            if samples < MIN_SAMPLES:
                return replace(result, note=f"{result.note} {NO_TIME}".strip())
            witness = _witness(job, outputs, result, finding, samples)
            if witness is not None and witness.alike:
                result = _told_by(result, witness)
            return replace(result, simplest=witness)
    return result


def _doubles(encoder: Encoder | None, outputs: list[Any]) -> list[Any]:
    """Python objects that hold numbers alone as columns of doubles; other outputs as they are."""
    if encoder is None or any(kept.dtype != object for kept in outputs):
        return outputs
    some = [encoder.encode(kept[: footprints_of.ROWS], "a dataset") for kept in outputs]
    return outputs if any(e.codes.any() for e in some) else [e.values for e in some]


def _constant(outputs: list[Any], result: AuditResult) -> bool:
    """Whether all kept outputs of a dataset are equal, on both datasets, and every event that was counted
    occurred in all outputs of a dataset or in none."""
    if not all(map(len, outputs)):
        return False
    firsts = [(kept, digest(kept[0])) for kept in outputs]
    same = all(digest(output) == first for kept, first in firsts for output in kept)
    return same and all({point.first, point.second} <= {0.0, 1.0} for point in result.curve)


def _planted(job: Job, outputs: list[Any], result: AuditResult, cost: float) -> tuple[Planted, ...]:
    """What leaks this audit, which took `cost` seconds, would have caught on the pair that it names."""
    asked, count, rng = job.options, len(job.pairs), job.rng.spawn(1)[0]

    def run(mechanism: Callable[..., Any], samples: int) -> bool:
        short = Options(
            claim=asked.claim, alpha=asked.alpha / count, max_samples=samples, time_limit=asked.time_limit
        )
        drawer = Drawer(mechanism)
        drawer.symbols = job.drawer.symbols
        return RUN[asked.method](Job(short, drawer, [kept_apart((0, 1))], rng, job.threads)).refuted

    allowed = min(max(PATIENCE * cost, LEAST_SECONDS), job.left())
    return plant(run, outputs, result.samples // count, allowed, rng)


def _witness_samples(job: Job, result: AuditResult) -> int:
    """How many fresh outputs of each dataset a witness is counted on: a function of how many the audit drew,
    fewer only where a time limit leaves no more."""
    asked, drawer = job.options, job.drawer
    # An audit that does not stop early may have gone on long after the refutation.
    shown = (look.samples for look in result.trace if look.lower >= asked.claim.value)
    enough = TUNING.longest * min(shown, default=result.samples)
    samples = fresh_samples(min(result.samples, enough), result.premise_samples)
    # A draw takes as long as those before it did, and there are two datasets.
    in_time = 0.5 * job.left() * drawer.drawn / max(drawer.seconds, 1e-9)
    return int(min(samples, in_time))


def _witness(
    job: Job, outputs: Sequence[Any], result: AuditResult, finding: Finding, samples: int
) -> Witness | None:
    """The simplest event that shows the refutation; None where there is none."""
    asked, drawer, index = job.options, job.drawer, result.pair_index
    rng = job.rng.spawn(1)[0]
    drawer.keep = 0
    return find_witness(
        outputs,
        lambda place, size: drawer.draw(job.pairs[index][place], size, rng, named(place, index)),
        claim=asked.claim,
        alpha=asked.alpha,
        bound=result.lower,
        samples=samples,
        encoder=finding.encoder or drawer.encoder(),
        view=finding.view,
    )


def _told_by(result: AuditResult, witness: Witness) -> AuditResult:
    """The result with a witness of like power in place of the event of a score."""
    first, second = witness.first.estimate, witness.second.estimate
    direction = "forward" if first >= second else "backward"
    event = with_shares(witness.event, direction, max(first, second), min(first, second))
    return replace(result, event=event, direction=direction)
