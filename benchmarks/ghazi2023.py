"""Speed of ghazi2023's algorithms on one core: subsets by counting, and whole runs on the certified branch.

Run it as `python benchmarks/ghazi2023.py`; `--json` prints one document. Algorithm 1 by tables of counts does
the work of all subsets at once; the phased algorithms cost the same for any m, since user means are all that
they see. WinsorizedMeanHighD of levy2021 stands beside Algorithm 2 on the same users.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from implementations.ghazi2023.reading import Guarantee, Reading
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

if __name__ == "__main__":
    # Beside each other the scripts would hide packages of the same names.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import speed
from benchmarks.speed import seconds
from implementations.ghazi2023 import del_output_pert, phased_erm, sc_output_pert
from implementations.ghazi2023.deletion_sensitivity import count_table, mean_sensitivity, smallest_stable
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Users
from implementations.levy2021 import winsorized_mean_highd


def subsets(n: int) -> float:
    """Algorithm 1 on n users of three types at (1, 1/2): the table and the smallest stable deletion."""
    p = del_output_pert.parameters(1.0, 0.5, 1.0)
    third = n // 3

    def run() -> object:
        def mean(c: np.ndarray) -> np.ndarray:
            return c[..., :1] / np.maximum(c.sum(axis=-1, keepdims=True), 1.0)

        return smallest_stable(count_table(mean, (third, third, n - 2 * third)), p.target, p.kappa)

    return seconds(run)


def erm(n: int, d: int, trials: int) -> float:
    """Phased-ERM at (1, 0.1), m = 10¹⁶: seconds for all trials."""
    rng = np.random.default_rng(0)
    m = 1e16
    users = Users(0.5 / np.sqrt(m * d) * rng.standard_normal((1, n, d)), 0.0, 1.0, m).summary()
    many = type(users)(np.tile(users.mean, (trials, 1)), np.full(trials, users.spread[0]), n, 0.0, 1.0, m)
    base = phased_erm.printed_regulariser(1.0, 1.0, n, m, d)
    return seconds(
        lambda: phased_erm.phased_erm(
            many,
            [Ball(np.zeros(d), 0.5)],
            np.zeros(d),
            Guarantee(1.0, 0.1, 1e-9),
            base,
            rng,
            reading=Reading(variant="corrected"),
        )
    )


def means(n: int, d: int) -> tuple[float, float]:
    """One private mean of n users: Algorithm 2 with its certificate, and WinsorizedMeanHighD."""
    rng = np.random.default_rng(0)
    users = 1e-3 * rng.standard_normal((1, n, d)) / np.sqrt(d)
    p = sc_output_pert.parameters(1.0, 1e-6, 1e-3, 2.0, 1.0, n, 1e4)

    def ours() -> object:
        gamma = sc_output_pert.largest_norm(users, centred=True)
        return sc_output_pert.sc_output_pert(users.mean(axis=1), gamma, n, p, 1.0, rng, quadratic=True)

    def theirs() -> object:
        return winsorized_mean_highd.winsorized_mean_highd(
            users, PrivacyBudget(1.0, 1e-6), Concentration(0.01, 1.0, 1e-3), rng
        )

    return seconds(ours), seconds(theirs)


def measure() -> list[dict[str, float | str]]:
    """One row for each case: seconds of one run."""
    rows: list[dict[str, float | str]] = []
    for n in (30, 90, 150):
        rows.append({"case": f"Algorithm 1, {n} users of three types", "seconds": subsets(n)})
    x = np.random.default_rng(0).standard_normal((100, 1000))
    rows.append(
        {
            "case": "deletion sensitivity of 100 means, r = 128",
            "seconds": seconds(lambda: mean_sensitivity(x, 128)),
        }
    )
    for d in (1, 16):
        rows.append({"case": f"Phased-ERM, 1,000 runs, d = {d}", "seconds": erm(20_000, d, 1000)})
    for n, d in ((10_000, 16), (100_000, 64)):
        ours, theirs = means(n, d)
        rows.append({"case": f"Algorithm 2, n = {n:,}, d = {d}", "seconds": ours})
        rows.append({"case": f"WinsorizedMeanHighD, n = {n:,}, d = {d}", "seconds": theirs})
    return rows


if __name__ == "__main__":
    speed.main(measure, lambda row: f"{row['case']:50s} {row['seconds']:10.5f} s", __doc__)
