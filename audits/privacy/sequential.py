"""The sequential e-process test: bets and events learned from earlier batches only.

Claim: P(S) ≤ e^ε·Q(S) + δ for every event S and both orders of the two datasets. Before each batch, for
every ε of a fixed grid, `betting.choose` shares out the wealth of a pair of datasets over events of all
*slots* (a learner each) and alternatives (p₁, q₁), from what earlier batches showed; the batch then
multiplies it by the shares' e-values. For δ = 0 most of the wealth is betted on whole ladders of events at
once instead (`curves.choose`). The mean wealth of all pairs is an e-process under the claim, so by
Ville's inequality it reaches 1/α with probability at most α, however often one looks. The set of ε not
rejected so far is a confidence sequence, and `epsilon_lower` the largest ε up to which the whole grid is
rejected.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import betting, binomial, curves, events, folds, hidden, scores
from audits.privacy.atoms import (
    FEW_ATOMS,
    Atoms,
    Counts,
    Rungs,
    Scorer,
    count_atoms,
    find_atoms,
    ladder_of_sets,
    rungs,
    scorer,
)
from audits.privacy.datasets import Dataset
from audits.privacy.draws import Source, named
from audits.privacy.encoder import Encoder
from audits.privacy.outputs import Encoded, join
from audits.privacy.pairs import Pair
from audits.privacy.plain_words import plainly
from audits.privacy.result import CurvePoint, Look, Resolution

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

FIRST_BATCH = 32
GROWTH, FEW_GROWTH, LEARNING_GROWTH = (0.2, 0.4), (0.2, 0.75), (0.1, 0.5)
"""The least and the largest share of the samples before it that a batch is. Few samples have shares of their
own, smaller ones for all but single numbers, where scores have to be learned: many small batches teach more,
but each of them costs milliseconds."""
FEW_SAMPLES = 32768
AFTERWARDS = 0.25, 0.3
"""Share of the samples before it that a batch is after a refutation, of single numbers and of others."""
LEAST_ROWS = 8
"""Nothing is learned from fewer samples."""
RETAINED_ROWS = 32768
RETAINED_BYTES = 2**27
"""Samples of a side that are kept to learn events from, at most."""
LEARN_AGAIN, LEARN_OFTEN = (1.5, 2.0), (1024, 8192)
"""Scores are fitted again when the samples kept have grown by the first factor; by the second one beyond so
many samples, of single numbers and of others, and where they are slow."""
LAST_GROWTH = 1.2
"""Growth that is worth fitting the scores a last time, when no more samples are kept."""
CHUNK_BYTES = 2**26
"""Outputs are drawn and counted in chunks of at most this size."""
LEARNING_PRICE = 2.4
"""How much more growth than a bettor who knows event and alternative a learning one needs for the same power.
Measured on Laplace noise at 3,000 to 100,000 samples; it enters the resolution only."""
GROUP = 200
"""Divided by the root of the number of samples: how many steps of the grid of ε share a bet."""
PRUNE_FROM = 2048
"""Before batches of this size events and slots that are not among the best are dropped."""
FINE, FINE_FROM = 0.8, 8192
"""Ratio of the rungs of a ladder from so many samples on, which can tell them apart."""
CHOOSE_FROM = 16384
"""Before batches of this size a slot is dropped unless it is better than the favourite by what can be told
apart."""
SLOW = (scores.boosting, scores.neighbours)
"""Learners whose scores take microseconds a sample."""
PATIENT = (hidden.period, hidden.modes)
"""Learners that find something in many samples only, and cost nothing until then."""
EVENTS_SHARE = 1.0 / 3.0
"""Share of the wealth that begins as bets on single events where whole ladders can be betted on too: these
learn with fewer losses and win more, but for an event that one side never hits."""
LONGEST = 64
"""After a refutation at most so many times its samples are drawn to know the size of the violation."""
CONFIRM = 0.05
"""Level at which fresh draws must confirm a refutation, halved for every further try."""
EXPLORE = 512
"""Every pair gets this many samples before the promising ones are preferred."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a method found; `audit_privacy` turns it into the result."""

    refuted: bool
    epsilon_lower: float
    e_value: float
    samples: int
    pair_index: int
    direction: str
    event: str
    resolution: Resolution
    trace: tuple[Look, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    note: str = ""
    undecided: bool = False
    epsilon_estimate: float = 0.0


class Stopped(BaseException):
    """Raised into a run from outside, as by a handler of signals; its words say what happened. A mechanism
    that catches every `Exception` does not stop it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user asked for, checked; the defaults are an audit without further wishes."""

    drawer: Source
    pairs: Sequence[Pair]
    epsilon: float
    delta: float
    alpha: float
    rng: np.random.Generator
    max_samples: int
    time_limit: float = math.inf
    resolution: float | None = None
    stop_early: bool = True
    user_score: bool = False
    footprints: bool = False
    precision: float | None = None
    confirm: bool = False
    partial: bool = False
    progress: Callable[[Look], None] | None = None
    started: float = field(default_factory=time.perf_counter)

    def seconds(self) -> float:
        """Since the audit began."""
        return time.perf_counter() - self.started

    def timed(self) -> float:
        """Seconds that the time limit counts: since the first output, as the call that brings it may have to
        import a library."""
        first = self.drawer.first_output
        return 0.0 if first is None else time.perf_counter() - first


def epsilon_grid(claimed: float) -> Floats:
    """The grid of ε tested: 0, steps of 5 % below half the claimed ε, 1 % around it, 1.5 % above."""
    # Beyond, squares of e^ε would overflow, and no number of samples tells ε apart.
    top = min(max(20.0, 4.0 * claimed), claimed + 150.0)
    middle = max(0.5 * claimed, 0.1)
    low = np.exp(np.arange(math.log(0.005), math.log(middle), math.log(1.05)))
    coarse = np.concatenate([low, np.exp(np.arange(math.log(middle), math.log(top), math.log(1.015)))])
    if claimed <= 0.0:
        return np.concatenate([[0.0], coarse])
    fine = claimed * np.exp(np.arange(-70, 71) * math.log(1.01))
    outside = coarse[(coarse < fine[0]) | (coarse > fine[-1])]
    grid = np.unique(np.concatenate([[0.0], outside, fine, [claimed]]))
    return grid[grid <= top]


def families(delta: float) -> tuple[float, ...]:
    """Shares of the wealth that begin as bets on events, and for δ = 0 as bets on whole ladders."""
    return (1.0,) if delta > 0.0 else (EVENTS_SHARE, 1.0 - EVENTS_SHARE)


def reference_epsilons(grid: Floats) -> tuple[Ints, Ints]:
    """A dozen places of the grid for which the best event is chosen, and for each ε the nearest of them."""
    places = np.unique(np.round(np.linspace(0, len(grid) - 1, 25)).astype(np.int64))
    nearest = np.abs(places[None, :] - np.arange(len(grid))[:, None]).argmin(axis=1)
    return places, nearest


def learners(sample: Encoded, user_score: bool, footprints: bool) -> list[scores.Learner]:
    """The learners that suit this kind of output; fixed before the first bet, as their weights must be."""
    if sample.is_scalar:
        chosen: list[scores.Learner] = [scores.value, scores.sets]
        if not user_score:
            chosen += [scores.grid, hidden.period, hidden.modes]
        return [*chosen, scores.footprints] if footprints else chosen
    if sample.is_symbol:
        return [scores.sets]
    width = sample.columns().shape[1]
    if width <= 6:
        return [
            scores.sets,
            scores.smooth,
            scores.bends,
            scores.mean_difference,
            scores.coordinate,
            scores.boosting,
        ]
    chosen = [
        scores.sets,
        scores.mean_difference,
        scores.logistic,
        scores.moments,
        scores.norm,
        scores.coordinate,
        scores.neighbours,
    ]
    return [*chosen, scores.boosting] if width <= 60 else chosen


class Slot:
    """One learner on one pair: its ladder of events."""

    def __init__(self, learner: scores.Learner) -> None:
        self.learner = learner
        self.ladder: events.Ladder | None = None
        self.active = True
        self.learned_at = 0
        self.rungs: Rungs | None = None

    def due(self, kept: int) -> bool:
        """Whether it is worth fitting the score to so many samples."""
        return self.learner not in SLOW or kept >= LEARN_AGAIN[1] * self.learned_at

    def relearn(self, first: Encoded, second: Encoded, scorers: tuple[Scorer, Scorer]) -> None:
        """Fit the score to the first half of what is kept, count on the second half; or fit it to all, and
        count every part by a fit without it."""
        score = folds.fitted(self.learner, first, second)
        if score is None:
            return
        self.learned_at = len(first)
        # Finer rungs where there are samples to tell them apart; the best few are kept.
        ratio = FINE if len(first) >= FINE_FROM else events.RATIO
        x, y = (evaluate(score, 0) for evaluate in scorers)
        judge = partial(folds.judged, score.folds, first, second) if score.folds else None
        self.ladder = events.build(
            score, x, y, len(first) // 2, ratio, steady=not first.is_scalar, judge=judge
        )

    def rungs_of(self, atoms: Atoms) -> Rungs:
        """The ladder's rungs that the atoms reach, worked out once."""
        assert self.ladder is not None
        if self.rungs is None or not self.rungs.suits(atoms, self.ladder):
            self.rungs = rungs(atoms, self.ladder)
        return self.rungs


class PairState:
    """One pair of datasets: its samples, its slots."""

    def __init__(self, request: Request, pair: Pair, index: int, grid_size: int = 0) -> None:
        self.request = request
        self.pair = [Dataset(data) for data in pair]
        self.index = index
        self.encoder = Encoder(nan=request.drawer.symbols)
        self.shape = (0, 0)
        self.size = 0
        self.kept: list[list[Encoded]] = [[], []]
        self.kept_rows = 0
        self.row_bytes = 0
        self.slots: list[Slot] = []
        self.learned_at = 0
        self.atoms: Atoms | None = None
        self.counts: Counts | None = None
        self.learned_counts: Counts | None = None
        self.reordered_at = 0
        # Of the bets on events and of those on whole ladders, each with its share to start with.
        self.log_wealth = np.log(families(request.delta))[:, None] + np.zeros(grid_size)

    def sample(self, size: int, side: int) -> Encoded:
        """Fresh outputs of one side, as columns."""
        where = named(side, self.index)
        raw = self.request.drawer.draw(self.pair[side], size, self.request.rng, where)
        return self.encoder.encode(raw, where)

    def known(self, e: Encoded) -> Encoded:
        """The columns that there were when scores were fitted."""
        return e.narrow(self.shape) if self.size > 0 else e

    def reshape(self) -> None:
        """Begin to learn again where outputs have shown columns that none had before."""
        if self.encoder.shape == self.shape:
            return
        self.kept = [[self.encoder.widen(e) for e in side] for side in self.kept]
        self.shape = self.encoder.shape
        self.slots = []
        self.learned_at = self.reordered_at = 0
        self.atoms = self.counts = self.learned_counts = None

    def chunks(self, size: int) -> list[int]:
        """Sizes of the draws that make up a batch."""
        most = max(64, CHUNK_BYTES // max(self.row_bytes, 1))
        return [min(most, size - start) for start in range(0, size, most)]

    def keep(self, first: Encoded, second: Encoded, rows: int = RETAINED_ROWS) -> None:
        """Keep samples to learn from, up to the limit; the first of them show how large an output is."""
        if self.row_bytes == 0:
            self.row_bytes = (first.values.nbytes + first.codes.nbytes) // len(first) + 1
        room = self.most_kept(rows) - self.kept_rows
        if room <= 0:
            return
        take = min(room, len(first))
        self.kept[0].append(first.take(slice(0, take)))
        self.kept[1].append(second.take(slice(0, take)))
        self.kept_rows += take
        self.kept = [[join([self.encoder.widen(e) for e in side])] for side in self.kept]

    def most_kept(self, rows: int = RETAINED_ROWS) -> int:
        """How many samples of a side are kept at most."""
        return min(rows, max(256, RETAINED_BYTES // max(self.row_bytes, 1)))

    def relearn(self) -> None:
        """Fit the scores again where the samples kept have grown enough since the last time."""
        first, second = self.samples()
        often = LEARN_OFTEN[0 if first.is_scalar else 1]
        growth = LEARN_AGAIN[0] if self.kept_rows <= often else LEARN_AGAIN[1]
        if self.kept_rows >= self.most_kept():
            growth = LAST_GROWTH
        if self.learned_at and self.kept_rows < growth * self.learned_at:
            return
        self.learned_at = self.kept_rows
        self.atoms = find_atoms(join([first, second]))
        self.counts = None if self.atoms is None else count_atoms(self.atoms, first, second)
        half = slice(0, len(first) // 2)
        self.learned_counts = (
            None if self.atoms is None else count_atoms(self.atoms, first.take(half), second.take(half))
        )
        idle: list[scores.Learner] = []
        if self.atoms is not None:
            # `reorder` sees to the sets; neighbours that are all ties say nothing, slowly. Where nothing but
            # few outputs occurs, their sets are all the events there are.
            idle = [scores.sets, scores.neighbours]
            if self.few():
                idle += [slot.learner for slot in self.slots if slot.learner is not scores.value]
        scorers = scorer(first, self.atoms), scorer(second, self.atoms)
        for slot in self.slots:
            if slot.learner in idle:
                slot.ladder = None
            elif slot.active and slot.due(len(first)):
                slot.relearn(first, second, scorers)

    def count(self, e: Encoded) -> tuple[list[Ints], Ints]:
        """For every live ladder how many samples have score ≥ each threshold; and how often each atom
        occurs."""
        atoms = self.atoms
        if atoms is None:
            found = [events.count(ladder.score.evaluate(e), ladder.thresholds) for ladder in self.ladders()]
            return found, np.zeros(0, dtype=np.int64)
        # Outputs that repeat are looked up instead of scored.
        times, others = atoms.tally(e)
        return [slot.rungs_of(atoms).count(times, others) for slot in self.live()], times

    def few(self) -> bool:
        """Whether nothing but few outputs has occurred that all repeat."""
        return self.atoms is not None and self.atoms.complete and len(self.atoms) <= FEW_ATOMS

    def reorder(self) -> None:
        """Order the sets of outputs that repeat by all the counts so far.

        Few of them may be judged by the counts that order them; many are judged by those since they were
        ordered.
        """
        if self.atoms is None or self.counts is None or self.learned_counts is None:
            return
        slot = next(s for s in self.slots if s.learner is scores.sets)
        slot.active = True
        if self.few():
            slot.ladder = ladder_of_sets(self.atoms, self.counts, self.counts, FINE)
        elif slot.ladder is None or self.counts.size >= 2 * self.reordered_at:
            # What was there at half the size orders, what came since judges.
            judged = self.counts.without(self.learned_counts)
            slot.ladder = ladder_of_sets(self.atoms, self.learned_counts, judged, FINE)
            self.reordered_at = self.counts.size
            self.learned_counts = self.counts

    def live(self) -> list[Slot]:
        """The slots that have events to bet on."""
        return [slot for slot in self.slots if slot.ladder is not None and slot.active]

    def ladders(self) -> list[events.Ladder]:
        """Their ladders."""
        return [slot.ladder for slot in self.live() if slot.ladder is not None]

    def curve(self, ladder: events.Ladder) -> tuple[CurvePoint, ...]:
        """Every event of a ladder with its shares."""
        more, less = ladder.all_hits()
        return tuple(
            CurvePoint(self.encoder.named(ladder.words(i)[1]), float(x / ladder.size), float(y / ladder.size))
            for i, (x, y) in enumerate(zip(more, less, strict=True))
        )

    def samples(self) -> tuple[Encoded, Encoded]:
        """What is kept of both sides."""
        return self.kept[0][0], self.kept[1][0]


class Sequential:
    """The state of a run; `run` is the whole of it."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.grid = epsilon_grid(request.epsilon)
        self.claimed = int(np.searchsorted(self.grid, request.epsilon))
        self.references, self.nearest = reference_epsilons(self.grid)
        # The claimed ε has an event of its own.
        self.references = np.append(self.references, self.claimed)
        self.nearest[self.claimed] = len(self.references) - 1
        self.states = [PairState(request, pair, i, len(self.grid)) for i, pair in enumerate(request.pairs)]
        self.rejected = np.zeros(len(self.grid), dtype=bool)
        self.bar = -math.log(request.alpha)
        self.best_log_e = -math.inf
        self.samples = 0
        self.trace: list[Look] = []
        self.looks = 0
        self.confirmed = False
        self.refuted_at = self.tried_at = self.tries = self.extra = 0

    # --- one batch ---

    def step(self, state: PairState, size: int) -> None:
        """Draw a batch of one pair, settle the bets on it, learn from it."""
        if size >= PRUNE_FROM and state.atoms is None:
            self.prune(state, size)
        ladders = state.ladders()
        opened = self.open_places()
        bets = self.bets(state, ladders, opened[1])
        bent = self.curves(ladders, state.size, bets)
        counts = [ladder.nothing() for ladder in ladders]
        tallies = [np.zeros(0 if state.atoms is None else len(state.atoms), dtype=np.int64) for _ in range(2)]
        for part in state.chunks(size):
            first, second = state.sample(part, 0), state.sample(part, 1)
            for side, place in ((first, 0), (second, 1)):
                found, times = state.count(state.known(side))
                tallies[place] += times
                for count, more in zip(counts, found, strict=True):
                    count[place][:] += more
            state.keep(first, second)
        if bets is not None:
            hits = [ladder.hits(x, y, size) for ladder, (x, y) in zip(ladders, counts, strict=True)]
            self.settle(state.log_wealth[0], bets.places, bets.log_factor(hits, size), opened)
        if bent is not None:
            self.settle(state.log_wealth[1], bent.places, bent.log_factor(counts, size), opened)
        for slot, ladder, (x, y) in zip(state.live(), ladders, counts, strict=True):
            slot.ladder = ladder.add(x, y, size)
        state.size += size
        self.samples += size
        state.reshape()
        if not state.slots:
            # The kind of output is known now, nothing has been betted yet.
            kinds = learners(state.samples()[0], self.request.user_score, self.request.footprints)
            state.slots = [Slot(learner) for learner in kinds]
        if state.counts is not None:
            state.counts = state.counts.add(tallies[0], tallies[1], size)
        if state.size >= LEAST_ROWS and (state.size <= 2 * state.kept_rows or state.learned_at == 0):
            state.relearn()
        state.reorder()

    def bets(self, state: PairState, ladders: Sequence[events.Ladder], tops: Ints) -> betting.Bets | None:
        """Bets on the next batch, for the tops of groups of ε that are still open."""
        if not ladders:
            return None
        need = np.maximum(self.bar - self.log_e()[tops], 1.0)
        goal = np.sqrt(2.0 * need / (self.request.max_samples - self.samples))
        return betting.choose(
            ladders,
            state.size,
            self.grid,
            self.references,
            self.nearest,
            tops,
            self.request.delta,
            goal,
        )

    def curves(
        self, ladders: Sequence[events.Ladder], size: int, bets: betting.Bets | None
    ) -> curves.Curves | None:
        """Bets on whole ladders, for the ε where events are betted on; None for δ > 0."""
        if self.request.delta > 0.0 or bets is None or len(bets.places) == 0:
            return None
        return curves.choose(ladders, size, self.grid, bets.places)

    def settle(self, log_wealth: Floats, betted: Ints, factor: Floats, opened: tuple[Ints, Ints]) -> None:
        """Multiply the wealth of every ε that was open by the factor of the top of its group; one without a
        bet keeps its own."""
        places, tops = opened
        factors = np.zeros(len(self.grid))
        factors[betted] = factor
        log_wealth[places] += factors[tops[np.searchsorted(tops, places)]]

    def open_places(self) -> tuple[Ints, Ints]:
        """Places of the grid that are not rejected, or claimed, and the tops of their groups.

        The null grows with ε: a bet that is fair for an ε is fair for every smaller one. While samples are
        too few to tell neighbouring ε apart, a group of them shares the bet of the largest.
        """
        places = np.flatnonzero(~self.rejected | (np.arange(len(self.grid)) == self.claimed))
        group = int(np.clip(GROUP / math.sqrt(self.samples + 1.0), 1, 8))
        is_top = (places - self.claimed) % group == 0
        is_top[-1] = True
        return places, places[is_top]

    def prune(self, state: PairState, size: int) -> None:
        """Before a large batch: keep only the rungs that are best for some ε, and the slots that are.

        Only where outputs have to be scored one by one: for those that repeat, more events cost nothing.
        """
        live = state.live()
        if not live:
            return
        is_scalar, shown = state.samples()[0].is_scalar, self.epsilon_lower()
        lower = int(np.searchsorted(self.grid, shown))
        near = [min(lower + j, len(self.grid) - 1) for j in (0, 8, 16, 24)]
        if not is_scalar:
            # At half the lower bound what a slot shows is no matter of luck any more. Of single numbers the
            # first slot is the number itself, which is kept anyway.
            near.append(int(np.searchsorted(self.grid, 0.5 * shown)))
        wanted = np.append(np.unique(self.nearest[near]), len(self.references) - 1)
        strength: list[Floats] = []
        for slot in live:
            ladder = slot.ladder
            assert ladder is not None
            excess = self.excess(ladder)[:, wanted]
            strength.append(np.max(excess, axis=0))
            # Which rung is best is known to about three standard errors only.
            hopeful = np.any(excess >= strength[-1] - 3.0 / math.sqrt(ladder.size), axis=1)
            slot.ladder = ladder.keep(np.unique(np.flatnonzero(hopeful) % len(ladder.thresholds)))
        top, slack = np.max(strength, axis=0), 1.0 / math.sqrt(state.size)
        quick = [place for place, slot in enumerate(live) if slot.learner not in SLOW]
        # The value of a single number costs nothing; of the scores of vectors the strongest is kept.
        favourite = 0 if is_scalar else max(quick or range(len(live)), key=lambda i: float(strength[i].sum()))
        for place, (slot, found) in enumerate(zip(live, strength, strict=True)):
            # Another one must be worth its time, a slow one surely so.
            least = top - slack
            if size >= CHOOSE_FROM:
                least = np.maximum(least, strength[favourite] + 0.5 * slack)
            if slot.learner in SLOW and quick:
                least = np.maximum(least, np.max([strength[i] for i in quick], axis=0) + slack)
            slot.active = place == favourite or bool(np.any((found > 0.0) & (found >= least)))
            # What is rare is not told from nothing by its strength so far.
            slot.active |= slot.learner in PATIENT and float(found[-1]) > 0.0
        heirs = [slot for slot in live if slot.active]
        for slot in state.slots:
            # One that has offered nothing so far will not be waited for, unless what it seeks is rare.
            if slot not in heirs:
                slot.active, slot.ladder = slot.learner in PATIENT, None

    def excess(self, ladder: events.Ladder) -> Floats:
        """Excess of every event of a ladder over the null, for every reference ε."""
        return betting.excess(*ladder.shares(), self.grid[self.references], self.request.delta)

    # --- the whole run ---

    def log_e(self) -> Floats:
        """Log of the mean wealth of all pairs, for every ε; pairs not looked at yet have wealth 1."""
        wealth = np.stack([state.log_wealth for state in self.states])
        return betting.log_sum(wealth) - math.log(len(self.states))

    def look(self) -> None:
        """Take stock."""
        log_e = self.log_e()
        self.rejected |= log_e >= self.bar
        self.best_log_e = max(self.best_log_e, float(log_e[self.claimed]))
        self.trace.append(Look(self.samples, float(log_e[self.claimed]), self.epsilon_lower()))
        self.looks += 1
        if self.request.progress is not None:
            self.request.progress(self.trace[-1])

    def epsilon_lower(self) -> float:
        """The largest ε of the grid up to which everything is rejected; 0 where ε = 0 is not."""
        kept = np.flatnonzero(~self.rejected)
        last = (kept[0] if len(kept) else len(self.grid)) - 1
        return float(self.grid[last]) if last > 0 else 0.0

    def next_pair(self) -> PairState:
        """Every pair first; then mostly the one with the strongest sign of a violation."""
        states = self.states
        if len(states) == 1:
            return states[0]
        fresh = [s for s in states if s.size < min(EXPLORE, self.request.max_samples // (2 * len(states)))]
        if fresh or self.looks % 4 == 3:
            return min(fresh or states, key=lambda s: s.size)
        return max(states, key=self.promise)

    def promise(self, state: PairState) -> float:
        """Strength of a pair, with a bonus for pairs seen little."""
        return self.strength(state) + 2.0 / math.sqrt(state.size + 1.0)

    def strength(self, state: PairState) -> float:
        """Largest excess over the claim in standard deviations of one sample; −∞ without events."""
        at = self.grid[[self.claimed]]
        found = [betting.excess(*ladder.shares(), at, self.request.delta) for ladder in state.ladders()]
        return max((float(x.max()) for x in found), default=-math.inf)

    def run(self) -> Finding:
        """Batches until the claim is refuted, the budget is spent, or the resolution asked for is reached."""
        request, reason = self.request, ""
        try:
            while self.samples < request.max_samples:
                state = self.next_pair()
                size = self.batch_size(state)
                if size == 0:
                    reason = "The time limit was reached."
                    break
                self.step(state, size)
                self.look()
                refuted = self.refuted()
                if refuted and request.confirm and not self.confirmed:
                    self.try_again()
                if self.settled():
                    break
                if request.resolution is not None and not refuted and self.reached(request.resolution):
                    break
            if self.refuted() and request.confirm and not self.confirmed:
                self.try_again(last=True)
        except (KeyboardInterrupt, Stopped) as stop:
            # What was shown at the last look holds whenever one stops.
            if not request.partial:
                raise
            reason = str(stop) or "Interrupted."
        return self.finding(reason)

    def settled(self) -> bool:
        """Whether the claim is refuted and nothing more is to be known."""
        request = self.request
        if not self.refuted() or not request.stop_early or (request.confirm and not self.confirmed):
            return False
        self.refuted_at = self.refuted_at or self.samples
        if request.precision is None or self.samples >= LONGEST * self.refuted_at:
            return True
        return self.epsilon_lower() >= (1.0 - request.precision) * self.estimate()

    def estimate(self) -> float:
        """ε of the event that carries the lower bound, as its shares have it."""
        at = max(self.claimed, int(np.searchsorted(self.grid, self.epsilon_lower())))
        states = [state for state in self.states if state.live()]
        if not states:
            return 0.0
        state = max(states, key=lambda s: float(betting.log_sum(s.log_wealth[:, [at]])[0]))
        ladder, event = self.strongest(state, int(self.nearest[at]))
        p, q = (float(share[event]) for share in ladder.shares())
        found = math.log((p - self.request.delta) / q) if p > self.request.delta else 0.0
        return max(found, self.epsilon_lower())

    def try_again(self, last: bool = False) -> None:
        """Try to confirm a refutation on as many fresh draws as it took, in a test of the event alone."""
        if self.samples < 2 * self.tried_at and not last:
            return
        self.tried_at, self.tries = self.samples, self.tries + 1
        state = max(
            (state for state in self.states if state.live()),
            key=lambda s: float(betting.log_sum(s.log_wealth[:, [self.claimed]])[0]),
        )
        ladder, event = self.strongest(state, len(self.references) - 1)
        kind, rung = divmod(event, len(ladder.thresholds))
        one = ladder.keep(np.array([rung]))
        counts = one.nothing()
        for part in state.chunks(state.size):
            fresh = state.known(state.sample(part, 0)), state.known(state.sample(part, 1))
            for count, side in zip(counts, fresh, strict=True):
                count += events.count(one.score.evaluate(side), one.thresholds)
        more, less = one.hits(*counts, state.size)
        self.extra += state.size
        level = CONFIRM / 2.0**self.tries
        found = (int(more[kind]), int(less[kind]), state.size)
        self.confirmed = binomial.joint_bound(*found, self.request.delta, level) > self.request.epsilon

    def batch_size(self, state: PairState) -> int:
        """Samples of the next batch: a share of those before, within the budget of samples and time."""
        request = self.request
        size = FIRST_BATCH
        if state.size > 0:
            size = max(16, int(self.growth(state) * state.size))
        left = request.time_limit - request.timed()
        if self.samples > 0 and left <= 0.0:
            return 0
        if self.samples > 0 and math.isfinite(left):
            speed = self.samples / max(request.timed(), 1e-6)
            size = min(size, max(16, int(speed * left)))
        return min(size, request.max_samples - self.samples)

    def growth(self, state: PairState) -> float:
        """Size of the next batch of a pair as a share of its samples so far."""
        is_scalar = state.samples()[0].is_scalar
        if self.refuted():
            # Only the lower bound is still to be sharpened: no batch could end the run.
            return AFTERWARDS[0 if is_scalar else 1]
        least, largest = GROWTH
        if state.size < FEW_SAMPLES:
            least, largest = FEW_GROWTH if is_scalar else LEARNING_GROWTH
        # An excess of z standard errors wins about z²/2 on as many samples again. Half of the way to a
        # refutation may be made in one batch; small ones matter near its end.
        need = max(self.bar - self.trace[-1].log_e_value, 0.5)
        z = max(self.strength(state) * math.sqrt(state.size), 0.1)
        return float(np.clip(need / z**2, least, largest))

    def refuted(self) -> bool:
        """Whether everything up to the claimed ε is rejected.

        A smaller ε is easier to reject, but its bets may have had less luck: it is waited for, so that the
        verdict and the lower bound never contradict each other.
        """
        return bool(self.rejected[: self.claimed + 1].all())

    def reached(self, target: float) -> bool:
        return self.resolution().epsilon <= target

    def resolution(self) -> Resolution:
        """The smallest violation that would have been caught with probability 0.9 on the events tried."""
        slots = sum(max(len(s.slots), 1) for s in self.states)
        best = Resolution(math.inf, math.inf)
        for state in self.states:
            n, ladders = state.size, state.ladders()
            if not ladders or n < 2 * FIRST_BATCH:
                continue
            # What the wealth must overcome: the bar, the average over slots and kinds of bets, learning the
            # alternative.
            ways = math.log(slots) - math.log(max(families(self.request.delta)))
            bar = -math.log(self.request.alpha) + ways + 0.5 * math.log(n / FIRST_BATCH) + 1.0
            q = np.concatenate([ladder.shares()[1] for ladder in ladders])
            found = smallest_violation(
                q, LEARNING_PRICE * growth_needed(bar) / n, self.request.epsilon, self.request.delta
            )
            best = Resolution(min(best.epsilon, found.epsilon), min(best.delta, found.delta))
        return best

    def finding(self, reason: str = "") -> Finding:
        """The run in the words of the result; `reason` is why it ended early."""
        refuted = self.refuted()
        if refuted and self.request.confirm and not self.confirmed:
            words = (
                "The audit came to refute the claim, but fresh draws of the event did not confirm it: "
                "nothing is decided."
            )
            refuted, reason = False, f"{reason} {words}".strip()
            return replace(self._found(False), undecided=True, note=reason)
        return replace(self._found(refuted), undecided=bool(reason) and not refuted, note=reason)

    def _found(self, refuted: bool) -> Finding:
        at = self.claimed
        if refuted:
            # The event that carries the lower bound, not the one that first crossed the bar.
            at = max(at, int(np.searchsorted(self.grid, self.epsilon_lower())))
        e_value = math.exp(min(self.best_log_e, 690.0))
        states = [state for state in self.states if state.live()]
        if not states:
            return Finding(
                refuted=refuted,
                epsilon_lower=self.epsilon_lower(),
                e_value=e_value,
                samples=self.samples,
                pair_index=0,
                direction="forward",
                event="none: the outputs are constant, or too few to learn an event",
                resolution=Resolution(math.inf, math.inf),
                trace=tuple(self.trace),
            )
        state = max(states, key=lambda s: float(betting.log_sum(s.log_wealth[:, [at]])[0]))
        ladder, event = self.strongest(state, int(self.nearest[at]))
        x, y = ladder.all_hits()
        direction, text = ladder.words(event)
        text = state.encoder.named(text + plainly(ladder, event, *state.samples()))
        shares = x[event] / ladder.size, y[event] / ladder.size
        if direction == "backward":
            shares = shares[::-1]
        return Finding(
            refuted=refuted,
            epsilon_lower=self.epsilon_lower(),
            e_value=e_value,
            samples=self.samples + self.extra,
            pair_index=state.index,
            direction=direction,
            event=f"{text} (share {shares[0]:.4g} on the first dataset, {shares[1]:.4g} on the second)",
            resolution=self.resolution(),
            trace=tuple(self.trace),
            curve=state.curve(ladder),
            epsilon_estimate=self.estimate(),
        )

    def strongest(self, state: PairState, reference: int) -> tuple[events.Ladder, int]:
        """The ladder and the event of it with the largest excess over the null of a reference ε."""
        best = [(self.excess(ladder)[:, reference], ladder) for ladder in state.ladders()]
        found, ladder = max(best, key=lambda pair: float(pair[0].max()))
        return ladder, int(np.argmax(found))


def growth_needed(bar: float, quantile: float = 1.2816) -> float:
    """The expected log wealth that exceeds `bar` with probability 0.9, log wealth being about N(g, 2g)."""
    root = (quantile * math.sqrt(2.0) + math.sqrt(2.0 * quantile**2 + 4.0 * bar)) / 2.0
    return root * root


def smallest_violation(q: Floats, growth: float, epsilon: float, delta: float) -> Resolution:
    """Over events of lesser share q: the least ε, and the least excess, that grow this fast a sample."""
    q = np.asarray(q, dtype=np.float64)
    low = np.minimum(math.exp(epsilon) * q + delta, 1.0)
    high = np.ones_like(low)
    possible = (low < 1.0) & (binomial.divergence(np.full_like(q, 1.0 - 1e-12), q, epsilon, delta) > growth)
    if not possible.any():
        return Resolution(math.inf, math.inf)
    q, low, high = q[possible], low[possible], high[possible]
    # Only the events that look best by their variance are worth the exact distance.
    rough = np.sqrt(2.0 * growth * (low * (1.0 - low) + math.exp(2.0 * epsilon) * q * (1.0 - q)))
    by_epsilon, by_delta = np.argsort(rough / q)[:8], np.argsort(rough)[:8]
    some = np.unique(np.concatenate([by_epsilon, by_delta]))
    q, low, high = q[some], low[some], high[some]
    null = low.copy()
    # What is sought lies near the rough guess; where it does not, anywhere above.
    near = np.minimum(low + 2.0 * rough[some], 1.0)
    high = np.where(binomial.divergence(near, q, epsilon, delta) >= growth, near, high)
    for _ in range(40):
        middle = 0.5 * (low + high)
        enough = binomial.divergence(middle, q, epsilon, delta) >= growth
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        if np.all(high - low <= 1e-4 * (high - null)):
            break
    return Resolution(float(np.log((high - delta) / q).min()), float((high - null).min()))
