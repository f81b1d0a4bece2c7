"""What the wheel contains, and what a researcher, a maintainer and an author do first with it alone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MEAN = (ROOT / "examples" / "my_mechanism.py").read_text(encoding="utf-8")
TEST = """
from noisy_mean import mechanism, pairs


def test_the_mean_is_private(assert_private):
    assert_private(mechanism, pairs, epsilon=1.0, adjacency="replace", max_samples=5_000)


def test_the_error_falls_like_one_over_n(assert_rate):
    cells = {"n": [100, 200, 400, 800, 1600, 3200], "risk": [1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4, 3.125e-4]}
    assert_rate(cells, risk="risk", axes=["n"], claimed={"n": -1.0})
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip("build", reason="needs the dev extra")
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(place), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (built,) = place.glob("dpclaims-*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_the_three_packages_and_what_they_read(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {n.split("/")[0] for n in names}
    metadata = {t for t in tops if t.endswith((".dist-info", ".data"))}
    modules = {"dpclaims.py", "dpclaims_packages.py", "dpclaims_pytest.py"}
    assert tops - metadata == {"claims", "audits", "implementations"} | modules
    present = set(names)
    for package in ("claims", "audits", "implementations"):
        for file in (ROOT / package).rglob("*.py"):
            assert file.relative_to(ROOT).as_posix() in present
        assert f"{package}/py.typed" in present
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert any(n.endswith(f"share/dpclaims/notebooks/{notebook.name}") for n in names)
    for baseline in (ROOT / "reports" / "baseline").glob("*.json"):
        assert any(n.endswith(f"share/dpclaims/reports/baseline/{baseline.name}") for n in names)
    for template in (ROOT / "claims" / "harness" / "templates").iterdir():
        assert template.relative_to(ROOT).as_posix() in present
    report = ROOT / "claims" / "harness" / "report"
    for file in (*(report / "templates").rglob("*.*"), *(report / "fonts").iterdir()):
        assert file.relative_to(ROOT).as_posix() in present
    for entry in (ROOT / "claims").glob("*/paper.bib"):
        assert entry.relative_to(ROOT).as_posix() in present
    for bugs in (ROOT / "claims" / "mutants").glob("*.*"):
        assert bugs.relative_to(ROOT).as_posix() in present
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert not any("tests" in n.split("/") for n in names)


def test_nothing_committed_names_a_place_on_a_machine():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("not a git checkout")
    here = {f"{place}/" for place in (ROOT, Path(sys.prefix))}
    for name in tracked.stdout.split():
        file = ROOT / name
        if file.suffix in {".py", ".md", ".toml", ".ipynb", ".json"} and file.exists():
            text = file.read_text(encoding="utf-8")
            assert not [place for place in here if place in text], name


# ---------------------------------------------------------------- what people do first, from the wheel


@pytest.fixture(scope="module")
def python(wheel) -> Path:
    """The Python of an environment that has the wheel, and finds other people's libraries where this one has
    them: what commands need beyond those is in the wheel, or they fail."""
    pytest.importorskip("pip", reason="installs the wheel with pip")
    place = wheel.parent
    venv.create(place / "environment")
    python = place / "environment" / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    # Behind the wheel's own packages; the files .pth in there, of an editable install, are not read.
    libraries = [p for p in sys.path if Path(p).name == "site-packages"] or [sysconfig.get_path("purelib")]
    Path(own, "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", str(wheel)]
    subprocess.run([python, *install], check=True, capture_output=True)
    return python


@pytest.fixture
def call(python: Path, tmp_path: Path):
    """Runs a command in an empty folder with nothing of this checkout: its status and what it printed."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    # The templates of nbconvert are data files of the environments that hold other people's libraries.
    homes = {sys.prefix, *(str(Path(p).parents[2]) for p in sys.path if Path(p).name == "site-packages")}
    places = [os.environ.get("JUPYTER_PATH", ""), *(f"{home}/share/jupyter" for home in sorted(homes))]
    kept["JUPYTER_PATH"] = os.pathsep.join(filter(None, places))
    environment = kept | {"XDG_CACHE_HOME": str(tmp_path / ".cache"), "PYTHONUTF8": "1", "COLUMNS": "100"}

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [str(python), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, done.stdout

    _, where = run("-c", "import claims; print(claims.__file__)")
    assert str(python.parents[1]) in where
    return run


@pytest.mark.slow
def test_a_researcher_asks_whether_a_lemma_holds(call, tmp_path: Path) -> None:
    status, out = call("-m", "dpclaims", "show", "song2021/theorem-3.1")
    assert (status, out.splitlines()[0]) == (0, "Theorem 3.1 (song2021) holds to the letter only.")
    for command in (["run", "song2021/lemma-b.2", "--tier", "smoke"], ["mutants", "asi2024-threshold-*"]):
        status, out = call("-m", "dpclaims", *command)
        assert status == 0, out
    assert call("-m", "dpclaims", "errata", "asi2024", "--out", "errata")[0] == 0
    status, out = call("-m", "dpclaims", "report", "--out", "site")
    assert status == 0
    page = (tmp_path / "site" / "song2021" / "lemma-b.2.html").read_text(encoding="utf-8")
    assert "Fingerprinting identity" in page
    assert (tmp_path / "site" / "song2021" / "lemma-b.2.ipynb").is_file()


@pytest.mark.slow
def test_every_notebook_that_the_report_does_not_execute_runs_from_a_copy(call, tmp_path: Path) -> None:
    assert call("-m", "dpclaims", "notebooks", "all", "copies")[0] == 0
    names = {file.stem for file in (tmp_path / "copies").iterdir()}
    assert names == {file.stem for file in (ROOT / "notebooks").glob("*.ipynb")}
    for name in sorted(names - {"suite", "paper", "claim"}):
        status, out = call("-m", "papermill", "-k", "python3", f"copies/{name}.ipynb", f"{name}.ipynb")
        assert status == 0, (name, out)


@pytest.mark.slow
def test_an_author_checks_a_claim_that_imports_from_dpclaims(call, tmp_path: Path) -> None:
    """Other people's packages stand beside ours there; SciPy and IPython are none of ours."""
    call("-m", "dpclaims", "new", "doe2020/theorem-9", "--claims", "papers")
    file = tmp_path / "papers" / "doe2020" / "theorem_9.py"
    names = "from dpclaims import Gaussian, hockey_stick\nfrom claims import"
    file.write_text(
        file.read_text(encoding="utf-8").replace("from claims import", names, 1), encoding="utf-8"
    )
    for command in ("run", "check"):
        status, out = call("-m", "dpclaims", command, "doe2020", "--claims", "papers")
        assert status == 0, out
    closure = "sorted(Sources(roots_of(Path('papers').resolve())).closure('doe2020.theorem_9'))"
    code = f"from pathlib import Path\nfrom claims.harness.closure import *\nprint(*{closure})"
    ours = {name.split(".")[0] for name in call("-c", code)[1].split()}
    assert ours <= {"claims", "audits", "implementations", "dpclaims", "dpclaims_packages", "doe2020"}


@pytest.mark.slow
def test_a_maintainer_asks_whether_a_mechanism_keeps_its_promise(call, tmp_path: Path) -> None:
    (tmp_path / "noisy_mean.py").write_text(MEAN, encoding="utf-8")
    status, out = call("-m", "dpclaims", "audit", "noisy_mean.py:too_little_noise", "--max-samples", "40000")
    assert status == 1
    assert out.startswith("REFUTED: ε ≥ ")
    status, out = call("-m", "dpclaims", "trace", "noisy_mean.py:too_little_noise")
    assert status == 1
    assert "noisy_mean.py:17" in out


@pytest.mark.slow
def test_an_author_keeps_exponents_and_both_stand_in_pytest(call, tmp_path: Path) -> None:
    cells = "n,risk\n" + "\n".join(f"{100 * 2**k},{0.01 / 2**k}" for k in range(6))
    (tmp_path / "cells.csv").write_text(cells + "\n", encoding="utf-8")
    rates = ("-m", "dpclaims", "rates", "--csv", "cells.csv", "--risk", "risk", "--axis", "n", "--claimed")
    assert call(*rates, "n=-1", "--baseline", "exponents.json", "--update")[0] == 0
    assert call(*rates, "n=-1", "--baseline", "exponents.json")[0] == 0
    assert call(*rates, "n=-2")[0] == 1
    (tmp_path / "noisy_mean.py").write_text(MEAN, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TEST, encoding="utf-8")
    status, out = call("-m", "pytest", "-q", "test_it.py", "--dp-alpha", "0.01", "-p", "no:cacheprovider")
    assert "2 passed" in out, out
    assert status == 0
