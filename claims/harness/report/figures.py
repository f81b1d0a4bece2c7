"""Figures are kept with the run that they show, keyed like a result by all that they are drawn from."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.harness.run.serialise import plain

if TYPE_CHECKING:
    from claims.harness.report.plots import Drawn


def kept(run: Path, drawn_from: Any, draw: Callable[[], Drawn]) -> Drawn:
    """The figure of `drawn_from` (what JSON can hold): read from the run's folder, or drawn and kept there.

    The module that draws and the version of Matplotlib belong to the key. A folder that cannot be written is
    no obstacle: the figure is drawn then.
    """
    from importlib.metadata import version

    from claims.harness.report import plots

    source = hashlib.sha256(Path(str(plots.__file__)).read_bytes()).hexdigest()
    text = json.dumps(plain([drawn_from, source, version("matplotlib")]), sort_keys=True)
    file = run / "figures" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"
    try:
        return plots.Drawn(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        pass  # not there, or broken: drawn anew
    drawn = draw()
    temporary = file.with_name(f".{os.getpid()}-{file.name}")
    try:
        file.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(asdict(drawn)), encoding="utf-8")
        os.replace(temporary, file)
    except OSError:
        pass
    return drawn
