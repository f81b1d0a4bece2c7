"""Adapters: functions and estimators of libraries as mechanisms.

None of them imports the library that it is for: they use what its objects offer. What takes no seed is
marked as such (`unseeded`), so that a result says that it cannot be replayed. This file is written
for Python 3.6 and later and needs nothing but NumPy, as a worker of another Python loads it by its path.
"""

import importlib
import inspect
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from audits import each, unseeded

SEEDS = ("random_state", "seed", "rng")
"""Arguments that functions and estimators take their randomness from."""
LABELS = ("y", "labels")
"""Second arguments that are a part of the data (X, y)."""


def named(path: str) -> Any:
    """The object of a dotted name, as `diffprivlib.tools.mean`, a method of a class that needs no arguments
    included. Raises ValueError where there is none."""
    parts = path.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise ValueError(f"TARGET must be a dotted name as library.module.function, got {path!r}")
    for split in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError as error:
            if error.name and not path.startswith(error.name):
                raise ValueError(f"TARGET: importing {path} needs {error.name}") from error
            continue
        except Exception as error:
            raised = "{}: {}".format(type(error).__name__, " ".join(str(error).split()))
            raise ValueError(f"TARGET: importing {path} raised {raised}") from error
        return inside(found, parts[split:], path)
    raise ValueError(f"TARGET: there is no {parts[0]!r} here: install it, or pass --with")


def inside(module: Any, names: Sequence[str], path: str) -> Any:
    """The object of a module by its names, ("Mean", "release") for a method."""
    found, home = module, None
    for name in names:
        if not hasattr(found, name):
            raise ValueError(f"TARGET: {path} has no {name!r}")
        found, home = getattr(found, name), found
    if not (inspect.isclass(home) and inspect.isfunction(vars(home).get(names[-1]))):
        return found
    needed = missing(home, {}, 0)
    if needed:
        raise ValueError(
            f"TARGET: {path} needs an object of {home.__name__}, which takes {', '.join(needed)}: build one "
            f"in a file, release = {home.__name__}(…).{names[-1]}, and audit file.py:release"
        )

    def method(*arguments: Any, **options: Any) -> Any:
        return getattr(home(), names[-1])(*arguments, **options)

    method.__name__ = names[-1]
    method.__signature__ = inspect.signature(getattr(home(), names[-1]))  # type: ignore[attr-defined]
    return method


COUNTS = ("counts", "histogram", "hist", "frequencies", "votes", "tallies", "bins", "scores", "utilities")
CHOICES = ("argmax", "noisy_max", "exponential", "select")
"""In names of functions that choose a place of a vector of counts."""
NUMBERS = ("value", "true_value", "answer", "true_answer", "count", "total", "statistic", "result")
"""Names of arguments that are no records in many functions: counts, and single numbers."""


def data_name(target: Any, command: str) -> str:
    """The name of the data of a function that takes records, as far as names and types tell; "" for no name.

    Raises ValueError where the data may be something else, with what can be added to the `command`.
    """
    name = getattr(target, "__name__", "TARGET")
    if inspect.isclass(target):
        fit: Any = getattr(target, "fit", None)
        if fit is not None:
            table = "features=2,classes=2" if _needs_labels(fit) else "features=2"
            raise ValueError(f"TARGET: {name} learns from a table: give --schema {table}")
        return ""
    first = next(iter(_parameters(target)), None)
    if first is None or hasattr(target, "input_metric"):
        return ""
    number = first.annotation in (bool, int, float, "bool", "int", "float")
    counts = first.name in COUNTS or any(word in name.lower() for word in CHOICES)
    if number or counts or first.name in NUMBERS:
        what, schema = ("one number", "value=1") if number or not counts else ("counts", "counts=5")
        raise ValueError(
            f"TARGET: `{first.name}` of {name} may be {what} or records: "
            f"{command} --schema {schema}, or {command} --schema n=5"
        )
    return first.name


def missing(f: Callable[..., Any], given: Mapping[str, Any], data: int = 1) -> List[str]:
    """The arguments without defaults of a function that are not given, but for the first ones, its data, and
    a seed."""
    parameters = [p for p in _parameters(f) if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    rest = [p for p in parameters[data:] if not (data and p.name in LABELS)]
    return [p.name for p in rest if p.default is p.empty and p.name not in given and p.name not in SEEDS]


def adapted(
    target: Any, epsilon: Optional[float], options: Mapping[str, Any]
) -> Tuple[Callable[..., Any], Optional[float]]:
    """(mechanism, claimed ε) of an object of a library; options are its further arguments.

    A class with `fit` (an estimator), or a function of data. A function that takes an `epsilon` gets the
    claimed one, unless the options name another; without a claim that of the options is the claim, and for a
    function that takes no ε there is none. Raises ValueError for anything else.
    """
    name = getattr(target, "__name__", repr(target))
    carries = hasattr(target, "map") and hasattr(target, "input_metric")
    if carries or name.startswith(("make_", "then_")):
        raise ValueError(
            f"TARGET: {' '.join(name.split())} carries a claim of its own, or builds what does: build it in "
            "a file and use `dpclaims map file.py:NAME`"
        )
    for told, run in (
        (inspect.iscoroutinefunction, "asyncio.run({}(data))"),
        (inspect.isgeneratorfunction, "list({}(data))"),
        (inspect.isasyncgenfunction, "asyncio.run(collected({}(data)))"),
    ):
        if told(target):
            raise ValueError(
                f"TARGET: {name} does not return what it releases: put a function that does into a file, "
                f"def release(data): return {run.format(name)}, and audit file.py:release"
            )
    claimed: Any = options.get("epsilon") if epsilon is None else epsilon
    if not isinstance(claimed, (int, float)) and (inspect.isclass(target) or "epsilon" in _arguments(target)):
        raise ValueError("no epsilon to audit against: pass --epsilon")
    if inspect.isclass(target) and not hasattr(target, "fit"):
        raise ValueError(
            f"TARGET: {name} is a class without fit: audit one of its methods, as {name}.release, or a file "
            "with a mechanism(data, size, rng) that calls it"
        )
    if not callable(target):
        raise ValueError(f"TARGET must be a function, an estimator or an algorithm, got {target!r}")
    must_be_taken(target, [option for option in options if option != "release"])
    given: Dict[str, Any] = dict({} if claimed is None else {"epsilon": claimed}, **options)
    needed = missing(target, given, 0 if inspect.isclass(target) else 1)
    if needed:
        give = " ".join(f"--set {each}=…" for each in needed)
        raise ValueError(f"TARGET: {name} needs {', '.join(needed)}: give {give}")
    return (estimator if inspect.isclass(target) else function)(target, **given), claimed


def must_be_taken(f: Callable[..., Any], options: Sequence[str]) -> None:
    """ValueError for an option that a function does not take."""
    known = _arguments(f)
    unknown = [option for option in options if known and not known & {option, "**"}]
    if unknown:
        raise ValueError(f"--set {unknown[0]}: {f.__name__} takes {', '.join(sorted(known))}")


def function(f: Callable[..., Any], *, epsilon: Optional[float] = None, **options: Any) -> Callable[..., Any]:
    """`f(data, epsilon=…, **options)`, seeded where it takes a seed; a dataset (X, y) is passed as two to one
    that takes `y` or `labels`.

    A number is passed as the bool or int that the function is annotated with: its outputs may be of the type
    of its data.

    >>> def noisy_sum(data, epsilon, random_state):
    ...     return data.sum() + random_state.laplace(scale=1 / epsilon)
    >>> function(noisy_sum, epsilon=1.0)(np.ones(3), 2, np.random.default_rng(0)).shape
    (2,)
    """
    accepted = _arguments(f)
    takes = epsilon is not None and accepted & {"epsilon", "**"}
    given = dict(options, epsilon=epsilon) if takes else dict(options)
    labelled = not accepted or accepted & {*LABELS}
    kind = next((p.annotation for p in _parameters(f)), None)

    def call(data: Any, more: Dict[str, Any]) -> Any:
        if np.ndim(data) == 0 and kind in (bool, "bool"):
            data = bool(data)
        elif np.ndim(data) == 0 and kind in (int, "int") and float(data).is_integer():
            data = int(data)
        return f(*(_parts(data) if labelled else (data,)), **more)

    return _seeded(accepted, given, call)


def estimator(
    kind: Callable[..., Any], *, epsilon: float, release: Any = (), **options: Any
) -> Callable[..., Any]:
    """What a fitted estimator learned: its public attributes that end in an underscore.

    Outputs are dictionaries of the attributes that are numbers, strings, or arrays of these; `release` names
    those that are given away, where that is not all of them ("coef_,intercept_"). A dataset is X, or (X, y).
    The first fit prints to stderr what is released.
    """
    accepted = _arguments(kind)
    given = dict(options, epsilon=epsilon) if accepted & {"epsilon", "**"} else dict(options)
    names = release.split(",") if isinstance(release, str) else list(release)

    said: List[str] = []

    def fit(data: Any, more: Dict[str, Any]) -> Dict[str, Any]:
        parts = _parts(data)
        if np.ndim(parts[0]) < 2:
            raise ValueError("an estimator learns from a table: give --schema features=2")
        built = kind(**more)
        if len(parts) == 1 and _needs_labels(built.fit):
            raise ValueError("this estimator needs labels: give --schema features=2,classes=2")
        found = released(built.fit(*parts), names)
        if not said:
            said.append(f"released by {type(built).__name__}: {', '.join(found)}")
            print(said[0], file=sys.stderr)
        return found

    return _seeded(accepted, given, fit)


def _needs_labels(fit: Callable[..., Any]) -> bool:
    y = inspect.signature(fit).parameters.get("y")
    return y is not None and y.default is y.empty


def released(fitted: Any, only: Sequence[str] = ()) -> Dict[str, Any]:
    """The public attributes of a fitted estimator: names that end in an underscore and begin with none.

    only  the names of those that count; all of them where it is empty.
    Raises ValueError where there is none.
    """
    names = sorted(n for n in vars(fitted) if n.endswith("_") and not n.startswith("_"))
    found = {name: getattr(fitted, name) for name in names}
    plain = (bool, int, float, str, np.generic)
    kept = {
        name: value
        for name, value in found.items()
        if isinstance(value, plain)
        or (isinstance(value, np.ndarray) and value.dtype != object)
        or (isinstance(value, (list, tuple)) and all(isinstance(part, plain) for part in value))
    }
    if not kept:
        raise ValueError(
            f"{type(fitted).__name__} has no public attribute of numbers that ends in an underscore"
        )
    missing = [name for name in only if name not in kept]
    if missing:
        raise ValueError(
            f"{type(fitted).__name__} has no public attribute {missing[0]!r}; it has {', '.join(kept)}"
        )
    return {name: kept[name] for name in only} if only else kept


def _parts(data: Any) -> Tuple[Any, ...]:
    return data if isinstance(data, tuple) else (data,)


def _arguments(f: Callable[..., Any]) -> Set[str]:
    """The names of the arguments of a function or a class; "**" where it takes any."""
    return {"**" if p.kind is p.VAR_KEYWORD else p.name for p in _parameters(f)}


def _parameters(f: Callable[..., Any]) -> List[inspect.Parameter]:
    """The parameters of a function or a class; none of a compiled function, which does not tell them."""
    try:
        return list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return []


def _seeded(
    accepted: Set[str], given: Dict[str, Any], call: Callable[[Any, Dict[str, Any]], Any]
) -> Callable[..., Any]:
    """One output a call, with a seed of our own under the name that is accepted for one."""
    name = next((s for s in SEEDS if s in accepted), None)
    if name is None or name in given:
        return unseeded(each(lambda data: call(data, given)))

    def one(data: Any, rng: np.random.Generator) -> Any:
        if name == "rng":
            return call(data, dict(given, rng=rng))
        # Generators of the legacy kind are what `random_state` stands for.
        legacy = np.random.RandomState(int(rng.integers(2**32)))
        seed = legacy if name == "random_state" else int(legacy.randint(2**31))
        return call(data, dict(given, **{name: seed}))

    return each(one)
