"""Section 6: reading Cod-RNA, the preprocessing of appendix E, the accountants' bounds, and the trend
tests.
"""

import gzip
import math

import numpy as np
import pandas as pd
import pytest

from audits.evidence import Verdict, combine
from claims import Budget
from claims.song2021 import _cod_rna as cod
from claims.song2021 import section_6_figure_2 as figure
from claims.song2021 import section_6_privacy as privacy

GOOD = ["-1 1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8 9.5", "+1 0 0 0 0 1 1 1 1e-3"]


def write(folder, lines, name="cod-rna.txt"):
    file = folder / name
    file.write_text("\n".join(lines) + "\n")
    return file


def test_plain_sparse_and_gzip_files_read_the_same(tmp_path):
    dense = cod.read(write(tmp_path, GOOD))
    sparse = [
        " ".join([line.split()[0], *(f"{i}:{v}" for i, v in enumerate(line.split()[1:], 1) if float(v) != 0)])
        for line in GOOD
    ]
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress("\n".join(["", *sparse, ""]).encode()))
    for other in (cod.read(packed), cod.read(write(tmp_path, sparse, "sparse"))):
        assert (other.features == dense.features).all()
        assert (other.labels == dense.labels).all()
    assert dense.labels.tolist() == [-1.0, 1.0, 1.0]
    assert cod.read(tmp_path / "cod-rna.txt").source.startswith("Cod-RNA, 3 records")


def test_a_folder_stands_for_its_one_file(tmp_path):
    write(tmp_path, GOOD)
    assert len(cod.read(tmp_path).labels) == 3
    write(tmp_path, GOOD, "cod-rna.t")
    with pytest.raises(ValueError, match=r"expected one file.*cod-rna\.t"):
        cod.read(tmp_path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no records"),
        (["", " "], "no records"),
        ([*GOOD, "1 2 3"], "line 4: expected 8 features, got 2"),
        ([*GOOD, "1 1 2 3 4 5 6 7 8 9"], "line 4: expected 8 features, got 9"),
        ([GOOD[0], "1 1 2 nan 4 5 6 7 8"], "line 2: not a finite number: 'nan'"),
        ([GOOD[0], "1 1 2 inf 4 5 6 7 8"], "line 2: not a finite number"),
        ([GOOD[0], "", "1 1 2 x 4 5 6 7 8"], "line 3: not a number: 'x'"),
        (["2 1 2 3 4 5 6 7 8"], "line 1: the label"),
        ([*GOOD, "1 1:1 9:2"], "line 4: expected index:value"),
        ([*GOOD, "1 2:1 1:2"], "line 4: expected index:value"),
        ([*GOOD, "1 1:1 2:"], "line 4: not a number: ''"),
        ([GOOD[0], GOOD[0]], "all 2 labels"),
        ([GOOD[0], "1 1 3 4 5 6 7 8 9"], "feature 1 has one value"),
        (["-1 1 2 3 4 5 6 7 é"], "line 1: not a text file"),
    ],
)
def test_bad_files_are_named_with_the_line(tmp_path, lines, message):
    file = write(tmp_path, lines)
    with pytest.raises(ValueError, match=message) as error:
        cod.read(file)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def test_broken_gzip_files_and_missing_files_are_named(tmp_path):
    whole = gzip.compress(("\n".join(GOOD * 50)).encode())
    for name, content in (("cut.gz", whole[:-30]), ("garbled.gz", whole[:30] + b"\0" * 40 + whole[70:])):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="gzip") as error:
            cod.read(tmp_path / name)
        assert name in str(error.value)
    with pytest.raises(ValueError, match="no such file"):
        cod.read(tmp_path / "absent")
    with pytest.raises(ValueError, match="expected one file"):
        cod.read(tmp_path)


def test_preprocessing_is_that_of_appendix_e():
    rng = np.random.default_rng(1)
    training = cod.Records(rng.standard_normal((200, 8)) * 7 + 3, np.ones(200), "")
    other = cod.Records(rng.standard_normal((50, 8)) * 30, np.ones(50), "")
    features, test = cod.preprocess(training, other)
    assert features.shape == (200, 9)
    assert (features[:, 8] == 1 / 3).all()
    assert np.linalg.norm(features, axis=1).max() <= 1 + 1e-12
    assert np.linalg.norm(test, axis=1).max() <= 1 + 1e-12
    # by hand for one record, whose norm is within the ball
    raw, low, high = training.features[0], training.features.min(axis=0), training.features.max(axis=0)
    scaled = (raw - low) / (high - low) - 0.5
    norm = np.linalg.norm(scaled)
    assert np.allclose(features[0, :8], scaled * min(1.0, math.sqrt(8) / 3 / norm))


def test_the_stand_in_has_the_size_and_shape_and_the_split_parts_it():
    rng = np.random.default_rng(2)
    records = cod.load(None, rng)
    assert records.features.shape == (cod.RECORDS, cod.FEATURES)
    assert (records.labels == 1.0).sum() == 19_845
    training, held = cod.split(records, rng)
    assert len(training.labels) + len(held.labels) == cod.RECORDS
    assert np.allclose(
        np.sort(np.concatenate([training.features[:, 0], held.features[:, 0]])),
        np.sort(records.features[:, 0]),
    )


def test_fixed_size_batches_under_replacement_against_dp_accounting():
    # All other gradients +1: the subsampled Gaussian of sensitivity 2. A coarse grid, bracketed.
    from dp_accounting.pld import privacy_loss_distribution as pld

    loss = pld.from_gaussian_mechanism(0.315, value_discretization_interval=1e-3, sampling_prob=250 / 59_535)
    upper = loss.self_compose(2381).get_epsilon_for_delta(1e-5)
    low = privacy.accounted("without-replacement", 10, 1e-4)[0]
    assert upper - 2.0 < low <= upper


def test_opposite_gradients_are_the_worst_pair_under_poisson_sampling_and_replacement():
    sigma, q = 0.63, 0.05
    x = np.linspace(-7 * sigma - 1, 7 * sigma + 1, 301)
    plane = np.stack(np.meshgrid(x, x), axis=-1)
    cell = (x[1] - x[0]) ** 2

    def density(mean):
        squares = ((plane - mean) ** 2).sum(axis=-1)
        return np.exp(-squares / (2 * sigma**2)) / (2 * math.pi * sigma**2)

    def stick(first, second, alpha):
        still = (1 - q) * density(np.zeros(2))
        gain = still + q * density(first) - alpha * (still + q * density(second))
        return float(np.maximum(gain, 0.0).sum() * cell)

    rng = np.random.default_rng(5)
    pair = privacy.dominating_replacement_pair(sigma, q)
    for alpha in (1.01, 1.1, 1.5):
        worst = stick(np.array([1.0, 0.0]), np.array([-1.0, 0.0]), alpha)
        assert np.maximum(pair.p - alpha * pair.q, 0.0).sum() == pytest.approx(worst, rel=1e-3)
        for _ in range(12):
            first, second = rng.standard_normal((2, 2))
            first, second = (v * rng.random() ** 0.3 / np.linalg.norm(v) for v in (first, second))
            assert stick(first, second, alpha) <= worst


def test_three_points_dominate_the_replaced_laplace_step():
    q, epsilon = 0.05, 1 / 0.57
    x = np.linspace(-15.0, 15.0, 200_001)
    still, first, second = (np.exp(-abs(x - m) * epsilon) * epsilon / 2 for m in (0.0, 1.0, -1.0))
    pair = privacy.three_points(epsilon, q)
    assert pair.p.sum() == pytest.approx(1.0)
    for alpha in (1.0, 1.05, 1.1, 1.2, 1.3):
        gain = (1 - q) * still + q * first - alpha * ((1 - q) * still + q * second)
        assert np.maximum(gain, 0.0).sum() * (x[1] - x[0]) <= np.maximum(pair.p - alpha * pair.q, 0.0).sum()


def made_up(gaussian, gamma):
    """40 runs a cell whose accuracy rises by so many points per decade of the dimension."""
    rng = np.random.default_rng(4)
    cases = (("gaussian", 1, gaussian), ("gamma", 1, gamma), ("gaussian", 0, 0.0), ("gamma", 0, gamma))
    rows = [pd.DataFrame({"noise": "none", "tuned": 1, "dimension": 9, "accuracy": [93.0]})]
    for noise, tuned, slope in cases:
        for d in figure.DIMENSIONS:
            shift = slope * math.log10(d / 9) + 0.05 * tuned * rng.standard_normal()
            accuracy = 93.0 + shift + rng.standard_normal(40) / 4
            rows.append(pd.DataFrame({"noise": noise, "tuned": tuned, "dimension": d, "accuracy": accuracy}))
    return pd.concat(rows, ignore_index=True).assign(learning_rate=20.0, source="made up")


def test_the_best_classifier_of_the_stand_in_is_the_bayes_rule():
    records = cod.stand_in(np.random.default_rng(6))
    x, y = records.features, records.labels
    centre = {label: x[y == label].mean(axis=0) for label in (-1.0, 1.0)}
    pooled = np.cov((x - np.where(y[:, None] > 0.0, centre[1.0], centre[-1.0])).T)
    direction = np.linalg.solve(pooled, centre[1.0] - centre[-1.0])
    middle = direction @ (centre[1.0] + centre[-1.0]) / 2.0 + math.log(2.0)
    share = float((np.where(x @ direction > middle, 1.0, -1.0) == y).mean())
    assert abs(100.0 * share - cod.best_accuracy()) < 6.0 * 0.09  # six deviations of 59,535 records


@pytest.mark.parametrize("slope", [-1.0, 0.3])
def test_kendalls_tau_has_its_variance_under_exchangeability(slope):
    from scipy.stats import kendalltau

    part = made_up(0.0, slope)
    part = part[(part["noise"] == "gamma") & (part["tuned"] == 0)]
    evidence = figure.rank_evidence(part, 1e-6)
    rng = np.random.default_rng(8)
    shuffled = [
        kendalltau(part["dimension"], rng.permutation(part["accuracy"]), method="asymptotic").statistic
        for _ in range(300)
    ]
    error = (evidence.high - evidence.estimate) / 4.753424  # the quantile of the normal law at 1e-6
    assert error == pytest.approx(np.std(shuffled), rel=0.2)  # 0.2 is five deviations of a deviation
    assert evidence.verdict is (Verdict.CONSISTENT if slope < 0.0 else Verdict.REFUTED)


def test_a_trend_at_one_learning_rate_is_refuted_without_a_tolerance():
    rows = made_up(0.0, -4.0)
    (first, *_) = figure.judge(rows, Budget(1e-5))
    assert first.verdict is Verdict.CONSISTENT
    fixed = (rows["tuned"] == 0) & (rows["noise"] == "gaussian")
    rows.loc[fixed, "accuracy"] -= 2.0 * first.resolution * np.log10(rows.loc[fixed, "dimension"])
    (first, *_) = figure.judge(rows, Budget(1e-5))
    assert first.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("gaussian", "gamma", "raised", "points", "expected"),
    [
        (0.0, -4.0, "tuned == 2", 0.0, Verdict.CONSISTENT),
        (-4.0, -4.0, "tuned == 2", 0.0, Verdict.REFUTED),
        (4.0, -4.0, "tuned == 2", 0.0, Verdict.REFUTED),
        (0.0, 2.0, "tuned == 2", 0.0, Verdict.REFUTED),
        (0.0, 0.0, "tuned == 2", 0.0, Verdict.INCONCLUSIVE),
        (0.0, -4.0, "noise == 'none'", 4.0, Verdict.REFUTED),  # the height
        (0.0, -4.0, "tuned == 0 and noise == 'gaussian' and dimension == 500", 1.0, Verdict.REFUTED),
    ],
)
def test_the_trends_are_judged(gaussian, gamma, raised, points, expected):
    rows = made_up(gaussian, gamma)
    rows.loc[rows.eval(raised), "accuracy"] += points
    evidence = list(figure.judge(rows, Budget(1e-5)))
    assert combine(evidence) is expected
    assert sum(e.alpha_spent for e in evidence) <= 1e-5
