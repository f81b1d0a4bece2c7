"""The store: atomic, verified, resumable; what is broken is named and never trusted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from audits.judge import equals
from claims.harness.closure import Sources, roots_of
from claims.harness.commands.compare import compare_runs
from claims.harness.run.runner import Settings, finished, run_claims
from claims.harness.run.store import claim_folder, latest_run, read_claim, read_run
from tests.harness.synthetic import claim

ROOT = Path(__file__).resolve().parents[2]


def _run(folder, *, claims=None, seed=0, says=None, cache=True):
    report = None if says is None else (lambda event, result: says.append(event))
    return run_claims(
        claims or [claim()],
        Settings(tier="smoke", seed=seed),
        out=folder,
        cache=cache,
        notify=report,
    )


def test_a_run_beside_it_is_used_only_under_the_same_key(tmp_path):
    _run(tmp_path / "a")
    assert _run(tmp_path / "b")["demo/theorem-1"].cached
    assert not _run(tmp_path / "c", seed=1)["demo/theorem-1"].cached
    assert not _run(tmp_path / "a", cache=False)["demo/theorem-1"].cached


def test_what_another_run_finished_is_found_under_its_key_alone(tmp_path):
    def found(**parameters):
        return finished(claim(), Settings(tier="smoke", **parameters), Sources(roots_of()), tmp_path)

    assert found() is None
    stored = _run(tmp_path / "run")["demo/theorem-1"]
    assert found().evidence == stored.evidence
    assert found(seed=1) is None
    assert found(alpha=0.01) is None
    (claim_folder(tmp_path / "run", "demo/theorem-1") / "result.json").write_text("{}")
    assert found() is None


@pytest.mark.parametrize("name", ["rows.parquet", "result.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["truncate", "empty", "foreign", "missing"])
def test_damage_is_named_and_recomputed(tmp_path, name, damage):
    first = _run(tmp_path / "run")
    file = claim_folder(tmp_path / "run", "demo/theorem-1") / name
    content = file.read_bytes()
    if damage == "truncate":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "foreign":
        file.write_bytes(b'{"format": "something else"}')
    else:
        file.unlink()
    with pytest.raises(ValueError, match=name.replace(".", r"\.")):
        read_run(tmp_path / "run")
    says: list[str] = []
    again = _run(tmp_path / "run", says=says)
    assert not again["demo/theorem-1"].cached
    assert any(name in line and "recomputed" in line for line in says)
    assert again["demo/theorem-1"].evidence == first["demo/theorem-1"].evidence
    assert read_run(tmp_path / "run")["demo/theorem-1"].ok


def test_a_result_of_another_claim_is_foreign(tmp_path):
    _run(tmp_path / "run", claims=[claim("theorem-1"), claim("theorem-2")])
    target = claim_folder(tmp_path / "run", "demo/theorem-1")
    for file in claim_folder(tmp_path / "run", "demo/theorem-2").iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ValueError, match="foreign"):
        read_claim(tmp_path / "run", "demo/theorem-1")


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="other files"):
        _run(tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(ValueError, match="is a file"):
        _run(tmp_path / "thesis.tex")


def test_a_run_that_is_none_or_unfinished_is_named(tmp_path):
    with pytest.raises(ValueError, match="not a run folder"):
        read_run(tmp_path)
    _run(tmp_path / "run", claims=[claim("theorem-1"), claim("theorem-2")])
    for file in claim_folder(tmp_path / "run", "demo/theorem-2").iterdir():
        file.unlink()
    claim_folder(tmp_path / "run", "demo/theorem-2").rmdir()
    with pytest.raises(ValueError, match="demo/theorem-2 is not finished"):
        read_run(tmp_path / "run")


def test_latest_run_skips_what_is_none(tmp_path):
    assert latest_run(tmp_path) is None
    _run(tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "provenance.json").write_text("{")
    assert latest_run(tmp_path) == tmp_path / "a"


KILLED = """
    import sys, time
    from pathlib import Path
    from claims.harness.run.runner import Settings, run_claims
    from tests.harness.synthetic import claim, measure_mean

    def slow(point):
        time.sleep({pause})
        return measure_mean(point)

    claims = [claim(f"theorem-{{k}}", measure=slow, points=[{{"n": k}}], trials=3) for k in range(6)]
    run_claims(claims, Settings(tier="smoke"), out=Path(sys.argv[1]), jobs={jobs})
"""


def test_a_killed_run_resumes_and_ends_bit_identical(tmp_path):
    program = textwrap.dedent(KILLED)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    script = tmp_path / "program.py"

    def start(folder: Path, pause: float) -> subprocess.Popen:
        script.write_text(program.format(pause=pause, jobs=2))
        return subprocess.Popen([sys.executable, str(script), str(folder)], env=environment, cwd=ROOT)

    process = start(tmp_path / "killed", 0.4)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("killed/claims/demo__*/manifest.json"))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {f: f.stat().st_mtime_ns for f in tmp_path.glob("killed/claims/demo__*/rows.parquet")}
    assert 2 <= len(finished) < 6
    assert start(tmp_path / "killed", 0.0).wait() == 0
    (tmp_path / "undisturbed").mkdir()
    assert start(tmp_path / "undisturbed" / "run", 0.0).wait() == 0
    for k in range(6):
        for name in ("rows.parquet", "result.json"):
            a = claim_folder(tmp_path / "killed", f"demo/theorem-{k}") / name
            b = claim_folder(tmp_path / "undisturbed" / "run", f"demo/theorem-{k}") / name
            assert a.read_bytes() == b.read_bytes()
    assert all(f.stat().st_mtime_ns == when for f, when in finished.items())


def _two_of_one_name(point):
    yield equals("fact", 1.0, 1.0)
    yield equals("fact", 2.0, 2.0)


def test_compare_names_what_changed(tmp_path):
    _run(tmp_path / "apart" / "run", claims=[claim(check=_two_of_one_name)])
    assert compare_runs(tmp_path / "apart" / "run", tmp_path / "apart" / "run")["evidence"] == []
    _run(tmp_path / "a")
    _run(tmp_path / "b", seed=1, claims=[claim(), claim("theorem-2")])
    same = compare_runs(tmp_path / "a", tmp_path / "a")
    assert same["verdicts"] == same["evidence"] == same["added"] == []
    changes = compare_runs(tmp_path / "a", tmp_path / "b")
    assert changes["added"] == ["demo/theorem-2"]
    assert {e["point"]["n"] for e in changes["evidence"]} == {1, 2}


def test_provenance_says_where_a_result_comes_from(tmp_path):
    _run(tmp_path / "run")
    text = (tmp_path / "run" / "provenance.json").read_text()
    document = json.loads(text)
    fields = "claims tier seed alpha sources versions machine started finished"
    assert set(fields.split()) <= set(document)
    assert str(tmp_path) not in text
