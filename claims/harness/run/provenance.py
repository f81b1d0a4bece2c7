"""Where a result comes from: versions, digest of the data, platform."""

from __future__ import annotations

import hashlib
import os
import platform
import site
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("dpclaims", "numpy", "scipy", "statsmodels", "pandas", "pyarrow", "joblib")
EXTRAS = {
    "report": (
        "ipykernel", "jinja2", "latex2mathml", "matplotlib", "mistune", "nbconvert", "nbformat", "papermill"
    ),
    "cluster": ("distributed",),
    "interop": ("dp_accounting", "diffprivlib", "opendp"),
}  # fmt: skip
"""The libraries of each extra of the distribution."""


def data_digest(data: Path | None) -> str | None:
    """SHA-256 of a data file, or of the names and contents of the files of a data folder.

    Raises OSError where the path does not exist or cannot be read.
    """
    if data is None:
        return None
    files = sorted(f for f in data.iterdir() if f.is_file()) if data.is_dir() else [data]
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest.update(file.name.encode() + b"\0" + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Python and the libraries that results depend on; "absent" where one is not installed."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def numerics() -> dict[str, str]:
    """The libraries whose versions change results."""
    return {name: version(name) for name in ("numpy", "scipy")}


def machine() -> dict[str, str | int]:
    """Operating system, processor architecture and number of cores."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count() or 1,
        "byteorder": sys.byteorder,
    }


def data_folder(name: str) -> Path:
    """Where a folder that comes with the project lies: beside the packages, or where an installer put it.

    `name` is "notebooks" or "reports".
    """
    root, shared = Path(__file__).resolve().parents[3], Path("share") / "dpclaims" / name
    installed = Path(sysconfig.get_path("data")) / shared
    places = (root / name, installed, root / shared, Path(site.getuserbase()) / shared)
    return next((place for place in places if place.is_dir()), installed)
