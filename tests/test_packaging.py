"""What the wheel contains, and that the layers hold."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_wheel_holds_the_three_packages_and_what_they_read(tmp_path):
    pytest.importorskip("build", reason="needs the dev extra")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("dpclaims-*.whl")
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
