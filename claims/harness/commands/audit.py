"""`dpclaims audit`: loads a mechanism that the user wrote, audits it, and says what was found."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import math
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from claims.harness.run.result import BAD_INPUT, CRASHED, DIFFERS, PASSED, UNDECIDED

if TYPE_CHECKING:
    from audits.privacy import AuditResult

ALPHA = 0.05
MAX_SAMPLES = 1_000_000
METHODS = ("sequential", "clopper-pearson", "gdp")
STATUS = {"not-refuted": PASSED, "refuted": DIFFERS, "undecided": UNDECIDED}
INTERRUPTED = 130
CHUNK = 1 << 16


def audit_command(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="file.py, file.py:name or package.module:name.")
    ],
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Claimed ε (default: the module's `epsilon`).")
    ] = None,
    delta: Annotated[
        float | None, typer.Option("--delta", help="Claimed δ (default: the module's `delta`, else 0).")
    ] = None,
    alpha: Annotated[
        float, typer.Option("--alpha", help="Probability of refuting a mechanism that keeps its claim.")
    ] = ALPHA,
    max_samples: Annotated[
        int, typer.Option("--max-samples", help="Outputs drawn on each dataset of a pair, at most.")
    ] = MAX_SAMPLES,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds after which to stop.")
    ] = None,
    resolution: Annotated[
        float | None,
        typer.Option("--resolution", help="The ε that must not go unnoticed; undecided where it could."),
    ] = None,
    method: Annotated[str, typer.Option("--method", help=f"One of {', '.join(METHODS)}.")] = METHODS[0],
    seed: Annotated[int, typer.Option("--seed", help="Seed of every random draw.")] = 0,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Threads that draw samples.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Audit your own mechanism: a lower bound on its ε from samples, and whether it refutes the claim.

    Exit status: 0 not refuted (which is no proof) · 1 refuted · 2 bad input · 3 undecided · 4 crashed.
    """
    raise typer.Exit(
        audit_target(
            target,
            epsilon=epsilon,
            delta=delta,
            alpha=alpha,
            max_samples=max_samples,
            time_limit=time_limit,
            resolution=resolution,
            method=method,
            seed=seed,
            jobs=jobs,
            json=json,
        )
    )


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


def audit_target(
    target: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    alpha: float = ALPHA,
    max_samples: int = MAX_SAMPLES,
    time_limit: float | None = None,
    resolution: float | None = None,
    method: str = METHODS[0],
    seed: int = 0,
    jobs: int = 1,
    json: bool = False,
) -> int:
    """Audit TARGET, print what was found on stdout, and return the exit status.

    Bad input of any kind is one sentence on stderr and status 2; an error that is nobody's bad input is a
    traceback and status 4, so that it cannot pass for "refuted".
    """
    try:
        check_options(
            epsilon=epsilon,
            delta=delta,
            alpha=alpha,
            max_samples=max_samples,
            time_limit=time_limit,
            method=method,
            seed=seed,
            jobs=jobs,
        )
        # What the user's module prints belongs to the reader, not into the JSON document.
        with contextlib.redirect_stdout(sys.stderr):
            loaded = load_target(target)
            result = _audit(
                loaded,
                epsilon=_claimed("epsilon", epsilon, loaded.epsilon, None),
                delta=_claimed("delta", delta, loaded.delta, 0.0),
                alpha=alpha,
                max_samples=max_samples,
                time_limit=time_limit,
                resolution=resolution,
                method=method,
                seed=seed,
                jobs=jobs,
            )
    except ValueError as error:
        print(f"dpclaims: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dpclaims: stopped; an audit keeps nothing", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as error:  # its status could pass for a verdict
        print(f"dpclaims: {target} called exit({error.code!r})", file=sys.stderr)
        return BAD_INPUT
    except Exception:
        traceback.print_exc()
        print("dpclaims: the audit crashed; this says nothing of the mechanism", file=sys.stderr)
        return CRASHED
    if json:
        from claims.harness.run.serialise import dumps

        print(dumps(result.to_dict()), end="")
    else:
        show(loaded.name, result)
    return STATUS[result.verdict]


def check_options(
    *,
    epsilon: float | None,
    delta: float | None,
    alpha: float,
    max_samples: int,
    time_limit: float | None,
    method: str,
    seed: int,
    jobs: int,
) -> None:
    """Raise ValueError, one sentence, for the first option that makes no sense."""
    if epsilon is not None and not 0.0 <= epsilon < math.inf:
        raise ValueError(f"--epsilon must be finite and ≥ 0, got {epsilon}")
    if delta is not None and not 0.0 <= delta < 1.0:
        raise ValueError(f"--delta must be in [0, 1), got {delta}")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"--alpha must be in (0, 1), got {alpha}")
    if max_samples < 1:
        raise ValueError(f"--max-samples must be at least 1, got {max_samples}")
    if time_limit is not None and not 0.0 < time_limit < math.inf:
        raise ValueError(f"--time-limit must be a positive number of seconds, got {time_limit}")
    if method not in METHODS:
        raise ValueError(f"--method must be one of {', '.join(METHODS)}, got {method!r}")
    if seed < 0:
        raise ValueError(f"--seed must be ≥ 0, got {seed}")
    if jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {jobs}")


def load_target(target: str) -> Target:
    """The mechanism and what its module says of it.

    `target` is "file.py", "file.py:name" or "package.module:name"; without a name it is `mechanism`.
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
    for needed, what in (
        ("pairs", "a list of neighbouring datasets (D, D′) or a function pairs(rng)"),
        ("adjacency", '"replace", "add-remove", "replace-item" or a function (D, D′) -> bool'),
    ):
        if not hasattr(module, needed):
            raise ValueError(f"{where}no {needed!r} in it; give {what}")
    score = getattr(module, "score", None)
    if score is not None and not callable(score):
        raise ValueError(f"{where}score must be a function of the outputs, got {score!r}")
    return Target(
        name=target if ":" in target else f"{place}:{name}",
        mechanism=mechanism,
        pairs=module.pairs,
        adjacency=module.adjacency,
        epsilon=_module_number(module, "epsilon", where),
        delta=_module_number(module, "delta", where),
        score=score,
    )


def show(name: str, result: AuditResult) -> None:
    """The result in plain words on stdout; coloured on a terminal."""
    from rich.console import Console
    from rich.text import Text

    # Soft wrap: a terminal breaks long lines, a pipe or a file gets them whole.
    console = Console(highlight=False, soft_wrap=True)
    claim = f"(ε = {result.epsilon_claimed:g}, δ = {result.delta:g})"
    headline, colour, meaning = {
        "refuted": (
            "REFUTED",
            "bold red",
            f"{name} is not {claim}-differentially private.",
        ),
        "not-refuted": (
            "NOT REFUTED",
            "bold green",
            f"no violation of {claim} was found in {name}. This is no proof that it is private.",
        ),
        "undecided": (
            "UNDECIDED",
            "bold yellow",
            f"the samples or the time ran out before the audit of {name} could have seen much. "
            "This is no proof that it is private.",
        ),
    }[result.verdict]
    console.print(Text(headline, style=colour) + Text(f": {meaning}", style="default"))
    for label, text in _facts(result):
        console.print(Text(f"  {label:12} {text}"))


def _facts(result: AuditResult) -> Iterator[tuple[str, str]]:
    document = result.to_dict()
    sure = f"with confidence {100.0 * result.confidence:.6g} %"
    yield "lower bound", f"ε ≥ {result.epsilon_lower:.4g} at δ = {result.delta:g}, {sure}"
    yield "pair", f"D = {document['pair'][0]}   D′ = {document['pair'][1]}"
    yield "event", f"{result.event} ({result.direction})"
    if result.verdict != "refuted":
        yield "resolution", _resolution(result)
    yield "e-value", f"{result.e_value:.3g}"
    yield "samples", f"{result.samples:,} on each dataset, {result.seconds:.2f} s"
    how = f"{result.method}, seed {result.seed}"
    if not result.replayable:
        how += "; the mechanism takes no generator, so this run cannot be replayed"
    yield "method", how
    if result.note:
        yield "note", result.note


def _resolution(result: AuditResult) -> str:
    if not math.isfinite(result.resolution.epsilon):
        return "too few samples: no violation of any size would have been caught reliably"
    return (
        f"ε ≥ {result.resolution.epsilon:.4g}, or {result.resolution.delta:.3g} more δ, at the best placed "
        "event tried would have been caught with probability 0.9"
    )


def _audit(loaded: Target, *, jobs: int, **options: Any) -> AuditResult:
    from audits.privacy import audit_privacy

    return audit_privacy(
        in_chunks(loaded.mechanism, jobs),
        loaded.pairs,
        adjacency=loaded.adjacency,
        score=loaded.score,
        **options,
    )


def in_chunks(mechanism: Callable[..., Any], jobs: int) -> Callable[..., Any]:
    """The mechanism drawn in chunks of `CHUNK` outputs, on `jobs` threads.

    Each chunk has a generator of its own, spawned from the one passed in, so the outputs do not depend on
    `jobs`. NumPy's generators release the interpreter lock; a mechanism that loops in Python gains nothing.
    """

    def drawn(data: Any, size: int, rng: np.random.Generator) -> Any:
        sizes = [min(CHUNK, size - start) for start in range(0, size, CHUNK)]
        if len(sizes) == 1:
            return mechanism(data, size, rng)
        work = [(data, n, child) for n, child in zip(sizes, rng.spawn(len(sizes)), strict=True)]
        if jobs == 1:
            parts = [mechanism(*arguments) for arguments in work]
        else:
            with ThreadPoolExecutor(jobs) as pool:
                parts = list(pool.map(lambda arguments: mechanism(*arguments), work))
        for n, part in zip(sizes, parts, strict=True):
            if np.ndim(part) == 0 or len(part) != n:
                return part  # the audit says what is wrong with it
        if all(isinstance(part, np.ndarray) for part in parts):
            return np.concatenate(parts)
        return [output for part in parts for output in part]

    drawn.replayable = getattr(mechanism, "replayable", True)  # type: ignore[attr-defined]
    return drawn


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


def _claimed(name: str, given: float | None, default: float | None, otherwise: float | None) -> float:
    for value in (given, default, otherwise):
        if value is not None:
            return value
    raise ValueError(f"no {name} to audit against: pass --{name} or set `{name}` in the module")
