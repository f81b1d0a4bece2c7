"""`dpclaims audit`: loads a mechanism that the user wrote, audits it, and says what was found."""

from __future__ import annotations

import ast
import atexit
import contextlib
import functools
import importlib
import importlib.util
import math
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claims.harness.run.result import BAD_INPUT, CRASHED, DIFFERS, PASSED, UNDECIDED

if TYPE_CHECKING:
    from audits.privacy import AuditResult, Look

ALPHA = 0.001
MAX_SAMPLES = 1_000_000
TIME_LIMIT = 300.0
FIRST_OUTPUT = 15.0
"""Seconds beyond the time limit that the first output may take: the call may import a library."""
GRACE, STUCK = 1.0, 5.0
"""Seconds after the time limit at which a call is interrupted, and at which the process ends if that is of no
use."""
FIRST_PROGRESS, MOST_PAUSE = 2.0, 30.0
"""Seconds to the first line of progress; pauses double up to the second."""
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PRECISION = 0.1
"""After a refutation sampling goes on until the lower bound is within this share of the estimate."""
METHODS = ("sequential", "clopper-pearson", "gdp")
STATUS = {"not-refuted": PASSED, "refuted": DIFFERS, "undecided": UNDECIDED}


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
        float,
        typer.Option("--time-limit", help="Seconds after which to stop, counted from the first output."),
    ] = TIME_LIMIT,
    resolution: Annotated[
        float | None,
        typer.Option("--resolution", help="The ε that must not go unnoticed; undecided where it could."),
    ] = None,
    method: Annotated[str, typer.Option("--method", help=f"One of {', '.join(METHODS)}.")] = METHODS[0],
    seed: Annotated[int, typer.Option("--seed", help="Seed of every random draw.")] = 0,
    jobs: Annotated[
        int,
        typer.Option("-j", "--jobs", help="Processes that draw outputs of audits.each; threads for others."),
    ] = 1,
    errors: Annotated[
        str,
        typer.Option(
            "--errors", help="raise: an exception is bad input; symbol: it is an output, as is NaN."
        ),
    ] = "raise",
    python: Annotated[
        str | None,
        typer.Option(
            "--python", metavar="PATH", help="Run the file in this Python: a path or 3.8; needs NumPy."
        ),
    ] = None,
    with_packages: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="PACKAGE", help="Run it where this is installed: 'lib==0.3.0'; repeat."
        ),
    ] = None,
    envs: Annotated[
        Path | None,
        typer.Option(
            "--envs", metavar="DIR", help="Where --with keeps environments (default: a cache folder)."
        ),
    ] = None,
    adjacency: Annotated[
        str | None,
        typer.Option("--adjacency", help="replace, add, remove, or all: each with its pair and verdict."),
    ] = None,
    set_options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Argument of a library's function: bounds=0,1."),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", help="Data of a library's function: n=5,features=2,classes=2,batch=4,nan=1."
        ),
    ] = None,
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
            errors=errors,
            python=python,
            with_packages=with_packages or [],
            envs=envs,
            adjacency=adjacency,
            set_options=set_options or [],
            schema=schema,
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
    label: str = ""


def audit_target(
    target: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    alpha: float = ALPHA,
    max_samples: int = MAX_SAMPLES,
    time_limit: float | None = TIME_LIMIT,
    resolution: float | None = None,
    method: str = METHODS[0],
    seed: int = 0,
    jobs: int = 1,
    errors: str = "raise",
    python: str | None = None,
    with_packages: Sequence[str] = (),
    envs: Path | None = None,
    adjacency: str | None = None,
    set_options: Sequence[str] = (),
    schema: str | None = None,
    json: bool = False,
) -> int:
    """Audit TARGET, print what was found on stdout, and return the exit status.

    python         the Python that runs the file: a path or a version; None for the one that runs this.
    with_packages  packages of the environment that the file is run in, as for pip; envs is where it is kept.
    adjacency      "replace", "add", "remove" or "all", each an audit of its own at α; None: the file says.
    set_options    arguments of a library's function, "bounds=0,1"; schema: what its data look like.

    Ctrl-C, SIGTERM, SIGHUP and the time limit print the bound reached, which holds at any time, and give
    status 3. Bad input is one sentence on stderr and status 2; where a mechanism fails in the middle of an
    audit, the bound reached is printed as well. An error that is nobody's bad input is a traceback and status
    4, so that it cannot pass for "refuted".
    """
    watch: Watch | None = None
    targets: list[Target] = []
    results: list[AuditResult] = []
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
        with stdout_to_stderr() as out:
            adjacency, loaded = load_any(
                target, epsilon, python, with_packages, envs, adjacency, set_options, schema
            )
            claim = {
                "epsilon": _claimed("epsilon", epsilon, loaded.epsilon, None),
                "delta": _claimed("delta", delta, loaded.delta, 0.0),
            }
            shape = _schema(schema, set_options)
            targets = adjacent(loaded, adjacency, claim, shape, seed) if adjacency else [loaded]
            for one in targets:
                so_far = functools.partial(
                    bound_so_far, one, claim, alpha=alpha, max_samples=max_samples, method=method, seed=seed
                )
                document = functools.partial(_document, targets, tuple(results))
                watch = Watch(time_limit, so_far, document, out if json else None)
                results.append(
                    _audit(
                        one,
                        watch,
                        **claim,
                        alpha=alpha,
                        max_samples=max_samples,
                        time_limit=time_limit,
                        resolution=resolution,
                        method=method,
                        seed=seed,
                        jobs=jobs,
                        errors=errors,
                    )
                )
    except ValueError as error:
        print(f"dpclaims: {error}", file=sys.stderr)
        if watch is not None and watch.last is not None:
            # What earlier outputs showed holds all the same.
            results.append(watch.result(f"Bad input ended the audit: {error}"))
        if results:
            _show(targets, results, json)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dpclaims: stopped before the audit began", file=sys.stderr)
        return UNDECIDED
    except SystemExit as error:  # its status could pass for a verdict
        print(f"dpclaims: {target} called exit({error.code!r})", file=sys.stderr)
        return BAD_INPUT
    except Exception:
        traceback.print_exc()
        print("dpclaims: the audit crashed; this says nothing of the mechanism", file=sys.stderr)
        return CRASHED
    _show(targets, results, json)
    # "Refuted" counts most, then "undecided".
    return max((STATUS[result.verdict] for result in results), key=(PASSED, UNDECIDED, DIFFERS).index)


def _show(targets: Sequence[Target], results: Sequence[AuditResult], json: bool) -> None:
    """The results so far, one a target, on stdout."""
    if json:
        print(_document(targets, results[:-1], results[-1]), end="")
    else:
        for one, result in zip(targets, results, strict=False):
            show(one.name, result)


def _document(targets: Sequence[Target], before: Sequence[AuditResult], last: AuditResult) -> str:
    """One JSON document: the result, or the results by adjacency where several were asked for."""
    from claims.harness.run.serialise import dumps

    found = {one.label: each.to_dict() for one, each in zip(targets, (*before, last), strict=False)}
    return dumps(found.get("", found))


def bound_so_far(
    loaded: Target, claim: dict[str, float], look: Look | None, seconds: float, note: str, **options: Any
) -> AuditResult:
    """The result of an audit that cannot go on: what the last look showed."""
    from audits.privacy import AuditResult, Resolution

    pairs = loaded.pairs
    only = pairs[0] if isinstance(pairs, (list, tuple)) and len(pairs) == 1 else (None, None)
    return AuditResult(
        verdict="undecided",
        epsilon_claimed=claim["epsilon"],
        delta=claim["delta"],
        epsilon_lower=0.0 if look is None else look.epsilon_lower,
        confidence=1.0 - options["alpha"],
        e_value=0.0 if look is None else math.exp(min(look.log_e_value, 690.0)),
        samples=0 if look is None else look.samples,
        seconds=seconds,
        pair=only,
        pair_index=0,
        direction="forward",
        event="not told: the audit was cut off",
        resolution=Resolution(math.inf, math.inf),
        method=options["method"],
        seed=options["seed"],
        note=note,
        max_samples=options["max_samples"],
    )


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


def load_remote(target: str, python: str | None, packages: Sequence[str], envs: Path | None) -> Target:
    """The same of a file that another Python runs; see `audits.remote`."""
    from audits.bridge import remote
    from audits.environments import environment, interpreter

    place, name = _split(target)
    if not _is_file(place):
        raise ValueError(f"TARGET must be a file for --python and --with, got {target!r}")
    if packages:
        print(f"dpclaims: an environment with {', '.join(packages)}", file=sys.stderr)
    path = environment(packages, python=python, folder=envs) if packages else interpreter(python)
    mechanism = remote(path, place, name)
    missing = [what for what in ("pairs", "adjacency") if getattr(mechanism, what) is None]
    if missing:
        raise ValueError(f"{place}: no {missing[0]!r} in it")
    return Target(
        name=f"{target if ':' in target else f'{place}:{name}'} in Python {mechanism.python_version}",
        mechanism=mechanism,
        pairs=mechanism.pairs,
        adjacency=mechanism.adjacency,
        epsilon=mechanism.epsilon,
        delta=mechanism.delta,
        score=None,
    )


def load_any(
    target: str,
    epsilon: float | None,
    python: str | None,
    packages: Sequence[str],
    envs: Path | None,
    adjacency: str | None,
    set_options: Sequence[str],
    schema: str | None,
) -> tuple[str | None, Target]:
    """(adjacency, target) of a file, a module, or an object of a library, here or in another Python."""
    if is_library_object(target):
        # Most libraries do not say which datasets are neighbours.
        return adjacency or "all", load_library(target, epsilon, set_options, python, packages, envs)
    if set_options or schema:
        raise ValueError(f"--set and --schema are for a function of a library, got {target!r}")
    if python is not None or packages:
        return adjacency, load_remote(target, python, packages, envs)
    return adjacency, load_target(target)


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


def load_library(
    target: str,
    epsilon: float | None,
    set_options: Sequence[str],
    python: str | None,
    packages: Sequence[str],
    envs: Path | None,
) -> Target:
    """A function, an estimator, a measurement or an algorithm of a library; its pairs come from the stock."""
    from audits import adapters

    options = dict(_option(text) for text in set_options)
    if python is None and not packages:
        mechanism, claim = adapters.adapted(adapters.named(target), epsilon, options)
        name = target
    else:
        mechanism = _library_elsewhere(target, epsilon, options, python, packages, envs)
        name, claim = f"{target} in Python {mechanism.python_version}", mechanism.epsilon
    return Target(
        name=name, mechanism=mechanism, pairs=None, adjacency=None, epsilon=claim, delta=None, score=None
    )


def _library_elsewhere(
    target: str,
    epsilon: float | None,
    options: dict[str, Any],
    python: str | None,
    packages: Sequence[str],
    envs: Path | None,
) -> Any:
    from audits import adapters
    from audits.bridge import remote
    from audits.environments import environment, interpreter

    path = environment(packages, python=python, folder=envs) if packages else interpreter(python)
    lines = (
        "import importlib.util",
        f"spec = importlib.util.spec_from_file_location('adapters', {str(adapters.__file__)!r})",
        "adapters = importlib.util.module_from_spec(spec)",
        "spec.loader.exec_module(adapters)",
        f"mechanism, epsilon = adapters.adapted(adapters.named({target!r}), {epsilon!r}, {options!r})",
    )
    # Workers that start later read the file again, so that it lives as long as this process.
    folder = tempfile.mkdtemp(prefix="dpclaims-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder) / "library_object.py"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return remote(path, file)


def adjacent(loaded: Target, adjacency: str, claim: dict[str, float], shape: Any, seed: int) -> list[Target]:
    """The target under "replace", "add" and "remove", or one of them, each with its pairs.

    An object of a library gets pairs of the stock for data of this shape, those that a search finds to show
    most; a file keeps its own, made into pairs of the other adjacency.
    """
    import numpy as np

    from audits.privacy.pairs import take_pairs
    from audits.stock import ADJACENCIES, derived, search, stock

    if adjacency not in (*ADJACENCIES, "all"):
        raise ValueError(f"--adjacency must be one of {', '.join((*ADJACENCIES, 'all'))}, got {adjacency!r}")
    found: list[Target] = []
    for place, kind in enumerate(ADJACENCIES if adjacency == "all" else (adjacency,)):
        # The search and the audit draw from generators of their own.
        rng = np.random.default_rng([seed, place, 1])
        if loaded.pairs is None:
            best = search(
                loaded.mechanism,
                stock(shape, kind),
                epsilon=claim["epsilon"],
                delta=claim["delta"],
                rng=rng,
            )
            pairs, words = [one.pair for one in best], "; ".join(one.name for one in best)
        else:
            own = take_pairs(loaded.pairs, rng, loaded.adjacency)
            pairs, words = [derived(pair, kind) for pair in own], "pairs derived from the file's"
        relation = "replace" if kind == "replace" else "add-remove"
        name = f"{loaded.name} under {kind} ({words})"
        found.append(replace(loaded, name=name, pairs=pairs, adjacency=relation, label=kind))
    return found


def _option(text: str) -> tuple[str, Any]:
    """NAME=VALUE, the value a literal of Python where it is one.

    >>> _option("bounds=0,1"), _option("kind=fast"), _option("x=None")
    (('bounds', (0, 1)), ('kind', 'fast'), ('x', None))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"--set must be NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _schema(text: str | None, set_options: Sequence[str]) -> Any:
    """The schema of the data: what --schema says, within the bounds that the function is given."""
    from dataclasses import fields

    from audits.stock import Schema

    options = dict(_option(option) for option in set_options)
    bounds = options.get("bounds", options.get("range", (0.0, 1.0)))
    low = options.get("lower_bound", options.get("lower", bounds[0]))
    high = options.get("upper_bound", options.get("upper", bounds[1]))
    said: dict[str, Any] = {"low": low, "high": high}
    known = [field.name for field in fields(Schema)]
    for part in filter(None, (text or "").split(",")):
        name, value = _option(part)
        if name not in known:
            raise ValueError(f"--schema knows {', '.join(known)}, got {name!r}")
        said[name] = value
    try:
        return Schema(**said)
    except TypeError as error:
        raise ValueError(f"--schema: {error}") from None


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
            f"{_why_undecided(result)} of {name}. This is no proof that it is private.",
        ),
    }[result.verdict]
    console.print(Text(headline, style=colour) + Text(f": {meaning}", style="default"))
    for label, text in _facts(result):
        console.print(Text(f"  {label:12} {text}"))


def _why_undecided(result: AuditResult) -> str:
    if result.premise:
        return "the samples cannot be used for an audit"
    if result.note:
        return "the note says why nothing is decided"
    return "the samples ran out before the audit could have seen much"


def _facts(result: AuditResult) -> Iterator[tuple[str, str]]:
    document = result.to_dict()
    sure = f"with confidence {100.0 * result.confidence:.6g} %"
    if not result.premise:
        yield "lower bound", f"ε ≥ {result.epsilon_lower:.4g} at δ = {result.delta:g}, {sure}"
        if result.epsilon_estimate > 0.0:
            yield "estimate", f"ε ≈ {result.epsilon_estimate:.4g} of the event below; no bound"
    yield "pair", f"D = {document['pair'][0]}   D′ = {document['pair'][1]}"
    if not result.premise:
        yield "event", f"{result.event} ({result.direction})"
        if result.verdict != "refuted":
            yield from result.worth or [("resolution", _resolution(result))]
        if result.low_bits:
            yield "low bits", result.low_bits
        yield "e-value", f"{result.e_value:.3g}, the largest so far"
    premises = f", {result.premise_samples:,} more for the premises" if result.premise_samples else ""
    yield "samples", f"{result.samples:,} on each dataset{premises}, {result.seconds:.2f} s"
    how = f"{result.method}, seed {result.seed}"
    if not result.replayable:
        how += "; the mechanism takes no generator, so this run cannot be replayed"
    yield "method", how
    if result.note:
        yield "note", result.note
    yield "replay", result.replay


def _resolution(result: AuditResult) -> str:
    if not math.isfinite(result.resolution.epsilon):
        return "too few samples: no violation of any size would have been caught reliably"
    return (
        f"ε ≥ {result.resolution.epsilon:.4g}, or {result.resolution.delta:.3g} more δ, at the best placed "
        "event tried would have been caught with probability 0.9"
    )


def _audit(loaded: Target, watch: Watch, *, time_limit: float | None, **options: Any) -> AuditResult:
    from audits.privacy import audit_privacy

    with watch:
        return audit_privacy(
            watch.watched(loaded.mechanism),
            loaded.pairs,
            adjacency=loaded.adjacency,
            score=loaded.score,
            time_limit=time_limit,
            precision=PRECISION,
            confirm=True,
            partial=True,
            planting=True,
            progress=watch.look,
            **options,
        )


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[int | None]:
    """What is written to standard output goes to standard error: by Python, and by libraries and processes
    that write to the descriptor itself. Yields a descriptor of standard output, None where it is closed."""
    with contextlib.redirect_stdout(sys.stderr):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        try:
            kept = os.dup(1)
        except OSError:  # standard output is closed
            yield None
            return
        try:
            os.dup2(2, 1)
            yield kept
        finally:
            os.dup2(kept, 1)
            os.close(kept)


class Watch:
    """Progress on stderr, and an end in time: signals and the time limit stop the run with the bound reached.

    The limit counts from the first output. A mechanism that returns nothing is stopped after the limit and
    `FIRST_OUTPUT` seconds; one that cannot be stopped, as it waits outside of Python, ends with its process,
    after the bound reached was printed.

    so_far    ``so_far(look, seconds, note)``: the result of an audit that ends here.
    document  ``document(result)``: what is printed of it as JSON.
    out       descriptor that takes the JSON document; None for none.
    """

    def __init__(
        self,
        limit: float | None,
        so_far: Callable[..., AuditResult],
        document: Callable[[AuditResult], str],
        out: int | None = None,
    ) -> None:
        self.limit, self.so_far, self.document, self.out = limit, so_far, document, out
        self.started = time.monotonic()
        self.last: Look | None = None
        self.first = True
        self.ended = threading.Event()
        self.handlers: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in STOPPING:
            self.handlers[number] = signal.signal(number, self._stop)
        if self.limit is not None:
            self.handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._late)
            signal.setitimer(signal.ITIMER_REAL, self.limit + FIRST_OUTPUT, 1.0)
        threading.Thread(target=self._guard, daemon=True).start()

    def __exit__(self, *exception: object) -> None:
        self.ended.set()
        if self.handlers and self.limit is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in self.handlers.items():
            signal.signal(number, handler)

    def watched(self, mechanism: Callable[..., Any]) -> Callable[..., Any]:
        """The mechanism; its first output starts the clock."""

        @functools.wraps(mechanism)
        def drawn(*arguments: Any) -> Any:
            outputs = mechanism(*arguments)
            if self.first:
                self.first = False
                self.started = time.monotonic()
                if self.handlers and self.limit is not None:
                    # The run ends by itself between two calls; the alarm is for a call that does not return.
                    signal.setitimer(signal.ITIMER_REAL, self.limit + GRACE, 1.0)
            return outputs

        return drawn

    def look(self, look: Look) -> None:
        """Remember the last look, for the next line of progress."""
        self.last = look

    def _stop(self, number: int, frame: object) -> None:
        from audits.privacy import Stopped

        raise Stopped(f"Stopped by {signal.Signals(number).name}.")

    def _late(self, number: int, frame: object) -> None:
        from audits.privacy import Stopped

        raise Stopped("The time limit was reached.")

    def _guard(self) -> None:
        """In a thread of its own: progress, also while a call does not return; the end of what is stuck."""
        next_line = self.started + FIRST_PROGRESS
        pause = FIRST_PROGRESS
        while not self.ended.wait(0.2):
            now = time.monotonic()
            if now >= next_line:
                print(f"dpclaims: {self.words()}", file=sys.stderr, flush=True)
                pause = min(2.0 * pause, MOST_PAUSE)
                next_line = now + pause
            allowed = math.inf if self.limit is None else self.limit + GRACE + STUCK
            if now - self.started > allowed + (FIRST_OUTPUT if self.first else 0.0):
                print(
                    f"dpclaims: the time limit was reached in a call that cannot be stopped; {self.words()}",
                    file=sys.stderr,
                    flush=True,
                )
                if self.out is not None:
                    note = "The time limit was reached in a call that cannot be stopped."
                    os.write(self.out, self.document(self.result(note)).encode())
                os._exit(UNDECIDED)

    def result(self, note: str) -> AuditResult:
        """What is known by now."""
        return self.so_far(self.last, time.monotonic() - self.started, note)

    def words(self) -> str:
        """Where the run stands."""
        spent = f"{time.monotonic() - self.started:.0f} s"
        if self.last is None:
            return f"no output yet, {spent}" if self.first else f"the premises are tested, {spent}"
        look, log_e = self.last, self.last.log_e_value / math.log(10.0)
        return f"ε ≥ {look.epsilon_lower:.4g}, e-value 10^{log_e:.1f}, {look.samples:,} samples, {spent}"


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
