"""Claims: one module a result of a paper, and the machinery that runs, stores and reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__distribution__ = "dpclaims"

if TYPE_CHECKING:
    from claims._discover import load
    from claims._run import run

__all__ = ["load", "run"]


def __getattr__(name: str) -> Any:
    # pandas and SciPy load with the first run, not with `import claims`.
    import importlib

    homes = {"load": "claims._discover", "run": "claims._run"}
    if name not in homes:
        raise AttributeError(f"module 'claims' has no attribute {name!r}")
    return getattr(importlib.import_module(homes[name]), name)
