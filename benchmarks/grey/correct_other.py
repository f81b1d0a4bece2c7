"""Programs with the standard library, SciPy, pandas and estimators that keep their claim in `cases.csv`."""

import math
import random
import secrets
from collections import Counter

import numpy as np
import pandas as pd
from scipy import stats

WORDS = ["tea"] * 20 + ["milk"] * 14 + ["absinthe"]
RARE = [(WORDS, WORDS[:-1]), (WORDS, WORDS[1:])]
TIE = [(["x"] * 6 + ["y"] * 5, ["x"] * 5 + ["y"] * 5), (["x"] * 40 + ["y"] * 2, ["x"] * 40 + ["y"])]
BITS = [([1, 0, 1, 1, 0], [1, 0, 0, 1, 0]), ([0, 0, 0, 0, 0], [0, 0, 0, 0, 1])]
AGES = [12, 35, 47, 51, 60, 8, 77, 90]
ADDED = [(AGES, AGES[:-1]), (AGES, AGES[1:])]
REPLACED = [(AGES, AGES[:-1] + [3])]
PEOPLE = pd.DataFrame({"city": ["Bern", "Bern", "Graz", "Lyon", "Graz"], "income": [30, 120, 55, 80, 10]})
TABLES = [(PEOPLE, PEOPLE.iloc[:-1]), (PEOPLE, PEOPLE.iloc[1:])]
X = np.array([[0.1, 3.0], [0.9, 4.0], [0.4, 1.0], [0.5, 5.0]])
MATRICES = [(X, np.vstack([X[:-1], [[1.0, 0.0]]]))]
CITIES = ["Bern", "Graz", "Lyon", "Pisa"]


def partition_selection(data, rng, *, delta=1e-5):
    threshold = 1 + math.log(1 / (2 * delta))
    released = {}
    for key, count in sorted(Counter(data).items()):
        noisy = count + rng.laplace(scale=1.0)
        if noisy > threshold:
            released[key] = noisy
    return released


def stable_mode(data, rng, *, delta=1e-5):
    second, top = sorted("xyz", key=data.count)[1:]
    gap = data.count(top) - data.count(second) + rng.laplace(scale=1.0)
    return top if gap > 1 + math.log(1 / (2 * delta)) else None


def inverse_cdf(data):
    u = random.random() - 0.5
    noise = -math.copysign(math.log(1 - 2 * abs(u)), u)
    return len(data) + noise


def laplace_ppf(data, rng):
    return sum(age >= 18 for age in data) + stats.laplace.ppf(rng.uniform(), scale=1.0)


def redrawn_into_range(data, rng):
    mean = sum(min(max(age, 0), 100) for age in data) / len(data) / 100
    while True:
        noisy = mean + rng.laplace(scale=2 / len(data))
        if 0 <= noisy <= 1:
            return noisy


def discrete_gaussian(data, *, sigma=5.0):
    t = math.floor(sigma) + 1
    while True:
        size = int(-math.log(1 - random.random()) * t)
        negative = random.random() < 0.5
        if negative and size == 0:
            continue
        if random.random() < math.exp(-((size - sigma**2 / t) ** 2) / (2 * sigma**2)):
            return len(data) + (-size if negative else size)


def secret_coins(data):
    return [bit if secrets.randbelow(4) < 3 else 1 - bit for bit in data]


def shuffled_reports(data):
    reports = [bit if random.random() < 0.75 else 1 - bit for bit in data]
    random.shuffle(reports)
    return reports


def income_by_city(data, rng):
    cities = data.assign(income=data["income"].clip(0, 100)).groupby("city")["income"]
    table = cities.agg(["size", "sum"]).reindex(CITIES, fill_value=0).astype(float)
    table["size"] += rng.laplace(scale=2.0, size=len(table))
    table["sum"] += rng.laplace(scale=200.0, size=len(table))
    return (table["sum"] / table["size"].clip(lower=1)).round(2)


class PrivateScaler:
    """Centres columns by private means, between bounds that the caller knows."""

    def __init__(self, lower, upper, epsilon, rng):
        self.lower, self.upper, self.epsilon, self.rng = np.array(lower), np.array(upper), epsilon, rng

    def fit(self, X):
        clipped = np.clip(X, self.lower, self.upper)
        scale = (self.upper - self.lower) * X.shape[1] / (len(X) * self.epsilon)
        self.mean_ = clipped.mean(axis=0) + self.rng.laplace(scale=scale)
        return self


def scaler(data, rng):
    return PrivateScaler([0, 0], [1, 5], 1.0, rng).fit(data).mean_
