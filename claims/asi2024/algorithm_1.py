r"""Algorithm 1 (outlier removal), line by line: scores, selections, means, noise and halts of the program.

The lines are written out here a second time, with loops over users and exact arithmetic: the values lie on
a lattice, so that distances of exactly τ and 2τ occur and can be told from larger ones, and scores and
probabilities are fractions. Users count themselves, a pair at distance τ counts, and p rises from 0 at n/2 to
1 at 2n/3.

How it is checked. Score and selection probabilities of the program against the written-out lines, exactly,
on random datasets of up to 13 users in up to 6 dimensions and two units, given one by one and as rows with
weights, alone and many at once, and on larger datasets that the program works off in blocks. The mean of the
kept users against the law that all subsets of users give, cell by cell, where somebody is always kept and
where nobody may be, for one dataset and for one a run (`:means`). Whole transcripts of adaptive queries
(`:transcripts`): halting times against the integral of Algorithm 4; the noise of each coordinate and query
against the normal law of line 14 and against each other, where all users are kept and where some are
removed; and exactly that halted runs show 0 and never answer again, and that T queries are answered and no
more. The printed plan's numbers against the printed formulas. The laws that other checks compute for
datasets of few clusters, against the written-out lines, exactly (`:clusters`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from audits.judge import at_most, drawn_from, equals, mean_equals
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.asi2024 import PAPER
from claims.asi2024.algorithm_4 import passing, printed_law
from implementations.asi2024 import clusters
from implementations.asi2024.outlier_removal import OutlierRemovingMean, Plan, kept_mean, look, printed_plan
from implementations.interfaces import Array

TAU = 4
CLOSE = np.array([[0, 0]] * 4 + [[2, 0]] * 4 + [[1, 1]] * 3 + [[0, 1]])
"""12 users who all see each other within τ."""
APART = np.array([[0, 0]] * 7 + [[6, 0]] * 4 + [[3, 0]])
"""12 users who all see each other within 2τ, and not all of them within τ."""
SPLIT = np.array([[90, 0]] * 7 + [[0, 0]] * 5)
"""Seven users who are kept with probability 1/2 each, and five who never are."""
SPREAD = np.array([[0, 0], [1, 1], [1, -1], [2, 2]] + [[8, 0]] * 3 + [[16, 0]] * 5)
"""Four users who are kept with probability 1/2 each, and eight who always are."""


NEARLY = np.array([[0, 0]] * 31 + [[8, 0]] * 28 + [[16, 0]] * 31)
"""62 users who are kept with probability 14/15 each, and 28 who always are."""


def score_of(values: Sequence[Sequence[int]], tau: int) -> Fraction:
    """Line 4: (1/n)·Σ_Z Σ_Z′ 1(‖q(Z) − q(Z′)‖ ≤ τ)."""
    return Fraction(sum(count for count in counts_of(values, tau)), len(values))


def counts_of(values: Sequence[Sequence[int]], radius: int) -> list[int]:
    """Line 8: for each user the number of users within the radius."""
    return [
        sum(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) <= radius**2 for y in values) for x in values
    ]


def kept_of(values: Sequence[Sequence[int]], tau: int) -> list[Fraction]:
    """Lines 9 and 10: 0 below n/2, 1 from 2n/3 on, (f − n/2)/(n/6) between."""
    n = len(values)
    found: list[Fraction] = []
    for count in counts_of(values, 2 * tau):
        if 2 * count < n:
            found.append(Fraction(0))
        elif 3 * count >= 2 * n:
            found.append(Fraction(1))
        else:
            found.append((count - Fraction(n, 2)) / Fraction(n, 6))
    return found


def mean_law(values: Sequence[Sequence[int]], tau: int) -> dict[tuple[Fraction, ...], Fraction]:
    """Lines 6 to 13: probability of each mean over all subsets of the users; 0 where nobody is kept."""
    chances = kept_of(values, tau)
    unsure = [j for j, p in enumerate(chances) if 0 < p < 1]
    sure = [j for j, p in enumerate(chances) if p == 1]
    law: dict[tuple[Fraction, ...], Fraction] = {}
    for choice in itertools.product((False, True), repeat=len(unsure)):
        mass = Fraction(1)
        for j, taken in zip(unsure, choice, strict=True):
            mass *= chances[j] if taken else 1 - chances[j]
        kept = sure + [j for j, taken in zip(unsure, choice, strict=True) if taken]
        columns = zip(*(values[j] for j in kept), strict=True)
        mean = tuple(Fraction(sum(column), len(kept)) for column in columns) if kept else (Fraction(0),) * 2
        law[mean] = law.get(mean, Fraction(0)) + mass
    return law


def check_lines(point: Point) -> Iterator[Evidence]:
    """Score and probabilities of random lattice datasets, in every form in which the program takes them."""
    rng = point.rng
    worst = {"one by one": 0.0, "many at once": 0.0, "rows with weights": 0.0}
    for n, d, unit in itertools.product(range(1, 14), (1, 2, 3, 6), (2.0**-6, 1.0)):
        data = rng.integers(0, 1 + rng.integers(3, 12), size=(4, n, d))
        stated = [(score_of(x.tolist(), TAU), kept_of(x.tolist(), TAU)) for x in data]
        alone = [look(np.asarray(unit * x, dtype=float), unit * TAU) for x in data]
        worst["one by one"] = max(
            worst["one by one"],
            *(_error(seen.score, seen.kept, *each) for seen, each in zip(alone, stated, strict=True)),
        )
        batch = look(np.asarray(unit * data, dtype=float), unit * TAU)
        worst["many at once"] = max(
            worst["many at once"],
            *(_error(batch.score[k], batch.kept[k], *each) for k, each in enumerate(stated)),
        )
        weights = rng.integers(0, 4, size=n) + (np.arange(n) == 0)
        users = np.repeat(data[0], weights, axis=0).tolist()
        rows = look(unit * data[0], unit * TAU, weights)
        chances = np.repeat(rows.kept, weights)
        error = _error(rows.score, chances, score_of(users, TAU), kept_of(users, TAU))
        worst["rows with weights"] = max(worst["rows with weights"], error)
    # two users whose coordinates are all near, and who are not: √20 apart, where τ is 4
    corners = np.array([[0.0] * 6, [2.0] * 5 + [0.0]])
    yield equals(
        "score of two users √20 apart in five coordinates, τ = 4", float(look(corners, TAU).score), 1.0
    )
    for name, error in worst.items():
        yield at_most(f"largest error of score and probabilities, {name}", error, 1e-12)
    yield at_most("largest error, datasets in blocks", _blocks(rng), 1e-12)


def _error(score: Array, kept: Array, stated: Fraction, chances: Sequence[Fraction]) -> float:
    """Largest difference of a score and its probabilities from what the lines say."""
    return max(abs(float(score) - float(stated)), *np.abs(kept - np.array(chances, dtype=float)))


def _blocks(rng: np.random.Generator) -> float:
    """Largest error on 13 datasets of 700 users, whose 6·10⁶ pairs the program looks at in blocks."""
    from scipy.spatial.distance import cdist

    data = rng.integers(0, 14, size=(13, 700, 2)).astype(float)
    seen = look(data, TAU)
    worst = 0.0
    for k, users in enumerate(data):
        near, wide = (cdist(users, users, "sqeuclidean") <= r**2 for r in (TAU, 2 * TAU))
        chances = np.clip((wide.sum(axis=1) - 350.0) * 6.0 / 700.0, 0.0, 1.0)
        worst = max(
            worst, abs(float(seen.score[k]) - near.sum() / 700.0), float(np.abs(seen.kept[k] - chances).max())
        )
    return worst


def check_means(point: Point) -> Iterator[Evidence]:
    """The law of the mean: for one dataset, for rows with weights and for one dataset a run."""
    runs, rng = point.samples, point.rng
    ways = list(itertools.product((SPLIT, SPREAD), ("users", "weights", "runs")))
    levels = point.split(len(ways) + 2)
    for way in ("users", "weights"):
        yield _nearly_all(way, runs, levels.pop(), rng)
    for (users, way), alpha in zip(ways, levels, strict=True):
        law = mean_law(users.tolist(), TAU)
        shift = np.zeros(runs)
        if way == "users":
            query = look(users.astype(float), TAU)
        elif way == "weights":
            rows, weights = np.unique(users, axis=0, return_counts=True)
            query = look(rows.astype(float), TAU, weights)
        else:
            shift = 1000.0 * np.arange(runs)  # every run has its own dataset
            query = look(users + shift[:, None, None], TAU)
        found = kept_mean(query, runs, rng)
        empty = (found == 0.0).all(axis=1)
        found = np.where(empty[:, None], 0.0, found - shift[:, None])
        name = f"{'two clusters' if users is SPLIT else 'a spread'}, {way}"
        cells = {mean: chance for mean, chance in law.items() if chance > Fraction(1, 250)}
        hits = {mean: (np.abs(found - np.array(mean, dtype=float)) < 1e-6).all(axis=1) for mean in law}
        strange = runs - int(np.sum(list(hits.values())))
        yield equals(f"means that no subset has, {name}", strange, 0)
        for mean, chance in cells.items():
            text = ", ".join(str(x) for x in mean)
            yield mean_equals(
                f"P(mean = ({text})), {name}", hits[mean].astype(float), float(chance),
                alpha=alpha / len(cells), method="clopper-pearson",
            )  # fmt: skip


def _nearly_all(way: str, runs: int, alpha: float, rng: np.random.Generator) -> Evidence:
    """P(mean = centre) where nearly all users are kept: as many of the first 31 as of the last 31."""
    rows, weights = np.unique(NEARLY, axis=0, return_counts=True)
    query = look(NEARLY.astype(float), TAU) if way == "users" else look(rows.astype(float), TAU, weights)
    kept = kept_of(NEARLY.tolist(), TAU)[0]
    law = [math.comb(31, k) * kept**k * (1 - kept) ** (31 - k) for k in range(32)]
    centred = np.abs(kept_mean(query, runs, rng)[:, 0] - 8.0) < 1e-9
    return mean_equals(
        f"P(mean = centre), nearly all kept, {way}", centred.astype(float), float(sum(p * p for p in law)),
        alpha=alpha, method="clopper-pearson",
    )  # fmt: skip


def check_clusters(point: Point) -> Iterator[Evidence]:
    """Score, probabilities, law of the mean and of transcripts of clusters, as other checks compute them."""
    small = np.array([[0, 0]] * 4 + [[8, 0]] * 3 + [[16, 0]] * 5)
    far = np.array([[0, 0]] * 6 + [[1, 0]] * 3 + [[90, 0]] * 3)
    for name, users in (("kept by chance", small), ("two clusters", SPLIT), ("some dropped", far)):
        rows, weights = np.unique(users, axis=0, return_counts=True)
        data = clusters.as_clusters(rows, weights)
        values = users.tolist()
        stated = kept_of(values, TAU)
        yield equals(f"number of users, {name}", data.users, len(values))
        yield equals(f"score, {name}", clusters.score(data, TAU), float(score_of(values, TAU)))
        chances = np.repeat(clusters.kept_probabilities(data, TAU), weights)
        order = np.lexsort(users.T[::-1])
        error = float(np.abs(chances - np.array(stated, dtype=float)[order]).max())
        yield at_most(f"largest error of a probability to be kept, {name}", error, 1e-12)
        mass, means = clusters.mean_law(data, TAU)
        law = mean_law(values, TAU)
        error = max(
            abs(float(mass[np.abs(means - np.array(mean, dtype=float)).max(axis=1) < 1e-9].sum()) - float(p))
            for mean, p in law.items()
        )
        yield at_most(f"largest error of the law of the mean, {name}", error, 1e-12)
        yield equals(f"mass of the law of the mean, {name}", float(mass.sum()), 1.0)
        plan = Plan(n=12, queries=1, tau=float(TAU), budget=0.8, threshold=9.6, noise=0.3)
        passed = passing([float(score_of(values, TAU)) - 9.6], 0.8)
        yield equals(f"P(⊤) over the integral, {name}", clusters.answer_probability(data, plan) / passed, 1.0)
    moved = np.array([[0, 0]] * 6 + [[2, 0]] * 3 + [[90, 0]] * 3)  # another mean, and nobody kept by chance
    plan = Plan(n=12, queries=3, tau=float(TAU), budget=0.8, threshold=6.0, noise=0.3)
    pair = clusters.transcript_pair(
        [_grouped(far), _grouped(far), _grouped(CLOSE)],
        [_grouped(moved), _grouped(far), _grouped(APART)],
        plan,
    )
    sequences = ((far, far, CLOSE), (moved, far, APART))
    gaps = [[float(score_of(x.tolist(), TAU)) - 6.0 for x in sequence] for sequence in sequences]
    for name, found, gap in zip("DE", (pair.halting, pair.halting_of_neighbour), gaps, strict=True):
        error = float(np.abs(found - printed_law(gap, 0.8)).max())
        yield at_most(f"largest error of the halting law of a transcript, dataset {name}", error, 1e-12)
    kept = [[mean_law(x.tolist(), TAU) for x in sequence] for sequence in sequences]
    means = [[np.array(next(iter(law)), dtype=float) for law in laws] for laws in kept]
    squares = [float(((a - b) ** 2).sum()) for a, b in zip(*means, strict=True)]
    # a run that halts at query k has shown the answers before it, one that never halts all of them
    shown = np.sqrt([0.0, squares[0], squares[0] + squares[1], sum(squares)]) / 0.3
    yield at_most("largest error of μ of a transcript", float(np.abs(pair.mu - shown).max()), 1e-9)


def _grouped(users: Array) -> clusters.Clusters:
    """Users as clusters of equal values."""
    rows, weights = np.unique(users, axis=0, return_counts=True)
    return clusters.as_clusters(rows, weights)


def check_transcripts(point: Point) -> Iterator[Evidence]:
    """Halting times and noise of three adaptive queries; what halted runs show; the number of queries."""
    runs, epsilon, delta, queries = point.samples, 2.0, 0.1, 3
    plan = printed_plan(12, queries, epsilon, delta, float(TAU))
    logs = (epsilon / 2.0 + math.log(queries / delta)) * (epsilon / 2.0 + math.log(1.0 / delta))
    noise = TAU * math.sqrt(8.0 * queries * logs) / (12 * epsilon)
    for name, found, stated in (
        ("noise of line 14", plan.noise, noise), ("budget of line 5", plan.budget, epsilon / 2.0),
        ("threshold of line 5", plan.threshold, 4.0 * 12 / 5.0), ("radius", plan.tau, TAU),
        ("number of queries", plan.queries, queries), ("number of users", plan.n, 12),
    ):  # fmt: skip
        yield equals(name, float(found), float(stated))
    run = OutlierRemovingMean(plan, runs, point.rng)
    data, shift = (CLOSE, APART, CLOSE), np.zeros((runs, 1))
    answered, residuals = np.zeros(runs, dtype=int), []
    wrong, before = 0, np.ones(runs, dtype=bool)
    for users in data:
        answer = run.answer(users[None] + shift[:, None, :])
        wrong += int(
            (answer.running & ~before).sum() + (answer.values[~answer.running] != 0.0).any(axis=1).sum()
        )
        before, answered = answer.running.copy(), answered + answer.running
        residuals.append((answer.values - users.mean(axis=0) - shift) / noise)
        shift = np.where(
            answer.running[:, None], np.round(answer.values[:, :1]), 0.0
        )  # the next query depends on it
    yield equals("runs that answer after ⊥ or show more than 0", wrong, 0)
    refused = 0
    try:
        run.answer(CLOSE.astype(float))
    except ValueError:
        refused = 1
    yield equals("queries beyond T that are refused", refused, 1)
    gaps = [float(score_of(users.tolist(), TAU)) - plan.threshold for users in data]
    halts = [(f"P({t} answers)", answered == t, p) for t, p in enumerate(printed_law(gaps, epsilon / 2.0))]
    kept = residuals[2][before], residuals[0][before], residuals[1][before]
    pairs = {
        "two coordinates": kept[0][:, 0] * kept[0][:, 1], "two queries": kept[1][:, 0] * kept[2][:, 0],
        "two runs": kept[0][0 : len(kept[0]) // 2 * 2 : 2, 1] * kept[0][1::2, 1][: len(kept[0]) // 2],
    }  # fmt: skip
    halts += [(f"P(equal signs of the noise), {name}", product > 0.0, 0.5) for name, product in pairs.items()]
    fresh = OutlierRemovingMean(plan, runs, point.rng, instance="fresh")
    for users in data:
        last = fresh.answer(users.astype(float))
    each = math.prod(passing([gap], epsilon / 2.0) for gap in gaps)
    halts.append(("P(3 answers), one AboveThreshold a query", last.running, each))
    # the kept users of `SPLIT` all have second coordinate 0, whoever and however many they are
    removing = OutlierRemovingMean(plan, runs, point.rng).answer(SPLIT.astype(float))
    # the mean of `SPREAD` lies above the axis if its fourth user is kept, or its second and not its third
    quiet = OutlierRemovingMean(replace(plan, noise=1e-9, threshold=-1e9), runs, point.rng)
    above = [quiet.answer(SPREAD.astype(float)).values[:, 1] > 0.01 for _ in range(2)]
    half = runs // 2
    halts.append(("P(the mean of the kept users lies above the axis)", above[0], 0.625))
    halts.append(("the same in two queries", above[0] & above[1], 0.625**2))
    halts.append(("the same in two runs far apart", above[0][:half] & above[0][-half:], 0.625**2))
    lonely = removing.values[removing.running, 1] / noise
    levels = point.split(len(halts) + 11)
    for name, hits, chance in halts:
        yield mean_equals(
            name, hits.astype(float), float(chance), alpha=levels.pop(), method="clopper-pearson"
        )
    from scipy.special import ndtr

    for t, noises in enumerate(residuals):
        seen = noises[answered > t]
        for column in range(2):
            name = f"noise of query {t + 1}, coordinate {column + 1}"
            yield drawn_from(name, seen[:, column], ndtr, alpha=levels.pop())
        moment = (seen**2).mean(axis=1)
        yield mean_equals(f"its second moment, query {t + 1}", moment, 1.0, alpha=levels.pop())
    yield drawn_from("noise where users are removed", lonely, ndtr, alpha=levels.pop())
    yield mean_equals("its second moment, users removed", lonely**2, 1.0, alpha=levels.pop())


CLAIM = Claim(
    PAPER,
    "Algorithm 1",
    "section 3",
    kind=Kind.IDENTITY,
    title="Outlier removal, line by line: scores and selections",
    statement=r"For every dataset the program's score is "
    r"$\frac1n\sum_{Z,Z'}\mathbf 1(\|q(Z)-q(Z')\|\le\tau)$, and its selection probabilities are $0$ for "
    r"$f<n/2$, $1$ for $f\ge2n/3$ and $(f-n/2)/(n/6)$ between, with $f$ the number of users within $2\tau$.",
    role="program",
    expected=CONFIRMED,
    check=check_lines,
    smoke=grid(batch=(1,)),
    ci=grid(batch=(1, 2, 3)),
)
MEANS = CLAIM.reading(
    "means",
    title="Outlier removal, line by line: the mean of the kept users",
    expected=CONSISTENT,
    statement=r"The program's mean has the law of $\frac1{|S|}\sum_{Z\in S}q(Z)$ (0 for the empty set), each "
    r"user in $S$ on her own with her selection probability.",
    check=check_means,
    smoke=grid(samples=(20_000,)),
    ci=grid(samples=(100_000,)),
    largest_resolution=0.02,
)
TRANSCRIPTS = CLAIM.reading(
    "transcripts",
    title="Outlier removal, line by line: transcripts",
    expected=CONSISTENT,
    statement=r"Whole transcripts of the program: AboveThreshold with one threshold, budget "
    r"$\varepsilon/2$ and $\Delta=4n/5$; answers with independent noise of variance "
    r"$8\tau^2T\log(e^{\varepsilon/2}T/\delta)\log(e^{\varepsilon/2}/\delta)/(n^2\varepsilon^2)$; 0 from the "
    r"halt on.",
    check=check_transcripts,
    smoke=grid(samples=(120_000,)),
    ci=grid(samples=(300_000,)),
    largest_resolution=0.07,
)
CLUSTERS = CLAIM.reading(
    "clusters",
    title="Outlier removal, line by line: the laws of clusters",
    statement=r"Score, selection probabilities, law of the mean, halting law and distances of the means "
    r"of datasets of few clusters, as other checks compute them, are those of the printed lines.",
    check=check_clusters,
    smoke=grid(),
    ci=grid(),
)
CLAIMS = [MEANS, TRANSCRIPTS, CLUSTERS]
