"""The sequential e-process test: bets and events learned from earlier batches only.

Claim: P(S) ≤ e^ε·Q(S) + δ for every event S, both orders of the two datasets, and each of the claim's lines
(ε, δ), of which (ε, δ)-privacy has one: see `nulls`. A *hypothesis* is the threshold family of the score of
one learner. Before each batch, for every value of the claim's parameter on a fixed grid, the line that
earlier batches speak most against is chosen, and `betting.choose` shares out the wealth of a pair of datasets
over events of all hypotheses and alternatives (p₁, q₁), from what earlier batches showed; the batch then
multiplies it by the shares' e-values. A part of the wealth is kept back and joins the bets batch by batch:
unlucky first bets then cost only a part of the wealth. The mean wealth of all pairs is an e-process under the
claim, so by Ville's inequality it reaches 1/α with probability at most α, however often one looks. The set of
values not rejected so far is a confidence sequence, and `lower` the largest value up to which the whole grid
is rejected.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from audits.privacy.bet import betting, binomial, events, nulls
from audits.privacy.bet.method import Finding, Job, with_shares
from audits.privacy.bet.pair_state import Hypothesis, PairState
from audits.privacy.bet.power import growth_needed, on_either_dataset, smallest_violation
from audits.privacy.draw.draws import joined, named
from audits.privacy.learn.choice import learners
from audits.privacy.outputs.outputs import Floats, Ints
from audits.privacy.result import Look, Resolution
from audits.privacy.tuning import TUNING

UNCONFIRMED = (
    "The audit came to refute the claim, but fresh draws of the event did not confirm it: nothing is decided."
)
SURE, LONGER = math.log(1e8), 2.0
"""A refutation of this log e-value is sure: to sharpen its bound, sampling goes on until the mechanism has
taken twice as long as for the refutation, and at least two seconds."""
CARE = 1.1
"""Samples to come may take this multiple of what those of the last batch took."""
UNTESTED = "The time limit left no fresh draws that could have confirmed it."
ENDED = "The clock ended the sampling after the refutation: another run may report a somewhat different ε."
LATE = "The time limit was reached."

Nulls = tuple[Floats, Floats]
"""ε and δ of the line of each value of the grid that is betted against."""
Winner = tuple[PairState, events.ThresholdFamily, int]
"""A pair of datasets, a threshold family of it, and one of the family's 4K events."""


def reference_places(grid: Floats, claimed: int) -> tuple[Ints, Ints]:
    """Places of the grid for which the best event is chosen, the claimed one last; and for each its event's.

    Each value has the event of the nearest of two dozen places, but the claimed value one of its own.
    """
    places = np.unique(np.round(np.linspace(0, len(grid) - 1, 25)).astype(np.int64))
    nearest = np.abs(places[None, :] - np.arange(len(grid))[:, None]).argmin(axis=1)
    nearest[claimed] = len(places)
    return np.append(places, claimed), nearest


class Wealth:
    """The wealth of one pair of datasets, for every ε of the grid: what is betted, and what is kept back."""

    def __init__(self, size: int) -> None:
        self.log_betted = np.full(size, math.log(TUNING.first_share))
        self.kept_back = 1.0 - TUNING.first_share

    def log(self) -> Floats:
        """Log of the whole, for every ε."""
        return np.logaddexp(self.log_betted, math.log(self.kept_back))

    def invest(self) -> None:
        """Before a bet, add a share of what is kept back to what is betted; the sum stays what it was."""
        part = TUNING.later_share * self.kept_back
        if part > 0.0:
            self.kept_back -= part
            self.log_betted = np.logaddexp(self.log_betted, math.log(part))


class Sequential:
    """A run of the test: the wealth and the hypotheses of every pair, and which ε are rejected so far."""

    def __init__(self, job: Job) -> None:
        self.job, self.asked = job, job.options
        self.claim = self.asked.claim
        self.grid, self.epsilons, self.deltas = nulls.grid_of_lines(self.claim)
        self.claimed = int(np.searchsorted(self.grid, self.claim.value))
        self.references, self.nearest = reference_places(self.grid, self.claimed)
        self.chosen: dict[int, Nulls] = {}
        self.states = [PairState(job, pair, i) for i, pair in enumerate(job.pairs)]
        self.wealth = [Wealth(len(self.grid)) for _ in job.pairs]
        self.first_look = min(TUNING.glance, self.asked.max_samples // (2 * len(self.states)))
        self.strengths: dict[int, float] = {}
        self.rejected = np.zeros(len(self.grid), dtype=bool)
        self.bar = -math.log(self.asked.alpha)
        self.largest_log_e = -math.inf
        self.samples = self.learned = 0
        self.trace: list[Look] = []
        self.confirmed = self.untested = False
        self.refuted_at = self.tried_at = self.tries = self.extra = 0
        self.began, self.refuted_in, self.ended = job.drawer.seconds, 0.0, ""
        self.pace = 0.0  # seconds that a sample of each dataset took in the last batch

    # --- one batch ---

    def step(self, state: PairState, size: int) -> None:
        """Draw a batch of one pair, settle the bets on it, learn from it."""
        families, wealth = state.families(), self.wealth[state.index]
        wealth.invest()
        bets = self.bets(state, families)
        counts, tallies = state.drawn_and_counted(families, size)
        if bets is not None:
            hits = [family.hits(x, y, size) for family, (x, y) in zip(families, counts, strict=True)]
            # An ε that nothing is betted on keeps its wealth.
            wealth.log_betted[bets.places] += bets.log_factor(hits, size)
        for hypothesis, family, (x, y) in zip(state.live(), families, counts, strict=True):
            hypothesis.family = family.add(x, y, size)
        self.learn(state, size, tallies)

    def begin(self, state: PairState, outputs: tuple[list[Any], list[Any]]) -> None:
        """Learn from outputs on both datasets that were drawn before; nothing is betted on them."""
        first, second = (
            state.encoder.encode(joined(parts), named(place, state.index))
            for place, parts in enumerate(outputs)
        )
        state.keep(first, second, state.most_kept())
        self.learned += len(first)
        self.learn(state, len(first), np.zeros((2, 0), dtype=np.int64))

    def learn(self, state: PairState, size: int, tallies: Ints) -> None:
        """Learn from a batch of a pair that is kept and counted."""
        state.size += size
        self.samples += size
        if not state.hypotheses:
            # The kind of output is known now, nothing has been betted yet.
            state.hypotheses = [*map(Hypothesis, learners(state.samples()[0]))]
        if state.counts is not None:
            state.counts = state.counts.add(tallies[0], tallies[1], size)
        # After the last batch nothing is betted on what would be learned.
        ended = self.samples >= self.asked.max_samples and state.learned_at > 0
        more = state.size <= 2 * state.kept_rows or state.learned_at == 0
        if state.size >= TUNING.least and more and not ended:
            state.relearn()
        state.reorder()
        for known in (self.strengths, self.chosen):
            known.pop(state.index, None)

    def bets(self, state: PairState, families: Sequence[events.ThresholdFamily]) -> betting.Bets | None:
        """Bets on the next batch against every ε that is not rejected yet, and against the claimed ε."""
        if not families:
            return None
        places = np.flatnonzero(~self.rejected | (np.arange(len(self.grid)) == self.claimed))
        need = np.maximum(self.bar - self.log_e()[places], 1.0)
        goal = np.sqrt(2.0 * need / (self.asked.max_samples - self.samples))
        epsilon, delta = self.nulls(state)
        return betting.choose(
            families, state.size, epsilon, self.references, self.nearest, places, delta, goal
        )

    def nulls(self, state: PairState) -> Nulls:
        """For every value of the grid the line that the samples of a pair so far speak most against."""
        if state.index not in self.chosen:
            self.chosen[state.index] = self.choose_lines(state.families())
        return self.chosen[state.index]

    def choose_lines(self, families: Sequence[events.ThresholdFamily]) -> Nulls:
        """For each value the line that some event exceeds most; the middle line where there is no event."""
        count = self.epsilons.shape[1]
        line = np.full(len(self.grid), count // 2)
        if count > 1 and families:
            # The claimed value's line is chosen for itself. Between references lines hardly differ, but the
            # value 0 has only one: each value takes the line that was chosen for the reference above it.
            at = np.append(self.references[:-1:3], self.claimed)
            epsilon, delta = self.epsilons[at].ravel(), self.deltas[at].ravel()
            most = [betting.excess(*f.shares(), epsilon, delta).max(axis=0) for f in families]
            best = np.max(most, axis=0).reshape(len(at), count).argmax(axis=1)
            line = best[np.searchsorted(at[:-1], np.arange(len(self.grid)))]
            line[self.claimed] = best[-1]
        places = np.arange(len(self.grid))
        return self.epsilons[places, line], self.deltas[places, line]

    # --- the whole run ---

    def run(self) -> Finding:
        """Batches until the claim is refuted, the budget is spent, or the resolution asked for is reached."""
        reason = ""
        try:
            for index, outputs in self.job.seen.items():
                self.begin(self.states[index], outputs)
                self.look()
            while self.samples < self.asked.max_samples:
                state = self.next_pair()
                size = self.batch_size(state)
                if size == 0:
                    reason = LATE
                    break
                start = self.job.timed()
                self.step(state, size)
                self.look()
                self.pace = (self.job.timed() - start) / size
                self.try_again()
                if self.settled() if self.refuted() else self.reached():
                    break
            self.try_again(last=True)
        except self.asked.stops as stop:
            # Ville's inequality holds at any stopping time, so the bound of the last look is valid.
            reason = str(stop) or "Interrupted."
        return self.finding(reason or self.ended)

    def log_e(self) -> Floats:
        """Log of the mean wealth of all pairs, for every ε; pairs not looked at yet have wealth 1."""
        return betting.log_sum(np.stack([one.log() for one in self.wealth])) - math.log(len(self.wealth))

    def look(self) -> None:
        """After a batch: reject every ε whose wealth has reached the bar, and record how far the run is."""
        log_e = self.log_e()
        self.rejected |= log_e >= self.bar
        self.largest_log_e = max(self.largest_log_e, float(log_e[self.claimed]))
        self.trace.append(Look(self.samples, float(log_e[self.claimed]), self.lower(), unit=self.claim.unit))
        if self.asked.progress is not None:
            self.asked.progress(self.trace[-1])

    def first_kept(self) -> int:
        """The place of the smallest value that is not rejected; the size of the grid where all are."""
        return int(np.append(self.rejected, False).argmin())

    def lower(self) -> float:
        """The largest value of the grid up to which everything is rejected; 0 where 0 is not."""
        first_kept = self.first_kept()
        found = float(self.grid[max(first_kept - 1, 0)])
        # Where the claimed value itself is rejected the true one is larger.
        return math.nextafter(found, math.inf) if first_kept == self.claimed + 1 and found > 0.0 else found

    def refuted(self) -> bool:
        """Whether everything up to the claimed value is rejected.

        A smaller value is easier to reject, but its bets may have had less luck. The claim counts as refuted
        only when all of them are rejected, so that the verdict and the lower bound never contradict each
        other.
        """
        return bool(self.rejected[: self.claimed + 1].all())

    def next_pair(self) -> PairState:
        """The pair to draw from next: at first every pair, later mostly that with the strongest violation."""
        fresh = [state for state in self.states if state.size < self.first_look]
        if fresh or len(self.trace) % 4 == 3:
            return min(fresh or self.states, key=lambda state: state.size)
        # Pairs seen little have a bonus.
        return max(self.states, key=lambda state: self.strength(state) + 2.0 / math.sqrt(state.size + 1.0))

    def strength(self, state: PairState) -> float:
        """The largest excess over the claim of any event of a pair, in standard deviations of a sample; −∞
        without events. It is kept until the pair learns again."""
        if state.index not in self.strengths:
            at = [part[[self.claimed]] for part in self.nulls(state)]
            found = [betting.excess(*family.shares(), *at).max() for family in state.families()]
            self.strengths[state.index] = float(max(found, default=-math.inf))
        return self.strengths[state.index]

    def batch_size(self, state: PairState) -> int:
        """Samples of the next batch: a share of those before, within the budget of samples and time."""
        size = TUNING.first_batch
        if state.size > 0:
            # Nothing is learned from fewer samples than `least`, so there is nothing to bet on.
            lacking = TUNING.least - state.size
            size = lacking if lacking > 0 else max(16, int(self.growth(state) * state.size))
        if state.size < self.first_look and len(self.states) > TUNING.many_pairs:
            # One batch is enough for the first look: with many pairs learning takes longer than drawing.
            size = self.first_look - state.size
        if self.samples > 0:
            if self.job.left() <= self.drawing() / max(self.samples - self.learned, 1):
                return 0
            size = min(size, max(1, self.affordable(self.job.left())))
        return min(size, self.asked.max_samples - self.samples)

    def growth(self, state: PairState) -> float:
        """Size of the next batch of a pair as a share of its samples so far."""
        if self.refuted():
            # The verdict is known. Further batches only sharpen the lower bound, so they may be of any size.
            repeats = state.samples()[0].is_single or state.atoms is not None
            return TUNING.afterwards[0 if repeats else 1]
        # An event with an excess of z standard errors multiplies the wealth by about e^(z²/2) on as many
        # samples again. So need/z² is the share of samples that makes half of the way to the refutation.
        need = max(self.bar - self.trace[-1].log_e_value, 0.5)
        z = max(self.strength(state) * math.sqrt(state.size), 0.1)
        return float(np.clip(need / z**2, *TUNING.growth))

    def affordable(self, left: float) -> int:
        """Samples of each dataset that take this time, at the speed of the last batch.

        The first batch may have had to import a library. The next one is no larger, so that such a batch
        decides nothing unless the limit is near: results do not depend on the clock otherwise.
        """
        if left == math.inf:
            return sys.maxsize
        drawer = self.job.drawer
        drawing = 2.0 * drawer.seconds / max(drawer.drawn, 1)
        return int(max(left, 0.0) / (CARE * max(self.pace or drawing, 1e-9)))

    def drawing(self) -> float:
        """Seconds that drawing has taken in this run."""
        return self.job.drawer.seconds - self.began

    def settled(self) -> bool:
        """Whether the size of a violation that was found is known as precisely as was asked."""
        if not self.asked.stop_early or self.unconfirmed():
            return False
        if self.untested:
            return True
        drawing = self.drawing()
        self.refuted_at, self.refuted_in = self.refuted_at or self.samples, self.refuted_in or drawing
        if self.asked.precision is None or self.samples >= TUNING.longest * self.refuted_at:
            return True
        if self.lower() >= (1.0 - self.asked.precision) * self.estimate(self.winner(self.carrier())):
            return True
        if self.largest_log_e < SURE or drawing < max(LONGER, 2.0 * self.refuted_in):
            return False
        self.ended = ENDED
        return True

    def reached(self) -> bool:
        """Whether the resolution asked for is reached."""
        target = self.asked.resolution
        return target is not None and self.resolution().epsilon <= target

    def unconfirmed(self) -> bool:
        """Whether the claim is refuted, but fresh draws that were asked for have not confirmed it."""
        return self.asked.confirm and not self.confirmed and self.refuted()

    def try_again(self, last: bool = False) -> None:
        """Try to confirm a refutation on as many fresh draws as it took, in a test of the event alone.

        Fewer are drawn where the time limit leaves no more. Where even an event that is certain on one
        dataset and impossible on the other could not pass with so few, the refutation rests on its e-value.
        """
        if not self.unconfirmed() or (self.samples < 2 * self.tried_at and not last):
            return
        self.tried_at, self.tries = self.samples, self.tries + 1
        winner = self.winner(self.claimed)
        if winner is None:
            return
        state, family, event = winner
        level, size = TUNING.confirm / 2.0**self.tries, min(state.size, self.affordable(self.job.left()))
        if size < state.size:
            best = binomial.two_bounds(size, 0, size, self.claim, level) if size > 0 else 0.0
            if best <= self.claim.value:
                self.confirmed = self.untested = True
                return
        kind, cut = divmod(event, len(family.thresholds))
        one_cut = family.keep(np.array([cut]))
        more, less = one_cut.hits(*state.fresh_counts(one_cut, size), size)
        self.extra += size
        bound = binomial.two_bounds(int(more[kind]), int(less[kind]), size, self.claim, level)
        self.confirmed = bound > self.claim.value

    # --- what was found ---

    def resolution(self) -> Resolution:
        """The smallest violation that would have been caught with probability 0.9 on the events tried."""
        hypotheses = sum(max(len(state.hypotheses), 1) for state in self.states)
        best, shares = Resolution(), dict[int, list[Floats]]()
        for state in self.states:
            families = state.families()
            if state.size < 2 * TUNING.first_batch:
                continue
            # Where outputs are constant, an event of any share would have been seen.
            constant = [np.linspace(0.01, 0.99, 99)] if not families and state.few(1) else []
            epsilon = float(self.nulls(state)[0][self.claimed])
            seen = [on_either_dataset(family.shares()[1], epsilon) for family in families]
            shares.setdefault(state.size, []).extend(constant + seen)
        for n, found in shares.items():
            if found:
                # The wealth of the best event must pay for the bar 1/α, for the average over hypotheses, and
                # for learning the alternative.
                bar = self.bar + math.log(hypotheses) + 0.5 * math.log(n / TUNING.first_batch) + 1.0
                growth = TUNING.learning_price * growth_needed(bar) / n
                one = smallest_violation(np.concatenate(found), growth, self.claim)
                best = Resolution(min(best.epsilon, one.epsilon), min(best.delta, one.delta))
        return best

    def estimate(self, winner: Winner | None) -> float:
        """The value that the shares of an event so far show; at least the lower bound."""
        if winner is None:
            return 0.0
        _, family, event = winner
        p, q = (float(share[event]) for share in family.shares())
        return max(float(binomial.shown(p, q, self.claim)), self.lower())

    def carrier(self) -> int:
        """The place of the value whose event carries the lower bound; the claimed one where there is none.

        After a refutation that event is shown, not the one that first crossed the bar.
        """
        first_kept = self.first_kept()
        return first_kept - 1 if first_kept > 0 else self.claimed

    def winner(self, at: int) -> Winner | None:
        """The pair of the largest wealth at an ε that is rejected, of the largest excess over the claim
        where none is; and the family and event of the largest excess over its null. None where nothing can be
        betted on."""
        states = [state for state in self.states if state.live()]
        if not states:
            return None
        shown = self.rejected[at]
        state = max(states, key=lambda s: self.wealth[s.index].log()[at] if shown else self.strength(s))
        null = [part[self.references[[self.nearest[at]]]] for part in self.nulls(state)]
        best = [(betting.excess(*family.shares(), *null), family) for family in state.families()]
        found, family = max(best, key=lambda pair: float(pair[0].max()))
        return state, family, int(np.argmax(found))

    def finding(self, reason: str = "") -> Finding:
        """The run in the words of the result; `reason` is why it ended early."""
        refuted, winner = self.refuted(), self.winner(self.carrier())
        shown = self.estimate(winner)
        if self.unconfirmed():
            refuted, winner = False, self.winner(self.claimed)
            reason = f"{reason} {UNCONFIRMED}".strip()
        elif self.untested:
            reason = f"{reason} {UNTESTED}".strip()
        found = Finding(
            refuted=refuted,
            lower=self.lower(),
            tested_at=float(self.nulls(winner[0])[0][self.claimed]) if winner else math.nan,
            # Before the first bet the wealth is 1.
            e_value=math.exp(min(self.largest_log_e, 690.0)) if self.trace else 1.0,
            samples=self.samples + self.extra,
            event="none: the outputs are constant, or too few to learn an event",
            resolution=self.resolution(),
            trace=tuple(self.trace),
            undecided=bool(reason) and not refuted,
            note=reason,
        )
        if winner is None:
            return found
        state, family, event = winner
        x, y = family.all_hits()
        direction, words = family.words(event)
        text = state.encoder.said(words)
        if len(self.states) > 1 and not refuted:
            text = f"the largest of {len(self.states):,} pairs, where one is large by chance: {text}"
        return replace(
            found,
            pair_index=state.index,
            direction=direction,
            event=with_shares(text, direction, x[event] / family.size, y[event] / family.size),
            curve=state.curve(family),
            estimate=shown,
            encoder=state.encoder,
            view=family.score.view,
        )
