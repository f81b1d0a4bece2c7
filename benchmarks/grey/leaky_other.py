"""Programs with the standard library and pandas that break their claim, at the lines marked `# leak`."""

import math
import random
import secrets
from collections import Counter

import numpy as np
import pandas as pd

WORDS = ["tea"] * 20 + ["milk"] * 14 + ["absinthe"]
RARE = [(WORDS, WORDS[:-1]), (WORDS, WORDS[1:])]
FIVE = [(["tea"] * 20 + ["milk"] * 5, ["tea"] * 20 + ["milk"] * 4)]
CLOSE = [(["tea"] * 20 + ["milk"] * 21, ["tea"] * 20 + ["milk"] * 20)]
BITS = [([1, 0, 1, 1, 0], [1, 0, 0, 1, 0])]
AGES = [12, 35, 47, 51, 60, 8, 77, 90]
ADDED = [(AGES, AGES[:-1])]
REPLACED = [(AGES, AGES[:-1] + [3])]
PEOPLE = pd.DataFrame({"city": ["Bern", "Bern", "Graz", "Graz", "Lyon"], "income": [30, 90, 55, 10, 80]})
TABLES = [(PEOPLE, PEOPLE.iloc[:-1])]
LABELLED = np.array([[0.1, 0], [0.2, 0], [0.9, 1], [0.7, 1], [0.5, 2]])
CLASSES = [(LABELLED, LABELLED[:-1])]


def seeded_by_the_data(data):
    random.seed(sum(data))  # leak
    return len(data) + random.expovariate(1.0) - random.expovariate(1.0)  # leak


def cities_that_occur(data, rng):
    counts = data["city"].value_counts().sort_index()  # leak
    noisy = counts + rng.laplace(scale=1.0, size=len(counts))  # leak
    return noisy.to_dict()  # leak


def threshold_on_the_truth(data, rng):
    released = {}
    for word in ("absinthe", "milk", "tea"):
        count = data.count(word)
        if count >= 5:  # leak
            released[word] = count + rng.laplace(scale=1.0)
    return released


def low_threshold(data, rng):
    released = {}
    for word, count in sorted(Counter(data).items()):
        noisy = count + rng.laplace(scale=1.0)
        if noisy > 3:  # leak
            released[word] = noisy
    return released


def most_common_first(data, rng, *, delta=1e-5):
    threshold = 1 + math.log(1 / (2 * delta))
    released = []
    for word, count in Counter(data).most_common():  # leak
        noisy = count + rng.laplace(scale=1.0)
        if noisy > threshold:
            released.append((word, noisy))
    return released


def coin_that_keeps_the_truth(data):
    reports = []
    for bit in data:
        if secrets.randbelow(4) < 3:  # leak
            reports.append(bit)
        else:
            reports.append(secrets.randbelow(2))  # leak
    return reports


def whole_noise_on_a_mean(data, rng):
    p = 1 - math.exp(-len(data) / 100)
    mean = sum(min(max(age, 0), 100) for age in data) / len(data)
    return mean + int(rng.geometric(p)) - int(rng.geometric(p))  # leak


class PrivateCentroids:
    """The nearest centroid, from noisy sums and counts of each class."""

    def fit(self, X, y, rng):
        self.classes_ = np.unique(y)  # leak
        self.centroids_ = np.empty(len(self.classes_))
        for i, label in enumerate(self.classes_):
            members = np.clip(X[y == label], 0, 1)
            count = max(1.0, len(members) + rng.laplace(scale=2.0))
            self.centroids_[i] = (members.sum() + rng.laplace(scale=2.0)) / count
        return self


def centroids(data, rng):
    model = PrivateCentroids().fit(data[:, 0], data[:, 1], rng)
    return model.classes_, model.centroids_  # leak
