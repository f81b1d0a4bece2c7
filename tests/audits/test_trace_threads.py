"""Other threads of the process draw while a program is traced; threads of the program are watched."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from audits.trace import trace_privacy

PAIR = (np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0]))


def traced(program):
    return trace_privacy(program, [PAIR], epsilon=1.0, adjacency="replace", seeds=1, black_box=False)


@pytest.fixture
def busy():
    """A thread that draws random numbers until the test ends, as the loop of a cluster's worker does."""
    ended = threading.Event()

    def draw() -> None:
        while not ended.is_set():
            random.random()
            np.random.random()  # noqa: NPY002
            time.sleep(0.0002)

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join()


def test_what_other_threads_draw_is_no_draw_of_the_program(busy):
    def program(data, rng):
        time.sleep(0.002)
        return data.mean() + rng.laplace(scale=1.0 / 3.0)

    found = traced(program)
    assert found.verdict == "nothing-found", found.summary()
    assert found.draws == len(PAIR) * 2  # one draw a run: two directions, one seed and one forced run
    assert found.epsilon_ledger == pytest.approx(1.0)


def test_a_pool_that_waits_for_work_is_the_program_s():
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(int).result()  # its thread is there before the program begins

        def program(data, rng):
            noise = pool.submit(lambda: np.random.laplace(scale=1.0 / 3.0)).result()  # noqa: NPY002
            return data.mean() + noise

        found = traced(program)
    assert found.verdict == "nothing-found", found.summary()
    assert found.draws > 0
    assert found.epsilon_ledger == pytest.approx(1.0)
