r"""Lemma 4.7: the generalisation gap of an algorithm equals its average sensitivity to one fresh item.

$\mathbb E[L_{\mathcal P}(A(\mathcal D))-L_{\mathcal D}(A(\mathcal D))]=\mathbb E[\ell(A(\mathcal
D);z')-\ell(A(\mathcal D');z')]$, where a uniformly random item of $\mathcal D$ is replaced by $z'$ to give
$\mathcal D'$. The replaced dataset holds z′ in the place of the item that left, so that $(\mathcal D',z')$
has the law of $(\mathcal D,$ a random item of it$)$.

The place must be random, as the lemma says. For a fixed place the two differ for algorithms that treat items
differently: one that looks at the first item only, where the second is replaced.

How it is checked. Exactly, for all algorithms and all losses on small finite spaces: both sides are linear in
$\Pr[A(\mathcal D)=\theta]\,\ell(\theta;z)$, so that equality for each pair of a dataset and an item
decides; and both are polynomials of degree N + 1 in the probabilities of the items, so that N + 2 values of
them decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, equals, grid
from claims.asi2024 import PAPER

Coefficients = dict[tuple[tuple[int, ...], int], Fraction]


def gap(items: int, law: Sequence[Fraction]) -> Coefficients:
    """Coefficient of Pr[A(D) = θ]·ℓ(θ; z) in the generalisation gap, for each (D, z)."""
    table: Coefficients = {}
    for data in itertools.product(range(len(law)), repeat=items):
        for z, chance in enumerate(law):
            table[data, z] = _mass(data, law) * (chance - Fraction(data.count(z), items))
    return table


def sensitivity(items: int, law: Sequence[Fraction], places: Sequence[int]) -> Coefficients:
    """The same for the average change under replacement of the item at a random one of `places`."""
    table: Coefficients = {}
    for data in itertools.product(range(len(law)), repeat=items):
        for z, chance in enumerate(law):
            table[data, z] = table.get((data, z), Fraction(0)) + _mass(data, law) * chance
            for place in places:
                other = (*data[:place], z, *data[place + 1 :])
                share = _mass(data, law) * chance / len(places)
                table[other, z] = table.get((other, z), Fraction(0)) - share
    return table


def _mass(data: tuple[int, ...], law: Sequence[Fraction]) -> Fraction:
    mass = Fraction(1)
    for item in data:
        mass *= law[item]
    return mass


def largest_difference(items: int, kinds: int, places: Sequence[int]) -> Fraction:
    """Largest difference of a coefficient of the two sides, over N + 2 laws of the items."""
    worst = Fraction(0)
    for step in range(items + 2):
        first = Fraction(2 * step + 1, 2 * items + 4)
        rest = [(1 - first) * Fraction(2 * j, kinds * (kinds - 1)) for j in range(1, kinds)]
        left, right = gap(items, [first, *rest]), sensitivity(items, [first, *rest], places)
        worst = max(worst, *(abs(left[key] - right[key]) for key in left))
    return worst


def check(point: Point) -> Iterator[Evidence]:
    """All coefficients, with a random place."""
    found = largest_difference(point.N, point.kinds, range(point.N))
    yield equals("largest difference of a coefficient", found, Fraction(0))
    if point.N > 1:  # a comparison that sees nothing would not see this either
        fixed = largest_difference(point.N, point.kinds, [point.N - 1])
        yield at_least("largest difference where the last item is replaced", fixed, Fraction(1, 1000))


CLAIM = Claim(
    PAPER,
    "Lemma 4.7",
    "section 4",
    kind=Kind.IDENTITY,
    title="Generalisation gap and sensitivity to one item",
    statement=r"For every algorithm, loss and law of i.i.d. items, $\mathbb E[L_{\mathcal P}(A(\mathcal "
    r"D))-L_{\mathcal D}(A(\mathcal D))]=\mathbb E[\ell(A(\mathcal D);z')-\ell(A(\mathcal D');z')]$, one "
    r"random item of $\mathcal D$ replaced by $z'$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(N=(1, 3), kinds=(2,)),
    ci=grid(N=(1, 2, 3, 4), kinds=(2, 3)),
)
