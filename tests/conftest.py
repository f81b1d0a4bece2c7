"""Fixtures that several tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest
from hypothesis import settings

# A test that is slow on a busy machine is not wrong.
settings.register_profile("dpclaims", deadline=None)
settings.load_profile("dpclaims")

# One BLAS thread a process, as in runs: with more, the workers of pytest-xdist wait for each other's threads,
# and small systems of equations take ten times as long. NumPy reads this when it is imported.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")


@pytest.fixture
def dpclaims(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process: ``status, stdout, stderr = dpclaims("list", "--json")``."""

    def call(*arguments: str) -> tuple[int, str, str]:
        from dpclaims import command

        monkeypatch.setattr(sys, "argv", ["dpclaims", *arguments])
        status = command()
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call
