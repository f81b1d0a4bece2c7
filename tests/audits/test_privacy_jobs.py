"""Drawing on several processes: the same outputs for any number of them, and nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import Any

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_info, threadpool_limits

from audits.privacy import each, unseeded
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import Drawer
from audits.privacy.draw.processes import can_fork, in_processes
from tests.audits.privacy_runs import audited

pytestmark = pytest.mark.skipif(not can_fork(), reason="no fork here: outputs are drawn by one process")


def drawer(mechanism: Any, jobs: int) -> Drawer:
    made = Drawer(mechanism, jobs=jobs)
    made.seconds, made.drawn = 1e6, 1  # as if it were known to be slow: processes are worth while
    return made


def drawn(mechanism: Any, size: int, jobs: int = 2, seed: int = 0) -> Any:
    return drawer(mechanism, jobs).draw(Dataset(0.0), size, np.random.default_rng(seed), "here")


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize(
    ("mechanism", "size"),
    [(each(lambda data, rng: rng.normal()), 1000), (lambda d, n, rng: rng.normal(size=n), 200_001)],
)
def test_chunks_are_the_mechanism_itself(mechanism: Any, size: int, jobs: int) -> None:
    # Kolmogorov–Smirnov against the normal law, false alarm 1e-7.
    outputs = drawn(mechanism, size, jobs, seed=1)
    assert outputs.shape == (size,)
    assert len(np.unique(outputs)) == size
    assert stats.kstest(outputs, "norm").pvalue > 1e-7
    np.testing.assert_array_equal(outputs, drawn(mechanism, size, 1, seed=1))


@pytest.mark.slow
def test_processes_do_share_the_work() -> None:
    def names(data: float, rng: np.random.Generator) -> int:
        time.sleep(0.001)
        return os.getpid()

    found = drawn(each(names), 400)
    assert len(np.unique(found)) == 2
    assert os.getpid() not in found


def test_processes_never_repeat_the_draws_of_each_other() -> None:
    # A generator of the mechanism's own is in one state in all processes: one of them must draw.
    own = np.random.default_rng(3)
    mechanisms = (
        each(unseeded(lambda data: own.normal())),
        each(lambda data, rng: own.normal()),
        # Nor is it hidden by noise from the generator that the mechanism is given.
        each(lambda data, rng: own.normal() + 1e-9 * rng.random()),
    )
    for mechanism in mechanisms:
        assert len(np.unique(drawn(mechanism, 320).round(6))) == 320


def test_outputs_that_cannot_be_sent_are_drawn_by_one_process() -> None:
    class Local:
        def __init__(self, value: float) -> None:
            self.value = value

    assert len(drawn(each(lambda data, rng: Local(rng.normal())), 100)) == 100


def test_errors_come_through_and_no_process_is_left() -> None:
    def fails(data: float, rng: np.random.Generator) -> float:
        raise ArithmeticError("no")

    with pytest.raises(ValueError, match=r"mechanism raised ArithmeticError\(no\) on here"):
        drawn(each(fails), 100)

    def dies(place: int) -> int:
        os._exit(0)

    with pytest.raises(RuntimeError, match="ended before its work"):
        in_processes(dies, 4, 2)
    assert multiprocessing.active_children() == []


def test_a_mechanism_that_ends_its_process_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="mechanism ended the process that called it"):
        drawn(each(lambda data, rng: os.kill(os.getpid(), 9)), 100)


def test_data_that_are_changed_in_another_process_are_noticed() -> None:
    def changes(data: list[float], rng: np.random.Generator) -> float:
        data[0] += 1.0
        return float(rng.normal())

    made = drawer(each(changes), 2)
    made.draw(Dataset([0.0]), 100, np.random.default_rng(0), "here")
    assert made.changed


@pytest.mark.parametrize("method", ["sequential", pytest.param("clopper-pearson", marks=pytest.mark.slow)])
def test_threads_of_linear_algebra_change_nothing(method: str) -> None:
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        seen.add(max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"))
        outputs = rng.laplace(size=(size, 40))
        outputs[:, 3] += data
        return outputs

    found = []
    for threads in (1, 2):
        seen: set[int] = set()
        with threadpool_limits(threads):
            result = audited(mechanism, [(0, 1)], epsilon=0.8, max_samples=3000, method=method)
        found.append((result.event, result.epsilon_lower, result.e_value, result.samples))
        # The mechanism itself has all of its threads.
        assert seen == {threads}
    assert found[0] == found[1]
