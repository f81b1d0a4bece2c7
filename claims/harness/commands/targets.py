"""What `dpclaims audit` audits: a file, a module, an object of a library, here or in another Python."""

from __future__ import annotations

import ast
import atexit
import functools
import importlib
import importlib.util
import inspect
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from audits.foreign.calls import Failed, called
from claims.harness.commands.asked import Asked

if TYPE_CHECKING:
    from audits.privacy.claims import Claim

ADD_REMOVE = "add-remove"
BOUNDS = "bounds", "range", "lower", "upper", "lower_bound", "upper_bound"
"""Options that tell a function the bounds of its data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a module says of its mechanism; ε and δ, or a claim in another unit, are its defaults, or None.

    guessed  what was guessed of the data of a function, in words.
    """

    name: str
    mechanism: Callable[..., Any]
    pairs: Any
    adjacency: Any
    epsilon: float | None
    delta: float | None
    claim: Claim | None = None
    label: str = ""
    guessed: str = ""


def load_any(target: str, asked: Asked, *, as_it_is: bool = False) -> tuple[str | None, Target]:
    """(adjacency, target) of a file, a module, or a name in one, here or in another Python.

    "file.py:name", "package.module:name" and "package.module.name" are the same; without a name it is
    `mechanism`. A function that is no mechanism(data, size, rng) is called with --set. Where neither its
    module has pairs they come from the stock, under every adjacency unless the library says
    which it means. `as_it_is`: a function beside pairs is not wrapped, whatever it takes. Raises ValueError,
    one sentence, where something is missing or cannot be imported.
    """
    if asked.python is not None or asked.with_packages:
        loaded = _load_elsewhere(target, asked)
    else:
        loaded = _load_here(target, asked, as_it_is)
    return (asked.adjacency or "all") if loaded.pairs is None else None, loaded


def _load_here(target: str, asked: Asked, as_it_is: bool) -> Target:
    from audits import adapters

    module, names, where = module_of(target)
    found, options = adapters.inside(module, names, where.strip(": ")), _options(asked.set_options)
    pairs = getattr(module, "pairs", None) if asked.schema is None else None
    epsilon = _module_number(module, "epsilon", where)
    relation: Any = getattr(module, "adjacency", None)
    if _draws(found, pairs is not None and not options, 0 if as_it_is else 3):
        if options:
            adapters.must_be_taken(found, [*options])
        mechanism = functools.partial(found, **options) if options else found
        if not callable(mechanism):
            raise ValueError(
                f"{where}{names[-1]} must be a function (data, size, rng) -> array, got {found!r}"
            )
        if pairs is None and asked.schema is None:
            raise ValueError(
                f"{where}no 'pairs' in it; give a list of neighbouring datasets (D, D′), a function "
                "pairs(rng), or --schema"
            )
    else:
        claim = epsilon if asked.epsilon is None else asked.epsilon
        mechanism, epsilon = adapters.adapted(found, claim, options)
    if pairs is not None:
        relation = _relation(relation, asked, where)
    elif relation not in ("replace", ADD_REMOVE):
        relation = None
    return Target(
        name=target if ":" in target or is_library_object(target) else f"{target}:mechanism",
        mechanism=mechanism,
        pairs=pairs,
        adjacency=relation,
        epsilon=epsilon,
        delta=_module_number(module, "delta", where),
        claim=_module_claim(module, where),
        guessed=_guessed(pairs, asked, lambda: adapters.data_name(found, _again(asked, target))),
    )


def _draws(found: Any, paired: bool, many: int) -> bool:
    """Whether this is a mechanism(data, size, rng): it says so, or takes so many arguments, claims no ε and
    stands beside pairs."""
    if isinstance(found, type) or hasattr(found, "input_metric"):
        return False
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return paired
    says = hasattr(found, "replayable") or "size" in signature.parameters
    if says or not paired:
        return says
    try:
        signature.bind_partial(*range(many))
    except TypeError:
        return False
    return "epsilon" not in signature.parameters


def _again(asked: Asked, target: str) -> str:
    """The command that was given, the claim with it."""
    return asked.again(target) + ("" if asked.epsilon is None else f" --epsilon {asked.epsilon:g}")


def _guessed(pairs: Any, asked: Asked, name: Callable[[], str]) -> str:
    """What was guessed of the data, in words; empty where they were given."""
    if pairs is not None or asked.schema is not None:
        return ""
    found = name()
    what = f"`{found}` as " if found else ""
    return f"{what}{schema_of(None, asked.set_options)}; for other data give --schema, or pairs in a file"


def module_of(target: str) -> tuple[ModuleType, list[str], str]:
    """The module of a target, the names in it, and the beginning of a sentence on it."""
    from audits import adapters

    if is_library_object(target):
        adapters.named(target)
        parts = target.split(".")
        many = next(n for n in range(len(parts) - 1, 0, -1) if ".".join(parts[:n]) in sys.modules)
        return sys.modules[".".join(parts[:many])], parts[many:], f"{target}: "
    place, name = split(target)
    module = _import_file(Path(place)) if is_file(place) else _import_module(place)
    names = name.split(".")
    if not hasattr(module, names[0]):
        own = [
            n for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__
        ]
        todo = f"write def release(data), which returns what is released, and audit {place}:release"
        if own:
            todo = f"name a function that it has, as {place}:{own[0]}"
        raise ValueError(f"{place}: no {name!r} in it: {todo}")
    return module, names, f"{place}: "


def _relation(of_file: Any, asked: Asked, where: str) -> Any:
    """The adjacency of given pairs: that of the file, else that which was asked for. ValueError where these
    differ."""
    known = {"replace": "replace", **dict.fromkeys(("add", "remove", ADD_REMOVE), ADD_REMOVE)}
    wanted = known.get(asked.adjacency or "")
    if asked.adjacency and wanted is None:
        raise ValueError(
            f"--adjacency must be one of {', '.join(known)} for given pairs, got {asked.adjacency!r}"
        )
    if wanted is not None and of_file is not None and known.get(of_file) != wanted:
        raise ValueError(
            f"--adjacency {asked.adjacency}: {where}its pairs are neighbours by {of_file!r}; others come "
            "from --schema"
        )
    found = wanted if of_file is None else of_file
    if found is not None:
        return found
    raise ValueError(
        f'{where}no \'adjacency\' in it; give "replace", "add-remove", "replace-item" or a function '
        "(D, D′) -> bool, or --adjacency replace or add-remove"
    )


def _options(texts: Sequence[str]) -> dict[str, Any]:
    """The values of --set by their names."""
    found: dict[str, Any] = {}
    for name, value in map(_option, texts):
        if name in found:
            raise ValueError(f"--set names {name!r} twice, got {found[name]!r} and {value!r}")
        found[name] = value
    return found


def _load_elsewhere(target: str, asked: Asked) -> Target:
    """The same of a target that another Python runs; see `audits.remote`."""
    from audits.bridge import remote

    if asked.with_packages:
        print(f"dpclaims: an environment with {', '.join(asked.with_packages)}", file=sys.stderr)
    place, name = split(target)
    if is_file(place) and not (asked.set_options or asked.schema):
        mechanism = remote(_interpreter(asked), place, name)
        if mechanism.pairs is None:
            raise ValueError(f"{place}: no 'pairs' in it; give some, or --schema")
    else:
        mechanism = _adapted_elsewhere(target, asked)
    pairs = mechanism.pairs if asked.schema is None else None
    relation = mechanism.adjacency
    named = f"{place}:{name}" if is_file(place) and ":" not in target else target
    return Target(
        name=f"{named} in Python {mechanism.python_version}",
        mechanism=mechanism,
        pairs=pairs,
        adjacency=relation if pairs is None else _relation(relation, asked, f"{place}: "),
        epsilon=mechanism.epsilon,
        delta=mechanism.delta,
        guessed=_guessed(pairs, asked, str),
    )


def place_of(target: str, mechanism: Callable[..., Any] | None = None) -> tuple[str, int]:
    """File and line of a target, for annotations: those of the function, else of the file that was named."""
    from claims.harness.exchange import from_here, line_of

    file, line = ("", 0) if mechanism is None else line_of(mechanism)
    if file or is_library_object(target):
        return file, line
    named, _ = split(target)
    return (from_here(named), 1) if is_file(named) else ("", 0)


def is_library_object(target: str) -> bool:
    """Whether TARGET is the dotted name of something in a module: `diffprivlib.tools.mean`."""
    if is_file(target) or ":" in target or "." not in target:
        return False
    _let_import_from_here(target)
    try:
        return importlib.util.find_spec(target) is None
    except Exception:  # its parent is no package, is not installed here, or fails
        return True


def _adapted_elsewhere(target: str, asked: Asked) -> Any:
    """A function or an estimator, adapted by a file that the other Python runs."""
    from audits import adapters
    from audits.bridge import remote

    place, name = split(target)
    # What runs the file is `audits.bridge_worker`.
    lines = ["import sys", "from __main__ import by_path, load"]
    lines.append(f"adapters = by_path('audits.adapters', {str(adapters.__file__)!r})")
    if is_file(place):
        names = name.split(".")
        lines.append(f"module = load({str(Path(place).resolve())!r}, {names[0]!r})")
        lines.append(f"found = adapters.inside(module, {names!r}, {target!r})")
        lines.append("pairs, adjacency = getattr(module, 'pairs', None), getattr(module, 'adjacency', None)")
    else:
        lines.append(f"sys.path.insert(0, {str(Path.cwd())!r})")
        lines.append(f"found = adapters.named({target.replace(':', '.')!r})")
    options = _options(asked.set_options)
    if asked.schema is None:
        lines.append(f"adapters.data_name(found, {_again(asked, target)!r})")
    lines.append(f"mechanism, epsilon = adapters.adapted(found, {asked.epsilon!r}, {options!r})")
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
        return environment(asked.with_packages, python=asked.python)
    return interpreter(asked.python)


Choose = Callable[[str, Sequence[Any], Any], tuple[Sequence[Any], str]]
"""``choose(kind, known, rng)``: the pairs to try of those that the stock knows, with their names in words."""


def adjacent(loaded: Target, adjacency: str, asked: Asked, choose: Choose) -> list[Target]:
    """The target under "replace", "add" and "remove", or one of them, each with its pairs.

    The pairs are those of the stock for data of the schema asked for that are chosen.
    """
    import numpy as np

    from audits.stock import ADJACENCIES, OUT_OF_BOUNDS, stock

    names = {**{kind: (kind,) for kind in ADJACENCIES}, ADD_REMOVE: ("add", "remove"), "all": ADJACENCIES}
    if adjacency not in names:
        raise ValueError(f"--adjacency must be one of {', '.join(names)}, got {adjacency!r}")
    shape = schema_of(asked.schema, asked.set_options)
    kinds = ("replace",) if adjacency == "all" and shape.value else names[adjacency]
    known: Any = loaded.adjacency
    if known is not None:
        # The claim is made for one relation; under another one it says nothing.
        meant = ("replace",) if known == "replace" else ("add", "remove")
        kinds = [kind for kind in kinds if kind in meant]
        if not kinds:
            raise ValueError(
                f"--adjacency {adjacency}: the claim of {loaded.name} is made for {' and '.join(meant)}"
            )
    found: list[Target] = []
    for place, kind in enumerate(kinds):
        # The search and the audit draw from generators of their own.
        rng = np.random.default_rng([asked.seed, place, 1])
        # Who was not told the bounds may rely on them.
        told = not loaded.guessed or any(name in BOUNDS for name in _options(asked.set_options))
        usual = [one for one in stock(shape, kind) if told or OUT_OF_BOUNDS not in one.name]
        chosen, words = choose(kind, usual, rng)
        name = f"{loaded.name} under {kind}" + (f" ({words})" if words else "")
        pairs, relation = [one.pair for one in chosen], shape.relation(kind)
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

    options = _options(set_options)
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


def split(target: str) -> tuple[str, str]:
    """The file or module, and the name in it; the colon of a Windows drive letter is none of ours.

    >>> split("a/b.py"), split("a/b.py:noisy"), split("C:/b.py"), split("pack.mod:noisy")
    (('a/b.py', 'mechanism'), ('a/b.py', 'noisy'), ('C:/b.py', 'mechanism'), ('pack.mod', 'noisy'))
    """
    place, colon, name = target.rpartition(":")
    if not colon or "/" in name or "\\" in name:
        return target, "mechanism"
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"TARGET must be file.py, file.py:name or package.module:name, got {target!r}")
    return place, name


def is_file(place: str) -> bool:
    """Whether the part of a TARGET before the colon, or all of it, is a file, not a module."""
    return place.endswith(".py") or "/" in place or "\\" in place


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"TARGET: no such file: {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"TARGET: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As with `python file.py`, modules next to it can be imported, and dataclasses find their module.
    _let_import(path.resolve().parent)
    if path.stem not in sys.modules:
        sys.modules[path.stem] = module
    _import_checked(str(path), spec.loader.exec_module, module)
    return module


def _import_module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"TARGET must be file.py, file.py:name or package.module:name, got {name!r}")
    _let_import_from_here(name)
    return _import_checked(name, importlib.import_module, name)


def _let_import_from_here(name: str) -> None:
    """Let the module be imported from the current folder if it stands there."""
    here, top = Path.cwd(), name.partition(".")[0]
    if (here / top).is_dir() or (here / f"{top}.py").is_file():
        _let_import(here)


def _let_import(folder: Path) -> None:
    """Let modules of a folder be imported, before installed ones and after those of Python itself: a file
    that happens to be called random.py stands in nobody's way."""
    if str(folder) not in sys.path:
        installed = (i for i, p in enumerate(sys.path) if p.endswith(("site-packages", "dist-packages")))
        sys.path.insert(next(installed, len(sys.path)), str(folder))


def _import_checked(place: str, function: Callable[[Any], Any], argument: Any) -> Any:
    """What the function imports; ValueError, with the line, where that fails."""
    found = called(function, argument)
    if type(found) is not Failed:
        return found
    frames = [f for f in traceback.extract_tb(found.error.__traceback__) if place in f.filename]
    line = f" (line {frames[-1].lineno})" if frames else ""
    raise ValueError(f"TARGET: importing {place} {found.sentence}{line}") from found.error


def claim_of(asked: Asked, loaded: Target, verb: str = "audit") -> Claim:
    """What the target is held against: the options, else what its module says."""
    from audits.privacy.options import Options

    if (claim := asked.claim()) is not None:
        return claim
    if asked.epsilon is None and loaded.claim is not None:
        return loaded.claim
    epsilon = loaded.epsilon if asked.epsilon is None else asked.epsilon
    if epsilon is None:
        raise ValueError(f"no epsilon to {verb} against: pass --epsilon or set `epsilon` in the module")
    delta = loaded.delta if asked.delta is None else asked.delta
    return Options(epsilon=epsilon, delta=delta or 0.0).claim


def _module_claim(module: ModuleType, where: str) -> Claim | None:
    """The module's `claim`, of `audits.privacy.claims`; of another kind it is some other thing's name."""
    claim = getattr(module, "claim", None)
    if not all(hasattr(claim, name) for name in ("unit", "value", "edge", "least")):
        return None
    if getattr(module, "epsilon", None) is not None:
        raise ValueError(f"{where}claim and epsilon are both set: leave one")
    return claim


def _module_number(module: ModuleType, name: str, where: str) -> float | None:
    value = getattr(module, name, None)
    if value is None or callable(value):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where}{name} must be a number, got {value!r}") from None
