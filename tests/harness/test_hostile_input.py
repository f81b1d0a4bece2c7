"""Input that nobody would write: one sentence each, no traceback, and nothing is executed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import shutil
import sys
import tarfile
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dpclaims
from claims.harness import places
from claims.harness.discover import discover
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import read_run
from claims.song2021 import _cod_rna
from tests.harness.synthetic import claim

TABLE = ("n,risk\n" + "".join(f"{10 * 2**k},{1 / 2**k}\n" for k in range(6))).encode()
pytestmark = pytest.mark.slow  # long loops over what nobody would write
quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _call(*arguments: str) -> tuple[int, str]:
    """Exit status and stderr of a command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["dpclaims", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return dpclaims.command(), err.getvalue()
    finally:
        sys.argv = before


def _one_sentence(status: int, err: str) -> None:
    assert status == 2
    assert "Traceback" not in err
    assert err.startswith("dpclaims: ")
    assert len(err.strip().splitlines()) == 1


def _mutants(content: bytes, seed: int, count: int) -> list[bytes]:
    """Truncated, with bytes changed, with bytes inserted."""
    rng = np.random.default_rng(seed)
    made = [b"", content[: len(content) // 2], content[:-1], content + b"\x00"]
    while len(made) < count:
        changed = bytearray(content)
        for _ in range(int(rng.integers(1, 4))):
            place = int(rng.integers(len(changed)))
            changed[place : place + int(rng.integers(2))] = bytes([int(rng.integers(256))])
        made.append(bytes(changed))
    return made


# ---------------------------------------------------------------- the command line

WORDS = st.sampled_from(
    [
        "list", "show", "compare", "doctor", "rates", "report", "--json", "--kind", "--claims", "--run",
        "--csv", "-j", "--tier", "--out", "-p", "../..", "/", "", "-", "--", "*", "song2021/*", "[",
        "\x1b[2J", "\udc80", "-1", "1e999",
    ]
)  # fmt: skip


@settings(quick, max_examples=25)
@given(st.sampled_from(["list", "show", "compare"]), st.lists(WORDS | st.text(max_size=8), max_size=4))
@example("show", ["\x1b]0;x\x07"])
@example("compare", ["\x00", "\x00"])
@example("list", ["--claims", "\x00"])
def test_command_lines(tmp_path, monkeypatch, command, rest):
    monkeypatch.chdir(tmp_path)
    status, err = _call(command, *rest)
    assert status in (0, 1, 2)
    assert "Traceback" not in err
    assert not any(sign in err for sign in "\x1b\x07\x00\r")
    if status == 1:
        assert command == "compare"


# ---------------------------------------------------------------- tables


def _archives() -> dict[str, bytes]:
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.csv", TABLE)
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(TABLE)
        archive.addfile(entry, io.BytesIO(TABLE))
    return {
        "": TABLE, ".gz": gzip.compress(TABLE), ".bz2": bz2.compress(TABLE), ".xz": lzma.compress(TABLE),
        ".zip": zipped.getvalue(), ".tar": tarred.getvalue(), ".zst": b"(\xb5/\xfd\x00",
    }  # fmt: skip


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zip", ".tar", ".zst"])
def test_archives_that_are_broken_or_called_by_another_name(tmp_path, ending):
    """Every archive, cut off, changed, and under every other archive's name."""
    archives = _archives()
    for content in [*_mutants(archives[ending], 0, 20), *archives.values()]:
        file = tmp_path / f"table.csv{ending}"
        file.write_bytes(content)
        status, err = _call("rates", "--csv", str(file), "--risk", "risk", "--axis", "n")
        if status == 2:
            _one_sentence(status, err)
            assert "None" not in err
        assert status in (0, 1, 2, 3)
        assert "Traceback" not in err


@quick
@given(st.binary(max_size=200) | st.text(alphabet="+-1 :.0123456789e\n\tnaif", max_size=300).map(str.encode))
@example(gzip.compress(b"1 1:1\n")[:-4])
@example(b"\x1f\x8b")
@example(b"1 99999999999999999999:1\n")
def test_records_of_libsvm(tmp_path, content):
    file = tmp_path / "cod-rna.txt"
    file.write_bytes(content)
    with contextlib.suppress(ValueError):
        assert np.isfinite(_cod_rna.read(file).features).all()


# ---------------------------------------------------------------- settings, parameters, run folders, claims


@quick
@given(
    st.binary(max_size=100)
    | st.text(max_size=60).map(str.encode)
    | st.text(alphabet="[]tol.dpclaims=\"'\n{}", max_size=80).map(lambda t: f"[tool.dpclaims]\n{t}".encode())
)
@example(b"[tool]\ndpclaims = 3\n")
@example(b"tool = 3\n")
@example(b"[tool.dpclaims]\nclaims = " + b"[" * 5000)
def test_settings(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(content)
    with contextlib.suppress(ValueError):
        places.other_folders()


@pytest.mark.parametrize("name", ["provenance.json", "rows.parquet", "result.json", "manifest.json"])
def test_files_of_a_run_that_are_mutated(tmp_path, name):
    run_claims([claim()], Settings(tier="smoke"), out=tmp_path / "run")
    (file,) = (tmp_path / "run").rglob(name)
    whole = file.read_bytes()
    refused = 0
    for content in [*_mutants(whole, 1, 60), b"[" * 100_000, b"null", b"[]", b"{}", b'"x"', b"1e999"]:
        file.write_bytes(content)
        said = str(tmp_path / "run")  # where nothing is refused
        try:
            read_run(tmp_path / "run")
        except ValueError as error:
            refused, said = refused + 1, str(error)
        assert str(tmp_path / "run") in said
    assert refused >= 40


@quick
@given(
    st.binary(max_size=60) | st.text(max_size=60).map(str.encode),
    st.sampled_from(["__init__.py", "theorem_1.py"]),
)
@example(b"\x00", "theorem_1.py")
@example(b"CLAIM = 1\n", "theorem_1.py")
@example(b"raise SystemExit(1)\nCLAIM = 1\n", "theorem_1.py")
@example(b"PAPER = 1\nclass X(\n", "__init__.py")
@example(b"(" * 5000, "__init__.py")
def test_broken_claims_of_other_people_are_named_and_hide_nobody(tmp_path, content, name):
    shutil.rmtree(tmp_path / "theirs", ignore_errors=True)
    paper = tmp_path / "theirs" / "hostile2020"
    paper.mkdir(parents=True)
    (paper / "__init__.py").write_text(
        'from claims import Adjacency, Paper\nPAPER = Paper("hostile2020", reference="N (2020)", '
        "adjacency=Adjacency.REPLACE)\n"
    )
    (paper / name).write_bytes(content)
    for module in [m for m in sys.modules if m.startswith("hostile2020")]:
        del sys.modules[module]
    found = discover([tmp_path / "theirs"], only="hostile2020")
    assert not found.claims
    assert all("hostile2020" in problem.sentence for problem in found.problems)
