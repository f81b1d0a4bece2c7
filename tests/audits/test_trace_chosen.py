"""A uniform number in an interval that a private draw chose, as private quantiles release it."""

from __future__ import annotations

import numpy as np
import pytest

from audits.trace import trace_privacy

HIGH = [1.0, 0.0, 0.0, 0.0, 0.0]


class Exponential:
    """The exponential mechanism over gaps, with the widths of the gaps as their measure."""

    def __init__(self, utility, widths, rng) -> None:
        self.epsilon, self.sensitivity, self.utility, self.rng = 1.0, 1.0, utility, rng
        weights = np.exp(0.5 * np.asarray(utility)) * widths
        self.chances = weights / weights.sum()

    def randomise(self) -> int:
        return int(np.searchsorted(np.cumsum(self.chances), self.rng.random()))


def gaps(data):
    """The ends of the gaps between records, their widths, and how near each is to the median."""
    ends = np.sort(np.append(data, [0.0, 1.0]))
    return ends, np.diff(ends), -np.abs(np.arange(len(data) + 1) - len(data) / 2)


def by_object(data, rng):
    ends, widths, utility = gaps(data)
    place = Exponential(utility, widths, rng).randomise()
    return rng.random() * (ends[place + 1] - ends[place]) + ends[place]


def by_choice(data, rng, weigh=True):
    ends, widths, utility = gaps(data)
    weights = np.exp(0.5 * utility) * (widths if weigh else 1.0)
    place = rng.choice(len(widths), p=weights / weights.sum())
    return rng.random() * (ends[place + 1] - ends[place]) + ends[place]


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        (by_object, "lost"),
        (by_choice, "nothing-found"),
        # Without the widths, a gap between equal records is released as a record.
        (lambda data, rng: by_choice(data, rng, weigh=False), "lost"),
    ],
)
def test_a_number_in_a_chosen_gap_that_has_no_width_on_one_dataset_is_no_leak(program, verdict: str) -> None:
    pairs = [(np.array(HIGH), np.zeros(5))]
    result = trace_privacy(program, pairs, epsilon=1.0, adjacency="replace", seeds=3, black_box=False)
    assert result.verdict == verdict, result.summary()


def leaves(data, rng):
    """The noisy sum of the leaf of the first record; which leaf a record is in is drawn."""
    level = rng.random()
    right = [bool(level > 0.5) for _ in data]
    sums = {leaf: data[np.array(right) == leaf].sum() + rng.laplace() for leaf in sorted(set(right))}
    return float(sums[right[0]])


def test_a_draw_that_is_only_made_where_a_coin_falls_otherwise_is_no_crash() -> None:
    pairs = [(np.array([0.0, 1.0]), np.array([0.0, 0.0]))]
    result = trace_privacy(leaves, pairs, epsilon=1.0, adjacency="replace", seeds=3, black_box=False)
    assert result.verdict == "nothing-found", result.summary()
    assert result.epsilon_ledger == pytest.approx(1.0)
