"""Programs in NumPy that keep their claim in `cases.csv`, where the reason stands."""

import numpy as np
from scipy import optimize, stats

AGES = np.array([12.0, 35, 47, 51, 60, 8, 77, 90])
REPLACED = [
    (AGES, np.array([12.0, 35, 47, 51, 60, 8, 77, 3])),
    (AGES, np.array([99.0, 35, 47, 51, 60, 8, 77, 90])),
]
ADDED = [(AGES, AGES[:-1]), (AGES, AGES[1:])]
POINTS = np.array([[0.1, 0.2], [0.15, 0.1], [0.8, 0.9], [0.9, 0.7], [0.85, 0.8], [0.5, 0.4], [0.0, 1.0]])
ROWS = [(POINTS, POINTS[:-1]), (POINTS, POINTS[1:])]
VOTES = np.array([0, 0, 0, 1, 1, 1, 2, 3])
BALLOTS = [(VOTES, VOTES[:-1]), (VOTES, VOTES[1:])]
STREAM = [(np.array([0, 1, 1, 0, 1, 0, 0, 1]), np.array([0, 1, 0, 0, 1, 0, 0, 1]))]


def clamped_mean(data, rng):
    return np.clip(data, 0, 100).mean() + rng.laplace(0, 100 / len(data))


def mean_of_sum_and_count(data, rng):
    total = np.clip(data, 0, 100).sum() + rng.laplace(scale=200.0)
    count = len(data) + rng.laplace(scale=2.0)
    return total / max(count, 1.0)


def histogram(data, rng):
    counts, _ = np.histogram(data, bins=10, range=(0, 100))
    return np.maximum(0, np.round(counts + rng.laplace(scale=1.0, size=10)))


def median_by_intervals(data, rng):
    edges = np.concatenate([[0.0], np.sort(np.clip(data, 0, 100)), [100.0]])
    utility = -np.abs(np.arange(len(data) + 1) - len(data) / 2)
    weights = np.diff(edges) * np.exp(utility / 2)
    chosen = rng.choice(len(weights), p=weights / weights.sum())
    return rng.uniform(edges[chosen], edges[chosen + 1])


def first_above_threshold(data, rng, *, limit=3):
    threshold = limit + rng.laplace(scale=2.0)
    for age in range(90, 0, -10):
        if (data >= age).sum() + rng.laplace(scale=4.0) >= threshold:
            return age
    return None


def full_batch_descent(data, rng):
    weights = np.zeros(2)
    for _ in range(5):
        gradients = data - weights
        gradients /= np.maximum(1.0, np.linalg.norm(gradients, axis=1, keepdims=True))
        weights = weights + 0.1 * (gradients.sum(axis=0) + rng.normal(scale=10.0, size=2))
    return weights


def dp_sgd_poisson(data, rng, *, rate=0.25, sigma=2.0):
    weights = np.zeros(2)
    for _ in range(10):
        batch = data[rng.random(len(data)) < rate]
        gradients = batch - weights
        gradients /= np.maximum(1.0, np.linalg.norm(gradients, axis=1, keepdims=True))
        weights = weights + 0.2 * (gradients.sum(axis=0) + rng.normal(0, sigma, size=2))
    return weights


def k_means(data, rng):
    data, centres = np.clip(data, 0, 1), np.array([[0.25, 0.25], [0.75, 0.75]])
    for _ in range(3):
        nearest = ((data[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for j in range(2):
            members = data[nearest == j]
            count = max(1.0, len(members) + rng.laplace(scale=6.0))
            centres[j] = (members.sum(axis=0) + rng.laplace(scale=12.0, size=2)) / count
    return np.clip(centres, 0, 1)


def sampled_without_replacement(data, rng):
    sample = rng.choice(data, size=len(data) // 4, replace=False)
    return (np.clip(sample, 0, 100) / 100).sum() + rng.laplace(scale=0.5)


def private_pca(data, rng, *, delta=1e-5):
    rows = data / np.maximum(1.0, np.linalg.norm(data, axis=1, keepdims=True))
    noise = np.triu(rng.normal(scale=np.sqrt(2 * np.log(1.25 / delta)), size=(2, 2)))
    _, vectors = np.linalg.eigh(rows.T @ rows + noise + np.triu(noise, 1).T)
    return vectors[:, -1]


def noisy_max(data, rng):
    counts = np.bincount(data, minlength=4)
    return int(np.argmax(counts + rng.laplace(scale=1.0, size=4)))


def permute_and_flip(data, rng):
    counts = np.bincount(data, minlength=4)
    for option in rng.permutation(4):
        if rng.random() < np.exp((counts[option] - counts.max()) / 2):
            return int(option)


def tree_counter(data, rng):
    levels = [data.reshape(-1, 2**k).sum(axis=1) for k in range(4)]
    noisy = [level + rng.laplace(scale=4.0, size=len(level)) for level in levels]
    prefixes = []
    for t in range(1, 9):
        start, total = 0, 0.0
        for k in (3, 2, 1, 0):
            if t & 2**k:
                total += noisy[k][start >> k]
                start += 2**k
        prefixes.append(total)
    return prefixes


def adaptive_second_question(data, rng):
    people = len(data) + rng.laplace(scale=2.0)
    if people > 7:
        return people, np.clip(data, 0, 100).sum() + rng.laplace(scale=200.0)
    return people, (data > 50).sum() + rng.laplace(scale=2.0)


def learn_and_test(data, rng):
    order = rng.permutation(len(data))
    half = len(data) // 2
    learn, test = data[order[:half]], data[order[half:]]
    cut = np.clip(learn, 0, 100).mean() + rng.laplace(scale=100 / half)
    accuracy = (test > cut).mean() + rng.laplace(scale=1 / half)
    return cut, accuracy


def analytic_gaussian(data, rng, *, epsilon=1.0, delta=1e-6):
    def excess(sigma):
        a, b = 1 / (2 * sigma), epsilon * sigma
        return stats.norm.cdf(a - b) - np.exp(epsilon) * stats.norm.cdf(-a - b) - delta

    sigma = 1.001 * optimize.brentq(excess, 0.1, 100)
    rows = data / np.maximum(1.0, np.linalg.norm(data, axis=1, keepdims=True))
    return rows.sum(axis=0) + rng.normal(scale=sigma, size=2)


def public_split(data, rng):
    half = len(data) // 2
    kept = np.random.default_rng(0).permutation(len(data))[:half]
    return np.clip(data[kept], 0, 100).mean() + rng.laplace(scale=100 / half)


def two_geometrics(data, rng):
    p = 1 - np.exp(-1.0)
    return int((data > 40).sum()) + int(rng.geometric(p)) - int(rng.geometric(p))
