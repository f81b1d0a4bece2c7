"""A claim that is stopped half way goes on from its finished cells, and ends with the same bits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from audits.evidence import Verdict
from claims.harness.run import runner
from claims.harness.run.cells import cells_of
from claims.harness.run.partial import cells_folder, decode, encode, read_cells
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import claim_folder
from tests.harness.synthetic import check_fact, claim, measure_mean

ROOT = Path(__file__).resolve().parents[2]
POINTS = [{"n": k} for k in range(6)]


class Stop(BaseException):
    """What a signal raises."""


def _run(folder, made, **options):
    return run_claims([made], Settings(tier="smoke"), out=folder, **options)


def _bytes(folder: Path) -> list[bytes]:
    stored = claim_folder(folder, "demo/theorem-1")
    return [(stored / name).read_bytes() for name in ("rows.parquet", "result.json")]


def _stopping(after: int, calls: list[int]):
    def measure(point):
        calls.append(point.n)
        if len(calls) > after:
            raise Stop
        return measure_mean(point)

    return measure


@pytest.mark.parametrize("form", ["measure", "check"])
def test_a_stopped_claim_goes_on_from_its_finished_cells_with_the_same_bits(tmp_path, form):
    calls: list[int] = []
    stopping = _stopping(4, calls)

    def check(point):
        stopping(point)
        return check_fact(point)

    def made(how):
        return claim(points=POINTS, chunk=50, **{form: how})

    halted = {"measure": stopping, "check": check}[form]
    with pytest.raises(Stop):
        _run(tmp_path / "run", made(halted))
    assert len(list(cells_folder(tmp_path / "run", "demo/theorem-1").glob("*.json"))) == 1
    again: list[int] = []

    def counting(point):
        again.append(point.n)
        return {"measure": measure_mean, "check": check_fact}[form](point)

    _run(tmp_path / "run", made(counting))
    assert again == [4, 5]
    assert not (tmp_path / "run" / "cells").exists()
    _run(tmp_path / "undisturbed" / "run", made({"measure": measure_mean, "check": check_fact}[form]))
    assert _bytes(tmp_path / "run") == _bytes(tmp_path / "undisturbed" / "run")


def test_cells_of_another_key_or_hand_are_not_taken(tmp_path):
    calls: list[int] = []
    with pytest.raises(Stop):
        _run(tmp_path / "run", claim(points=POINTS, chunk=50, measure=_stopping(3, calls)))
    (file,) = cells_folder(tmp_path / "run", "demo/theorem-1").glob("*.json")
    document = json.loads(file.read_text())
    cells = list(cells_of(claim(points=POINTS, chunk=50), "smoke"))

    def found(key: str) -> int:
        return len(read_cells(tmp_path / "run", key, "demo/theorem-1", cells))

    assert found(document["key"]) == 3
    assert found("another key") == 0
    document["cells"][0]["seconds"] = 7.0
    file.write_text(json.dumps(document))
    assert found(document["key"]) == 0
    file.write_text(file.read_text()[:-9])
    assert found(document["key"]) == 0
    with pytest.raises(Stop):  # another seed is another key: all cells are computed
        run_claims(
            [claim(points=POINTS, chunk=50, measure=_stopping(5, []))],
            Settings(tier="smoke", seed=1),
            out=tmp_path / "run",
        )


def test_cells_are_left_out_where_finished_results_are(tmp_path):
    with pytest.raises(Stop):
        _run(tmp_path / "run", claim(points=POINTS, chunk=50, measure=_stopping(3, [])))
    again: list[int] = []

    def counting(point):
        again.append(point.n)
        return measure_mean(point)

    _run(tmp_path / "run", claim(points=POINTS, chunk=50, measure=counting), cache=False)
    assert again == [0, 1, 2, 3, 4, 5]


def test_a_full_disk_does_not_hide_why_a_run_ends(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(runner, "write_cells", full)
    with pytest.raises(Stop):
        _run(tmp_path / "run", claim(points=POINTS, measure=_stopping(3, [])))


KILLED = """
    import sys, time
    from pathlib import Path
    from claims.harness.run import runner
    from tests.harness.synthetic import claim, measure_mean

    def slow(point):
        Path(sys.argv[1], f"at-{{point.n}}").touch()
        time.sleep({pause})
        return measure_mean(point)

    runner.SAVE_EVERY = 0.1
    made = claim(measure=slow, points=[{{"n": k}} for k in range(8)], trials=3)
    runner.run_claims([made], runner.Settings(tier="smoke"), out=Path(sys.argv[1], "run"), jobs={jobs})
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_claim_resumes_at_its_cells_and_ends_bit_identical(tmp_path, jobs):
    script = tmp_path / "program.py"
    for name in ("killed", "undisturbed"):
        (tmp_path / name).mkdir()

    def start(folder: Path, pause: float) -> subprocess.Popen:
        script.write_text(textwrap.dedent(KILLED).format(pause=pause, jobs=jobs))
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen([sys.executable, str(script), str(folder)], env=environment, cwd=ROOT)

    process = start(tmp_path / "killed", 0.3)
    deadline = time.monotonic() + 120
    # A file whose name begins with a point is being written: a process that dies then keeps nothing of it.
    while len(list(tmp_path.glob("killed/run/cells/*/[!.]*.json"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for mark in tmp_path.glob("killed/at-*"):
        mark.unlink()
    assert not list(tmp_path.glob("killed/run/claims/demo__*"))
    assert start(tmp_path / "killed", 0.0).wait() == 0
    assert len(list(tmp_path.glob("killed/at-*"))) <= 5
    assert not (tmp_path / "killed" / "run" / "cells").exists()
    assert start(tmp_path / "undisturbed", 0.0).wait() == 0
    assert _bytes(tmp_path / "killed" / "run") == _bytes(tmp_path / "undisturbed" / "run")


ARRAYS = hnp.arrays(
    st.sampled_from(["f8", "f4", "i8", "i4", "u1", "?", "<U5"]),
    hnp.array_shapes(max_dims=1, max_side=4, min_side=0),
)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(list(Verdict))
SCALARS = PLAIN | st.floats().map(np.float64) | st.integers(0, 255).map(np.uint8)
VALUES = st.recursive(
    SCALARS | ARRAYS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3)
)


@given(VALUES)
def test_cells_come_back_exactly_as_they_were(value):
    text = json.dumps(encode(value), allow_nan=False)
    _same(decode(json.loads(text)), value)


def _same(a, b):
    assert type(a) is type(b)
    if isinstance(b, np.ndarray | np.generic):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes()
    elif isinstance(b, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            _same(x, y)
    elif isinstance(b, dict):
        assert list(a) == list(b)
        for key in b:
            _same(a[key], b[key])
    else:
        assert a == b or (a != a and b != b)


@pytest.mark.parametrize("value", [{1, 2}, object(), np.array([object()]), b"x", 1j])
def test_what_has_no_exact_form_is_refused(value):
    with pytest.raises(TypeError, match="no exact form"):
        encode(value)
