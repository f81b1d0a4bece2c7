"""Figures are kept in the user's cache folder, keyed by all that they are drawn from.

They go onto pages as they are, so that none is read from a run folder, which may come from anybody.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.values import plain
from claims.harness.index import cache_folder
from claims.harness.run.temporary import temporary_name

if TYPE_CHECKING:
    from claims.harness.report.plots import Drawn

MOST = 4000
"""Figures that are kept; the oldest go first."""


def kept(drawn_from: Any, draw: Callable[[], Drawn]) -> Drawn:
    """The figure of `drawn_from` (what JSON can hold): read from the cache, or drawn and kept there.

    The module that draws and the version of Matplotlib belong to the key. A folder that cannot be written is
    no obstacle: the figure is drawn then.
    """
    from importlib.metadata import version

    from claims.harness.report import plots

    source = hashlib.sha256(Path(str(plots.__file__)).read_bytes()).hexdigest()
    text = json.dumps(plain([drawn_from, source, version("matplotlib")]), sort_keys=True)
    name = f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"
    with suppress(OSError, RuntimeError, ValueError, TypeError):  # not there, or broken: drawn anew
        return plots.Drawn(**json.loads((_folder() / name).read_text(encoding="utf-8")))
    drawn = draw()
    with suppress(OSError, RuntimeError):
        _write(_folder() / name, json.dumps(asdict(drawn)))
    return drawn


def _folder() -> Path:
    return cache_folder() / "figures"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(temporary_name(file.name))
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
    if file.name.startswith("00"):  # one figure of 256: looking through the folder takes time
        old = sorted(file.parent.iterdir(), key=lambda each: each.stat().st_mtime_ns)
        for each in old[:-MOST]:
            each.unlink(missing_ok=True)
