"""The oldest versions are those of pyproject.toml."""

from __future__ import annotations

from pathlib import Path

from tests.versions.oldest import oldest

ROOT = Path(__file__).resolve().parents[2]


def test_every_dependency_has_a_lower_bound_and_pandas_one_that_takes_numpy_2():
    found = dict(line.split("==") for line in oldest(ROOT / "pyproject.toml"))
    assert {"numpy", "scipy", "pandas", "papermill", "dask"} <= set(found)
    assert found["pandas"] == "2.2.2"  # 2.2.0 and 2.2.1 want NumPy 1
