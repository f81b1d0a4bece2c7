"""One run of DP-SGD on a logistic regression, with canaries: prints score and coin of each.

    python examples/dp_sgd_canaries.py > scores.csv
    dpclaims canaries scores.csv --mu 1 --alpha 0.05

Every step clips each record's gradient to length 1 and adds N(0, σ²) to their sum: T steps are μ-GDP for
μ = √T/σ when a record is added or removed. A canary is a record with a random direction as features and a
random label; its score is what the noisy gradients have in common with its own. With the argument `slip`
every step has noise as if it were the only one.
"""

import sys

import numpy as np

CANARIES, RECORDS, FEATURES, STEPS, MU, RATE = 500, 500, 4_000, 30, 1.0, 0.05


def train(noise, coins, rng):
    """The scores of the canaries after one training run that holds those whose coin shows 1."""
    x = rng.normal(size=(RECORDS, FEATURES)) / np.sqrt(FEATURES)
    y = np.where(x[:, :20].sum(axis=1) > 0.0, 1.0, -1.0)
    canaries = rng.normal(size=(CANARIES, FEATURES))
    canaries *= 10.0 / np.linalg.norm(canaries, axis=1, keepdims=True)
    labels = rng.choice([-1.0, 1.0], CANARIES)
    theta, scores = np.zeros(FEATURES), np.zeros(CANARIES)
    for _ in range(STEPS):
        of_data, of_canaries = gradients(theta, x, y), gradients(theta, canaries, labels)
        released = of_data.sum(axis=0) + coins @ of_canaries + noise * rng.normal(size=FEATURES)
        scores += of_canaries @ released
        theta -= RATE * released / RECORDS
    return scores


def gradients(theta, x, y):
    """The clipped gradient of the logistic loss for each record."""
    found = (-y / (1.0 + np.exp(y * (x @ theta))))[:, None] * x
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1.0)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    coins = rng.random(CANARIES) < 0.5
    noise = (1.0 if "slip" in sys.argv else np.sqrt(STEPS)) / MU
    print("score,included")
    for score, coin in zip(train(noise, coins, rng), coins, strict=True):
        print(f"{score:.6f},{int(coin)}")
