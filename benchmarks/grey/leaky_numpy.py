"""Programs in NumPy that break their claim in `cases.csv`, at the lines marked `# leak`."""

import numpy as np

AGES = np.array([12.0, 35, 47, 51, 60, 8, 77, 90])
REPLACED = [(AGES, np.array([12.0, 35, 47, 51, 60, 8, 77, 3]))]
OUTLIER = [(AGES, np.array([12.0, 35, 47, 51, 60, 8, 77, 5000]))]
ADDED = [(AGES, AGES[:-1]), (AGES, AGES[1:])]
ANSWERS = [(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]))]
VOTES = [(np.array([0] * 5 + [1] * 5), np.array([0] * 4 + [1] * 6))]
LINES = np.array([[0.0, 0.0]] * 9 + [[1.0, -100.0]])
REGRESSION = [(LINES, LINES[:-1])]
POINTS = np.array([[0.1, 0.2], [0.15, 0.1], [0.8, 0.9], [0.9, 0.7], [0.85, 0.8], [0.5, 0.4]])
MOVED = [(POINTS, np.vstack([POINTS[:-1], [[0.05, 0.95]]]))]
COLUMNS = [(np.eye(6, 5), np.vstack([np.eye(6, 5)[:-1], np.ones((1, 5))]))]


def scale_from_range(data, rng):
    return data.mean() + rng.laplace(scale=np.ptp(data) / len(data))  # leak


def clipped_to_percentiles(data, rng):
    low, high = np.percentile(data, [5, 95])  # leak
    mean = np.clip(data, low, high).mean()
    return mean + rng.laplace(scale=(high - low) / len(data))  # leak


def mean_of_unknown_size(data, rng):
    return np.clip(data, 0, 100).mean() + rng.laplace(scale=100 / len(data))  # leak


def count_beside_the_sum(data, rng):
    total = np.clip(data, 0, 100).sum() + rng.laplace(scale=100.0)
    return {
        "sum": total,
        "people": len(data),  # leak
    }


def one_noise_for_two_sums(data, rng):
    clipped = np.clip(data / 100, 0, 1)
    noise = rng.laplace(scale=2.0)
    first = clipped.sum() + noise
    second = (clipped**2).sum() + noise  # leak
    return first, second


def averaged_noise(data, rng):
    count = (data > 40).sum()
    answers = [count + rng.laplace(scale=1.0) for _ in range(5)]  # leak
    return np.mean(answers)


def seeded_inside(data):
    rng = np.random.default_rng(42)  # leak
    return len(data) + rng.laplace(scale=1.0)  # leak


def a_value_for_each_record(data, rng):
    noisy = []
    for age in np.clip(data, 0, 100):
        noisy.append(age + rng.laplace(scale=100.0))
    return noisy  # leak


def threshold_noise_only(data, rng):
    threshold = 3 + rng.laplace(scale=2.0)
    return [bool((data == answer).sum() >= threshold) for answer in (0, 1)]  # leak


def answers_without_end(data, rng):
    above = []
    for age in range(0, 80, 10):
        noisy = (data >= age).sum() + rng.laplace(scale=4.0)  # leak
        above.append(bool(noisy >= 12))
    return above


def clipped_gradients(rows, weight):
    gradients = (rows[:, 0] * weight - rows[:, 1]) * rows[:, 0]
    return np.clip(gradients, -1, 1)


def batches_in_order(data, rng, *, sigma=1.0):
    weight, history = 0.0, []
    for start in range(0, 12, 3):
        batch = data[start : start + 3]
        noisy = clipped_gradients(batch, weight).sum() + rng.normal(0, sigma)  # leak
        weight -= 0.1 * noisy
        history.append(weight)
    return history


def sampled_for_show(data, rng, *, rate=0.25, sigma=1.0):
    batch = data[rng.random(len(data)) < rate]
    batch = clipped_gradients(data, 0.0)  # leak
    return -0.1 * (batch.sum() + rng.normal(0, sigma))  # leak


def one_batch_for_all_steps(data, rng, *, rate=0.1, sigma=2.0):
    weight, history = 0.0, []
    batch = data[rng.random(len(data)) < rate]  # leak
    for _ in range(8):
        noisy = clipped_gradients(batch, weight).sum() + rng.normal(0, sigma)  # leak
        weight -= 0.1 * noisy
        history.append(weight)
    return history


def centres_from_records(data, rng):
    centres = data[rng.choice(len(data), size=2, replace=False)]  # leak
    nearest = ((data[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    for j in range(2):
        members = data[nearest == j]
        count = len(members) + rng.laplace(scale=4.0)
        if count >= 1:
            centres[j] = (members.sum(axis=0) + rng.laplace(scale=8.0, size=2)) / count
    return centres  # leak


def bins_from_data(data, rng):
    counts, _ = np.histogram(data, bins=10)  # leak
    return counts + rng.laplace(scale=2.0, size=10)  # leak


def truth_instead_of_negative(data, rng):
    elderly = (data > 80).sum()
    noisy = elderly + rng.laplace(scale=1.0)
    if noisy < 0:
        noisy = float(elderly)  # leak
    return noisy


def clamped_to_size(data, rng):
    noisy = (data > 10).sum() + rng.laplace(scale=1.0)
    return np.clip(noisy, 0, len(data))  # leak


def gaussian_like_laplace(data, rng):
    return len(data) + rng.normal(scale=1.0)  # leak


def five_means(data, rng):
    return np.clip(data, 0, 1).mean(axis=0) + rng.laplace(scale=1 / len(data), size=5)  # leak


def exponential_without_half(data, rng):
    weights = np.exp(np.bincount(data, minlength=2))
    return int(rng.choice(2, p=weights / weights.sum()))  # leak
