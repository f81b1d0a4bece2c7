"""What is known of one pair of datasets: its samples, learned scores and their threshold families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from audits.privacy.bet import events, folds
from audits.privacy.bet.atoms import Atoms, Counts, count_atoms, family_of_sets, find_atoms
from audits.privacy.bet.method import Job
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import joined, named
from audits.privacy.learn.choice import Learner
from audits.privacy.outputs.outputs import Encoded, Ints, join
from audits.privacy.result import CurvePoint
from audits.privacy.tuning import TUNING


class Hypothesis:
    """A learner on a pair of datasets: that the threshold family of its score tells them apart."""

    def __init__(self, learner: Learner, family: events.ThresholdFamily | None = None) -> None:
        self.learner = learner
        self.family = family

    def relearn(self, first: Encoded, second: Encoded) -> None:
        """Fit the score to the first half of what is kept, count on the second half; or fit it to all, and
        count every part by a fit without it."""
        score = folds.fitted(self.learner, first, second)
        if score is None:
            return
        x, y = score.evaluate(first), score.evaluate(second)
        judge = partial(folds.judged, score.folds, first, second) if score.folds else None
        self.family = events.build(score, x, y, len(first) // 2, steady=not first.is_single, judge=judge)


class PairState:
    """One pair of datasets: its samples and its hypotheses."""

    def __init__(self, job: Job, pair: tuple[Dataset, Dataset], index: int) -> None:
        self.job, self.pair, self.index = job, pair, index
        self.encoder = job.drawer.encoder()
        self.size = self.kept_rows = self.row_bytes = self.learned_at = 0
        self.kept: list[list[Encoded]] = [[], []]
        self.hypotheses: list[Hypothesis] = []
        self.atoms: Atoms | None = None
        self.counts: Counts | None = None
        self.learned_counts: Counts | None = None

    def sample(self, size: int) -> tuple[Encoded, Encoded]:
        """Fresh outputs on both datasets, as columns."""
        drawer, names = self.job.drawer, [named(place, self.index) for place in (0, 1)]
        both = [
            drawer.draw(data, size, self.job.rng, name) for data, name in zip(self.pair, names, strict=True)
        ]
        if not self.encoder.drawn:
            # Those that tested assumptions are among the first outputs.
            known = [drawer.kept(name)[: TUNING.glance] for name in names]
            self.encoder.draw(
                joined([seen if len(seen) else raw for seen, raw in zip(known, both, strict=True)])
            )
        first, second = (self.encoder.encode(raw, name) for raw, name in zip(both, names, strict=True))
        # The first outputs show how large an output is.
        self.row_bytes = self.row_bytes or (first.values.nbytes + first.codes.nbytes) // size + 1
        return first, second

    def most_rows(self, least: int) -> int:
        """How many outputs of a dataset the memory has room for; at least `least`."""
        return max(least, TUNING.most_bytes // max(self.row_bytes, 1))

    def draw(self, size: int) -> Iterator[tuple[Encoded, Encoded]]:
        """Fresh samples of both datasets, in chunks that the memory has room for."""
        most = self.most_rows(64)
        for start in range(0, size, most):
            yield self.sample(min(most, size - start))

    def samples(self) -> tuple[Encoded, Encoded]:
        """What is kept of both datasets."""
        return self.kept[0][0], self.kept[1][0]

    def keep(self, first: Encoded, second: Encoded, most: int) -> None:
        """Keep samples to learn from, `most` of each dataset in all."""
        room = most - self.kept_rows
        if room <= 0:
            return
        for kept, outputs in zip(self.kept, (first, second), strict=True):
            kept[:] = [join([*kept, outputs.take(slice(room))])]
        self.kept_rows = len(self.samples()[0])

    def most_learned(self) -> int:
        """How many samples of a dataset all scores are learned from at most."""
        return min(TUNING.retained_rows, self.most_rows(256))

    def most_kept(self) -> int:
        """How many samples of a dataset are kept at most."""
        if self.atoms is not None and self.atoms.complete:
            return self.most_learned()  # every output is counted in the table, kept or not
        return max(self.most_learned(), min(TUNING.rare_rows, self.most_rows(0)))

    def live(self) -> list[Hypothesis]:
        """The hypotheses that have events to bet on."""
        return [h for h in self.hypotheses if h.family is not None]

    def families(self) -> list[events.ThresholdFamily]:
        """Their threshold families."""
        return [h.family for h in self.live() if h.family is not None]

    def few(self, most: int = TUNING.few_values) -> bool:
        """Whether at most `most` different outputs have occurred, which all repeat."""
        return self.atoms is not None and self.atoms.complete and len(self.atoms) <= most

    def relearn(self) -> None:
        """Fit the scores again where the samples kept have grown enough since the last time."""
        first, second = self.samples()
        if self.learned_at and self.kept_rows < TUNING.learn_again * self.learned_at:
            return
        only_rare = self.learned_at >= self.most_learned()
        self.learned_at = self.kept_rows
        if not only_rare:
            self.find_atoms(first, second)
        with self.job.threads.limit(limits=1):
            for hypothesis in self.hypotheses:
                if self.job.left() < 0.0:
                    return
                if self.by_atoms(hypothesis.learner):
                    hypothesis.family = None
                elif hypothesis.learner.rare or not only_rare:
                    hypothesis.relearn(first, second)

    def by_atoms(self, learner: Learner) -> bool:
        """Whether the table of outputs that repeat replaces a learner: `reorder` sees to the sets, and where
        few outputs occur their sets are all the events."""
        return self.atoms is not None if learner.table else self.few() and not learner.few

    def find_atoms(self, first: Encoded, second: Encoded) -> None:
        """The table of outputs that repeat, and their counts."""
        self.atoms = find_atoms(first, second)
        self.counts = self.learned_counts = None
        if self.atoms is not None:
            half = slice(0, len(first) // 2)
            self.counts = count_atoms(self.atoms, first, second)
            self.learned_counts = count_atoms(self.atoms, first.take(half), second.take(half))

    def reorder(self) -> None:
        """Order the sets of outputs that repeat by all the counts so far.

        Few of them may be judged by the counts that order them; many are judged by those since they were
        ordered.
        """
        if self.atoms is None or self.counts is None or self.learned_counts is None:
            return
        hypothesis = next(h for h in self.hypotheses if h.learner.table)
        if self.few():
            hypothesis.family = family_of_sets(self.atoms, self.counts, self.counts)
        elif hypothesis.family is None or self.counts.size >= 2 * self.learned_counts.size:
            # What was there at half the size orders, what came since judges.
            judged = self.counts.without(self.learned_counts)
            hypothesis.family = family_of_sets(self.atoms, self.learned_counts, judged)
            self.learned_counts = self.counts

    def count(self, e: Encoded) -> tuple[list[Ints], Ints]:
        """For every live family how many samples have score ≥ each threshold; and how often each atom
        occurs."""
        with self.job.threads.limit(limits=1):
            found = [events.count(f.score.evaluate(e), f.thresholds) for f in self.families()]
        return found, np.zeros(0, dtype=np.int64) if self.atoms is None else self.atoms.tally(e)

    def drawn_and_counted(
        self, families: Sequence[events.ThresholdFamily], size: int
    ) -> tuple[list[Ints], Ints]:
        """The counts of fresh samples of both datasets, see `count`; what there is room for is kept."""
        counts = [family.nothing() for family in families]
        tallies = np.zeros((2, 0 if self.atoms is None else len(self.atoms)), dtype=np.int64)
        for both in self.draw(size):
            for place, outputs in enumerate(both):
                found, times = self.count(outputs)
                tallies[place] += times
                for count, more in zip(counts, found, strict=True):
                    count[place] += more
            self.keep(*both, self.most_kept())
        return counts, tallies

    def fresh_counts(self, family: events.ThresholdFamily, size: int) -> Ints:
        """How many fresh samples of both datasets have score ≥ each threshold of a family."""
        found = family.nothing()
        for both in self.draw(size):
            for count, outputs in zip(found, both, strict=True):
                count += events.count(family.score.evaluate(outputs), family.thresholds)
        return found

    def curve(self, family: events.ThresholdFamily) -> tuple[CurvePoint, ...]:
        """Every event of a family with its shares."""
        shares = (side / family.size for side in family.all_hits())
        return tuple(CurvePoint(*both) for both in zip(*(side.tolist() for side in shares), strict=True))
