"""Lemma 3.5 of Lee, Liu and Lu (2024), the sampling step of G.3, for neighbours that differ by a replacement.

A publishes how many records it got, and their parity by randomised response with eps = 1: it is 1-DP where
a record is replaced. A' runs A on a sample that keeps each of two records with probability eps = 1/4."""

from itertools import product
from math import e, exp

epsilon = 0.25


def law(data):
    """The law of A' on two records, as probabilities of (size, answer)."""
    found = {}
    for kept in product((0, 1), repeat=2):
        weight = epsilon ** sum(kept) * (1.0 - epsilon) ** (2 - sum(kept))
        parity = (data[0] * kept[0] + data[1] * kept[1]) % 2
        for answer in (0, 1):
            chance = e / (1.0 + e) if answer == parity else 1.0 / (1.0 + e)
            found[sum(kept), answer] = found.get((sum(kept), answer), 0.0) + weight * chance
    return found


first, second = law((0, 0)), law((0, 1))
delta = sum(max(0.0, second[o] - exp(2 * epsilon) * first[o]) for o in first)
print(f"G.3 states (2 eps, 0)-DP; found at 2 eps = {2 * epsilon}: delta = {delta:.4f}")
print(f"largest ratio of probabilities {max(second[o] / first[o] for o in first):.3f}; stated {exp(0.5):.3f}")
assert delta > 0.01
