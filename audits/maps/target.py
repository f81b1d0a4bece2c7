"""The object of a TARGET: ``file.py:name``, a module's name, or what a function of that name returns."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from audits import adapters
from audits.foreign.calls import Failed, called
from audits.maps.program import lines_of


def load(target: str) -> tuple[Any, tuple[str, ...]]:
    """(the object, the lines of Python that make it under the name `checked`).

    A function that needs no arguments is called. Raises ValueError, one sentence, where there is no such
    object, or where its file cannot be imported.
    """
    place, colon, name = target.rpartition(":")
    if place.endswith(".py"):
        file = Path(place)
        found = adapters.inside(_imported(file), name.split("."), place)
        lines = tuple(lines_of(file, name, _call(found)))
    elif target.endswith(".py") or not name:
        raise ValueError(
            f"TARGET must name an object, as file.py:name or package.module:name, got {target!r}"
        )
    else:
        sys.path.insert(0, str(Path.cwd()))
        dotted = f"{place}.{name}" if colon else name
        found = adapters.named(dotted)
        module, _, last = dotted.rpartition(".")
        lines = (f"from {module} import {last}", f"checked = {last}{_call(found)}")
    return (_called(found, target) if _call(found) else found), lines


def _call(found: Any) -> str:
    """ "()" for a function that returns the object; "" for the thing to check, a function with a map, too."""
    return "()" if inspect.isfunction(found) and not hasattr(found, "stability") else ""


def _called(function: Any, target: str) -> Any:
    """What a function returns that needs no arguments."""
    if needed := adapters.missing(function, {}, 0):
        raise ValueError(
            f"TARGET: {target} needs {', '.join(needed)}: name an object, or a function without arguments "
            "that returns one; a function of your own has its map in attributes `domain` and `stability`"
        )
    return _required(f"TARGET: {target}", function)


def _imported(file: Path) -> Any:
    if not file.is_file():
        raise ValueError(f"TARGET: no such file: {file}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules.setdefault(file.stem, module)
    _required(f"TARGET: importing {file}", spec.loader.exec_module, module)
    return module


def _required(what: str, function: Any, *arguments: Any) -> Any:
    """The result of the user's own code; ValueError, `what` and what the code did, where it gives none."""
    found = called(function, *arguments)
    if type(found) is Failed:
        raise ValueError(f"{what} {found.sentence}") from found.error
    return found
