"""The command line: exit statuses, JSON, and one clear sentence for every bad input."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLE = ["rates", "--csv", "t.csv", "--risk", "risk", "--axis", "n"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Every test runs in an empty folder, as a user would, with no data file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPCLAIMS_DATA", raising=False)


def _sentence(text: str) -> None:
    assert text.startswith("dpclaims: "), text
    assert "Traceback" not in text
    assert len(text.strip().splitlines()) == 1


def test_list_shows_every_claim_and_its_reading(dpclaims):
    status, out, _ = dpclaims("list")
    assert status == 0
    assert re.search(r"^song2021/theorem-2\.6 +privacy +REFUTED +- +Privacy of DP-GD", out, re.MULTILINE)
    status, out, _ = dpclaims("list", "--json")
    listed = json.loads(out)["claims"]
    assert len({c["id"] for c in listed}) == len(listed)
    assert all(c["verdict"] is None for c in listed)
    status, out, _ = dpclaims("list", "--kind", "rate", "--json")
    assert {c["kind"] for c in json.loads(out)["claims"]} == {"rate"}


def test_list_loads_neither_pandas_nor_matplotlib():
    code = (
        "import sys; sys.argv = ['dpclaims', 'list']; import dpclaims\n"
        "dpclaims.command()\n"
        "heavy = {'pandas', 'statsmodels', 'matplotlib', 'sklearn', 'papermill', 'distributed'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stderr.strip() == "[]"


def test_show_states_the_result_with_its_source(dpclaims):
    status, out, _ = dpclaims("show", "song2021/theorem-2.6")
    assert status == 0
    assert "Theorem 2.6" in out
    assert out.startswith("Theorem 2.6 (song2021) falls.")
    assert "Not run here, so these are the verdicts on record: dpclaims run song2021/theorem-2.6" in out
    assert "How it is checked." not in out
    assert "How it is checked." in dpclaims("show", "song2021/theorem-2.6", "-v")[1]
    check = dpclaims("show", "song2021/theorem-2.6", "--check")[1]
    assert '"""Theorem 2.6' in check
    assert "import" in check
    assert dpclaims("show", "song2021/2.6")[1] == dpclaims("show", "Theorem 2.6")[1] == out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "song2021/theorem-9"], "song2021/theorem-9"),
        (["list", "nobody/*"], "nobody/*"),
        (["show", "song2021/theorem-2.7.1"], "did you mean"),
        (["show", "theorem-3.1"], "song2021/theorem-3.1: give a whole id"),
        (["show", "song2021", "--map", "--json"], "exclude each other"),
        (["notebooks", "clam"], "must be one of audit_mechanism, claim"),
        (["list", "--kind", "poem"], "poem"),
        (["run", "--tier", "huge"], "huge"),
        (["run", "--alpha", "0"], "alpha"),
        (["run", "--alpha", "nan"], "alpha"),
        (["run", "--seed", "-1"], "seed"),
        (["run", "-j", "0"], "jobs"),
        (["compare", "a", "b"], "not a run folder"),
        (["report", "--run", "nowhere"], "nowhere"),
        (["rates", "--csv", "missing.csv", "--risk", "r", "--axis", "n"], "missing.csv"),
        (["rates", "--csv", "missing.csv"], "--risk"),
        (["rates", "--risk", "r"], "--csv"),
        (["rates", "--tolerance", "0"], "--tolerance"),
        (["rates", "--baseline", "missing.json"], "missing.json"),
        (["rates", "song2021/lemma-b.2"], "fits exponents"),
        (["mutants", "no-such-bug"], "no-such-bug"),
        (["mutants", "--sample", "3"], "--sample"),
        (["list", "--markdown"], "--fallen"),
        (["list", "--fallen", "--markdown", "--json"], "give one of them"),
        (["list", "--nope"], "No such option: --nope"),
        (["run", "--tier"], "'--tier' requires an argument"),
        (["run", "-j", "x"], "'--jobs'"),
        (["audit", "file.py", "--max-samples", "1e5"], "got '1e5'"),
        (["audit", "file.py", "--max-samples=1e5"], "got '1e5'"),
        (["audit"], "Missing argument 'TARGET'"),
        (["run", "song2021/lemma-b.2", "--tier", "smoke", "--data", "nowhere"], "'nowhere' does not exist"),
        (["list", "song2021/theorem-9.9"], "song2021"),
        (["list", "song2020/theorem-2.6"], "did you mean 'song2021/theorem-2.6'"),
        (["mutants", "song2022"], "did you mean 'song2021'"),
        (["list", "--claims", "nowhere"], "nowhere"),
        (["new", "Theorem 9"], "must look like song2021/theorem-2.6"),
        (["new", "doe2020/theorem-9", "--kind", "poem"], "poem"),
        (["check", "nobody/*"], "nobody/*"),
        (["run", "-j", "9999999999"], "'-j' / '--jobs'"),
        (["run", "song2021/lemma-b.2", "--scheduler", "x"], "'x', such as tcp://host:8786, does not"),
        (["run", "song2021/lemma-b.2", "--scheduler", "tcp://127.0.0.1:99999"], "does not answer"),
        (["run", "song2021/lemma-b.2", "--junit", "/nope/x.xml"], "there is no folder '/nope'"),
        (["new", "index/x"], "'index/x'"),
        (["new", "harness/x"], "'harness/x'"),
        (["new", "numpy/x"], "a name that no module of Python has, got 'numpy'"),
        (["new", "class/x"], "a name that no module of Python has, got 'class'"),
        (["new", f"a/{'x' * 300}"], "must look like"),
        (["audit", "f.py", "--with", "--index-url=http://x"], "packages as for pip"),
        (["audit", "f.py", "--with", "a\nb"], "packages as for pip"),
        (["audit", "f.py", "--time-limit", "1e300"], "at most 1e+09, or None, got 1e+300"),
        (["trace", "f.py", "--time-limit", "1e300"], "at most 1e+09, got 1e+300"),
        (["trace", "f.py", "--time-limit", "nan"], "at most 1e+09, got nan"),
        (["trace", "f.py", "--seeds", "100000"], "'--seeds'"),
        (["audit", "t.py", "--set", "a=1", "--set", "a=2"], "--set names 'a' twice, got 1 and 2"),
        (["audit", "t.py", "--epsilon", "1", "--set", "a=1", "--schema", "n=99999999"], "at most 10,000,000"),
        (["errata", "--out", "t.py"], "'t.py' is a file"),
        (["errata", "song2022"], "PAPER must be one of"),
        ([*TABLE, "--claimed", "n=-1,n=-2"], "--claimed names 'n' twice"),
        ([*TABLE, "--group", "m,m"], "another column than --group, got 'm'"),
        ([*TABLE, "--group", ","], "--group must name columns"),
        ([*TABLE, "--error", "n"], "another column than --axis, got 'n'"),
        ([*TABLE, "--vanishing", "none", "--vanishing", "n"], "or none alone"),
        ([*TABLE, "--form", ""], "form must"),
        ([*TABLE, "--baseline", "/nope/x.json", "--update"], "there is no folder '/nope'"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(dpclaims, tmp_path, arguments, says):
    (tmp_path / "t.csv").write_text("n,risk,m\n" + "".join(f"{2**k},{2**-k},1\n" for k in range(6)))
    (tmp_path / "t.py").write_text("def mechanism(x, a, *, epsilon):\n    return x\n")
    status, out, err = dpclaims(*arguments)
    assert not Path("/nope").exists()
    assert status == 2
    assert out == ""
    _sentence(err)
    assert says in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no records"),
        (b"+1 1:0.5 2:inf\n", "line 1"),
        (b"\x1f\x8b\x08\x00broken", "cod-rna"),
        (None, "cod-rna"),
    ],
)
def test_bad_data_gets_one_sentence_and_status_2(dpclaims, tmp_path, content, says):
    file = tmp_path / "cod-rna.libsvm"
    if content is not None:
        file.write_bytes(content)
    status, out, err = dpclaims("run", "song2021/section-6-figure-2", "--tier", "smoke", "--data", str(file))
    assert status == 2
    assert out == ""
    _sentence(err)
    assert says in err
    assert not (tmp_path / "reports").exists()


def test_a_run_and_all_that_reads_it(dpclaims, tmp_path):
    common = ["run", "song2021/lemma-b.2", "--tier", "smoke", "--json"]
    files = ["--junit", "out/junit.xml", "--summary", "summary.md"]
    status, out, err = dpclaims(*common, *files)
    document = json.loads(out)
    assert (status, document["claims"][0]["verdict"]) == (0, "CONFIRMED")
    assert "lemma-b.2" in err
    assert "CONFIRMED" in dpclaims("list", "song2021/lemma-b.2")[1]
    assert "song2021/lemma-b.2  CONFIRMED" in dpclaims("show", "song2021/lemma-b.2")[1]
    again = json.loads(dpclaims(*common)[1])
    assert again["claims"][0]["cached"]
    assert again["claims"][0]["evidence"] == document["claims"][0]["evidence"]
    # For other tools.
    suite = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    assert suite.attrib["failures"] == suite.attrib["errors"] == "0"
    assert [case.attrib["name"] for case in suite] == ["lemma-b.2"]
    fields = {p.attrib["name"]: p.attrib["value"] for p in suite.iter("property")}
    assert (fields["verdict"], fields["expected"], fields["samples"]) == ("CONFIRMED", "CONFIRMED", "0")
    assert "| song2021/lemma-b.2 |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    # Beside itself.
    (run,) = map(str, Path("reports/runs").iterdir())
    status, out, _ = dpclaims("compare", run, run, "--json")
    compared = json.loads(out)
    assert (status, compared["verdicts"], compared["format"]) == (0, [], "dpclaims-compare/1")
    assert "1 claims in both" in dpclaims("compare", run, run)[1]
    # And damaged.
    file = next(Path(run).rglob("rows.parquet"))
    file.write_bytes(file.read_bytes()[:-9])
    status, _, err = dpclaims("compare", run, run)
    assert status == 2
    _sentence(err)
    assert "rows.parquet" in err
    status, _, err = dpclaims(*common)
    assert status == 0
    assert "recomputed" in err


def test_version_and_short_help(dpclaims):
    status, out, _ = dpclaims("--version")
    assert status == 0
    assert re.fullmatch(r"dpclaims \d+\.\d+\.\d+\n", out)
    assert dpclaims("-h")[0] == 0


@pytest.mark.slow
def test_a_paper_of_other_people_from_the_first_line_to_the_report(dpclaims, tmp_path):
    pytest.importorskip("papermill")
    assert dpclaims("new", "roe2021/theorem-9", "--claims", "mine")[0] == 0
    status, out, _ = dpclaims("new", "roe2021/theorem-9", "--claims", "mine")
    assert status == 2
    assert dpclaims("new", "roe2021/theorem-2", "--kind", "rate", "--claims", "mine")[0] == 0
    (tmp_path / "pyproject.toml").write_text('[tool.dpclaims]\nclaims = ["mine"]\n')
    status, out, err = dpclaims("run", "roe2021/*", "--tier", "smoke", "-j", "2", "--out", "run")
    assert status == 0, out + err
    assert "3 claims, 3 as expected" in out
    assert dpclaims("rates", "roe2021/*", "--update")[0] == 0
    assert (tmp_path / "reports" / "baseline" / "roe2021.json").is_file()
    assert dpclaims("rates", "roe2021/*")[0] == 0
    status, out, _ = dpclaims("check", "mine")
    assert status == 0, out
    assert "0 problems" in out
    status, out, err = dpclaims("report", "--run", "run", "--out", "site")
    assert status == 0, err
    page = (tmp_path / "site" / "roe2021" / "theorem-9.html").read_text(encoding="utf-8")
    assert "The error is 1/n + 1/n²" in page


def test_doctor_finds_nothing_wrong_here(dpclaims):
    status, out, _ = dpclaims("doctor", "--json")
    document = json.loads(out)
    assert status == 0, document["problems"]
    assert document["facts"]["numpy"]


def test_a_foreign_package_of_the_same_name_is_refused(tmp_path):
    foreign = tmp_path / "site" / "audits"
    foreign.mkdir(parents=True)
    (foreign / "__init__.py").write_text("")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "dpclaims", "list"], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2
    assert "'audits'" in done.stderr
    assert "another distribution" in done.stderr


def test_an_interrupt_while_the_command_is_loaded_is_a_sentence(monkeypatch, capsys):
    import dpclaims

    class Loading:
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "claims.harness.commands.main", Loading())
    assert dpclaims.command() == 130
    _sentence(capsys.readouterr().err)
