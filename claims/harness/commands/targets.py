"""What `dpclaims audit` audits: a file, a module, an object of a library, here or in another Python."""

from __future__ import annotations

import ast
import atexit
import contextlib
import importlib
import importlib.util
import math
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from claims.harness.commands.asked import Asked

ADD_REMOVE = "add-remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a module says of its mechanism; ε and δ are the module's defaults, None where it has none."""

    name: str
    mechanism: Callable[..., Any]
    pairs: Any
    adjacency: Any
    epsilon: float | None
    delta: float | None
    score: Callable[..., Any] | None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The (ε, δ) that a target is held against."""

    epsilon: float
    delta: float


def load_target(target: str, adjacency: str | None = None) -> Target:
    """The mechanism and what its module says of it.

    `target` is "file.py", "file.py:name" or "package.module:name"; without a name it is `mechanism`. The
    `adjacency` that was asked for stands in where the module has none.
    Raises ValueError, one sentence, where something is missing or the module cannot be imported.
    """
    place, name = _split(target)
    module = _import_file(Path(place)) if _is_file(place) else _import_module(place)
    where = f"{place}: "
    if not hasattr(module, name):
        raise ValueError(f"{where}no {name!r} in it; define {name}(data, size, rng) or name another one")
    mechanism = getattr(module, name)
    if not callable(mechanism):
        raise ValueError(f"{where}{name} must be a function (data, size, rng) -> array, got {mechanism!r}")
    if not hasattr(module, "pairs"):
        raise ValueError(
            f"{where}no 'pairs' in it; give a list of neighbouring datasets (D, D′) or a function pairs(rng)"
        )
    score = getattr(module, "score", None)
    if score is not None and not callable(score):
        raise ValueError(f"{where}score must be a function of the outputs, got {score!r}")
    return Target(
        name=target if ":" in target else f"{place}:{name}",
        mechanism=mechanism,
        pairs=module.pairs,
        adjacency=_relation(getattr(module, "adjacency", None), adjacency, where),
        epsilon=_module_number(module, "epsilon", where),
        delta=_module_number(module, "delta", where),
        score=score,
    )


def _relation(of_file: Any, asked: str | None, where: str) -> Any:
    """The adjacency of a file's pairs; that which was asked for where the file has none."""
    known = {"replace": "replace", **dict.fromkeys(("add", "remove", ADD_REMOVE), ADD_REMOVE)}
    found = known.get(asked or "") if of_file is None else of_file
    if found is not None:
        return found
    raise ValueError(
        f'{where}no \'adjacency\' in it; give "replace", "add-remove", "replace-item" or a function '
        "(D, D′) -> bool, or --adjacency replace or add-remove"
    )


def load_remote(target: str, asked: Asked) -> Target:
    """The same of a file that another Python runs; see `audits.remote`."""
    from audits.bridge import remote

    place, name = _split(target)
    if not _is_file(place):
        raise ValueError(f"TARGET must be a file for --python and --with, got {target!r}")
    if asked.with_packages:
        print(f"dpclaims: an environment with {', '.join(asked.with_packages)}", file=sys.stderr)
    mechanism = remote(_interpreter(asked), place, name)
    if mechanism.pairs is None:
        raise ValueError(f"{place}: no 'pairs' in it")
    return Target(
        name=f"{target if ':' in target else f'{place}:{name}'} in Python {mechanism.python_version}",
        mechanism=mechanism,
        pairs=mechanism.pairs,
        adjacency=_relation(mechanism.adjacency, asked.adjacency, f"{place}: "),
        epsilon=mechanism.epsilon,
        delta=mechanism.delta,
        score=None,
    )


def load_any(target: str, asked: Asked) -> tuple[str | None, Target]:
    """(adjacency, target) of a file, a module, or an object of a library, here or in another Python."""
    if is_library_object(target):
        # Most libraries do not say which datasets are neighbours; `adjacent` knows those that do.
        return asked.adjacency or "all", load_library(target, asked)
    if asked.set_options or asked.schema:
        raise ValueError(f"--set and --schema are for a function of a library, got {target!r}")
    if asked.python is not None or asked.with_packages:
        return asked.adjacency, load_remote(target, asked)
    return asked.adjacency, load_target(target, asked.adjacency)


def place_of(target: str, mechanism: Callable[..., Any] | None = None) -> tuple[str, int]:
    """File and line of a target, for annotations: those of the function, else of the file that was named."""
    from claims.harness.exchange import from_here, line_of

    file, line = ("", 0) if mechanism is None else line_of(mechanism)
    if file or is_library_object(target):
        return file, line
    named, _ = _split(target)
    return (from_here(named), 1) if _is_file(named) else ("", 0)


def is_library_object(target: str) -> bool:
    """Whether TARGET is the dotted name of something in a module: `diffprivlib.tools.mean`."""
    if _is_file(target) or ":" in target or "." not in target:
        return False
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.util.find_spec(target) is None
    except (ImportError, ValueError):  # its parent is no package, or is not installed here
        return True


def load_library(target: str, asked: Asked) -> Target:
    """A function, an estimator, a measurement or an algorithm of a library; its pairs come from the stock."""
    from audits import adapters

    options = dict(_option(text) for text in asked.set_options)
    if asked.python is None and not asked.with_packages:
        found = adapters.named(target)
        mechanism, claim = adapters.adapted(found, asked.epsilon, options)
        name, adjacency = target, adapters.adjacency_of(found, options.get("distance", 1))
    else:
        mechanism = _library_elsewhere(target, options, asked)
        name, claim = f"{target} in Python {mechanism.python_version}", mechanism.epsilon
        adjacency = mechanism.adjacency
    return Target(
        name=name,
        mechanism=mechanism,
        pairs=None,
        adjacency=adjacency,
        epsilon=claim,
        delta=None,
        score=None,
    )


def _library_elsewhere(target: str, options: dict[str, Any], asked: Asked) -> Any:
    from audits import adapters
    from audits.bridge import remote

    lines = (
        "import importlib.util, sys",
        f"spec = importlib.util.spec_from_file_location('adapters', {str(adapters.__file__)!r})",
        "adapters = importlib.util.module_from_spec(spec)",
        "spec.loader.exec_module(adapters)",
        f"sys.path.insert(0, {str(Path.cwd())!r})",
        f"found, options = adapters.named({target!r}), {options!r}",
        f"mechanism, epsilon = adapters.adapted(found, {asked.epsilon!r}, options)",
        "adjacency = adapters.adjacency_of(found, options.get('distance', 1))",
    )
    # Workers that start later read the file again, so that it lives as long as this process.
    folder = tempfile.mkdtemp(prefix="dpclaims-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder) / "library_object.py"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return remote(_interpreter(asked), file)
    except ValueError as error:
        # The user knows nothing of that file.
        raise ValueError(str(error).replace(f"{file} in ", "")) from error


def _interpreter(asked: Asked) -> Path:
    """The Python that runs the file: of an environment with the packages, or the one that was named."""
    from audits.environments import environment, interpreter

    if asked.with_packages:
        return environment(asked.with_packages, python=asked.python, folder=asked.envs)
    return interpreter(asked.python)


def adjacent(loaded: Target, adjacency: str, claim: Claimed, asked: Asked) -> list[Target]:
    """The target under "replace", "add" and "remove", or one of them, each with its pairs.

    An object of a library gets pairs of the stock for data of the schema asked for, those that a search finds
    to show most; a file keeps its own, made into pairs of the other adjacency.
    """
    import numpy as np

    from audits.privacy.draw.pairs import take_pairs
    from audits.stock import ADJACENCIES, derived, search, stock

    names = {**{kind: (kind,) for kind in ADJACENCIES}, ADD_REMOVE: ("add", "remove"), "all": ADJACENCIES}
    if adjacency not in names:
        raise ValueError(f"--adjacency must be one of {', '.join(names)}, got {adjacency!r}")
    kinds = names[adjacency]
    known: Any = loaded.adjacency
    if loaded.pairs is None and known is not None:
        # The claim is made for one relation; under another one it says nothing.
        meant = ("replace",) if known == "replace" else ("add", "remove")
        kinds = [kind for kind in kinds if kind in meant]
        if not kinds:
            raise ValueError(
                f"--adjacency {adjacency}: the claim of {loaded.name} is made for {' and '.join(meant)}"
            )
    shape = schema_of(asked.schema, asked.set_options)
    found: list[Target] = []
    for place, kind in enumerate(kinds):
        # The search and the audit draw from generators of their own.
        rng = np.random.default_rng([asked.seed, place, 1])
        if loaded.pairs is None:
            best = search(
                loaded.mechanism,
                stock(shape, kind),
                (claim.epsilon, claim.delta),
                rng=rng,
                errors=asked.errors,
                say=lambda words, kind=kind: print(f"dpclaims: {kind}: {words}", file=sys.stderr),
            )
            pairs, words = [one.pair for one in best], "; ".join(one.name for one in best)
        else:
            own, _ = take_pairs(loaded.pairs, rng, cast(Any, known))
            pairs = [other for pair in own for other in derived(pair, kind)]
            words = "pairs derived from the file's"
        relation = "replace" if kind == "replace" else "add-remove"
        name = f"{loaded.name} under {kind} ({words})"
        found.append(replace(loaded, name=name, pairs=pairs, adjacency=relation, label=kind))
    return found


def _option(text: str, flag: str = "--set") -> tuple[str, Any]:
    """Name and value of NAME=VALUE, the text given to the option `flag`; a literal of Python is evaluated.

    >>> _option("bounds=0,1"), _option("kind=fast"), _option("x=None")
    (('bounds', (0, 1)), ('kind', 'fast'), ('x', None))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"{flag} must be NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def schema_of(text: str | None, set_options: Sequence[str]) -> Any:
    """The schema of the data: what --schema says, within the bounds that the function is given."""
    from dataclasses import fields

    from audits.stock import Schema

    options = dict(_option(option) for option in set_options)
    bounds = options.get("bounds", options.get("range", (0.0, 1.0)))
    low = options.get("lower_bound", options.get("lower", bounds[0]))
    high = options.get("upper_bound", options.get("upper", bounds[1]))
    said: dict[str, Any] = {"low": low, "high": high}
    known = [field.name for field in fields(Schema)]
    given: dict[str, Any] = {}
    for part in filter(None, (text or "").split(",")):
        name, value = _option(part, "--schema")
        if name not in known or name in given:
            raise ValueError(f"--schema knows {', '.join(known)}, each once, got {name!r} in {text!r}")
        given[name] = value
    try:
        return Schema(**(said | given))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{f'--schema {text}' if text else '--set'}: {error}") from None


def _split(target: str) -> tuple[str, str]:
    """The file or module, and the name in it; the colon of a Windows drive letter is none of ours.

    >>> _split("a/b.py"), _split("a/b.py:noisy"), _split("C:/b.py"), _split("pack.mod:noisy")
    (('a/b.py', 'mechanism'), ('a/b.py', 'noisy'), ('C:/b.py', 'mechanism'), ('pack.mod', 'noisy'))
    """
    place, colon, name = target.rpartition(":")
    if not colon or "/" in name or "\\" in name:
        return target, "mechanism"
    if not place or not name.isidentifier():
        raise ValueError(f"TARGET must be file.py, file.py:name or package.module:name, got {target!r}")
    return place, name


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or "\\" in place


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"TARGET: no such file: {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"TARGET: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As `python file.py` does: modules next to it can be imported, and dataclasses find their module.
    sys.path.insert(0, str(path.resolve().parent))
    if path.stem not in sys.modules:
        sys.modules[path.stem] = module
    with _import_errors(str(path)):
        spec.loader.exec_module(module)
    return module


def _import_module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"TARGET must be file.py, file.py:name or package.module:name, got {name!r}")
    sys.path.insert(0, str(Path.cwd()))
    with _import_errors(name):
        return importlib.import_module(name)


@contextlib.contextmanager
def _import_errors(place: str) -> Iterator[None]:
    try:
        yield
    except SystemExit as error:
        raise ValueError(f"TARGET: importing {place} called exit({error.code!r})") from error
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if place in f.filename]
        line = f" (line {frames[-1].lineno})" if frames else ""
        message = " ".join(str(error).split())
        kind = type(error).__name__
        raise ValueError(f"TARGET: importing {place} raised {kind}: {message}{line}") from error


def _module_number(module: ModuleType, name: str, where: str) -> float | None:
    value = getattr(module, name, None)
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{where}{name} must be a number, got {value!r}") from None
    upper, rule = (1.0, "in [0, 1)") if name == "delta" else (math.inf, "finite and ≥ 0")
    if not 0.0 <= number < upper:
        raise ValueError(f"{where}{name} must be {rule}, got {value!r}")
    return number
