"""The grey box: a program is recorded on a dataset and replayed on its neighbour with every release frozen.

`records` names what passes between the rooms `record`, `replay`, `explain`, `lines` and `ledger`. All but the
ledger import only NumPy and `audits.values`, and are written for Python 3.8: the worker of `audits.bridge`
loads this package by its path where a program's libraries are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audit import trace_privacy as trace_privacy
    from .result import TraceResult as TraceResult

__all__ = ["TraceResult", "trace_privacy"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError("audits.trace has no %r" % name)
    from importlib import import_module

    module = import_module(".result" if name == "TraceResult" else ".audit", __name__)
    return getattr(module, name)
