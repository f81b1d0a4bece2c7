"""Generators that report what they draw, put in the place of those of NumPy, `random`, `secrets`, SciPy,
torch."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import random
import secrets
import sys
from types import SimpleNamespace
from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple

import numpy as np

from .ended import Ended
from .laws import reach, sampler
from .noise import apply, centre_of, fresh, function_of, note_of, on_arrays, plain, random_sign
from .session import HOME, call_outside
from .table import LOST, NO_DRAWS, NUMPY, PLACES, PYTHON, RAW, SCIPY, Drawn
from .tensors import watched_jax, watched_torch

own_bits = np.random.PCG64
"""The bit generator of this package, which nobody watches."""
OWN_DATA = ("rv_histogram", "rv_sample", "rv_discrete", "rv_continuous")
"""Distributions of SciPy whose law is made of numbers that they hold."""
SHORT = 62
"""Bits of a whole number that is followed, at most."""


# --- NumPy ------------------------------------------------------------------------------------------------


def numpy_draw(session: Any, real: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    """A draw of a generator of NumPy; `real` is the method itself."""
    if session.depth:
        return real(*plain(args), **plain(kwargs))
    if name == "shuffle":
        return _shuffled(session, args[0], kwargs, args[1:])
    if name == "choice":
        return _chosen(session, real, args, kwargs)
    if name == "permutation" and np.ndim(args[0] if args else kwargs["x"]):
        return _ordered(session, *plain(args), **plain(kwargs))
    if name in LOST["numpy"] or name not in (*NUMPY, *PLACES["numpy"], *RAW):
        session.stranger("numpy.random." + name)
        return call_outside(session, lambda: real(*plain(args), **plain(kwargs)))
    value = call_outside(session, lambda: real(*plain(args), **plain(kwargs)))
    if name in NUMPY:
        return _noise(session, NUMPY[name], args, kwargs, value, numpy=not isinstance(value, np.ndarray))
    if name in ("integers", "randint"):
        return _whole(session, *_whole_range(*plain(args), **plain(kwargs)), value)
    return _followed(session, session.draw(name, _choice_params(name, args, kwargs), value, "coin"))


def _noise(session: Any, drawn: Drawn, args: Any, kwargs: Dict[str, Any], value: Any, numpy: bool) -> Any:
    """A draw of a law of the table, as noise."""
    given = drawn.parameters(args, kwargs)
    loc = given.pop("loc", None)
    params = {name: _unlabelled(plain(item)) for name, item in given.items()}
    argument = centre_of(loc, np.shape(value))
    value = session.draw(drawn.law, params, value, "noise", argument, again=sampler(drawn.law, params))
    return fresh(session, value, loc, numpy=numpy)


def _unlabelled(value: Any) -> Any:
    """A parameter without the labels of pandas: a column of scales is an array of them."""
    return value.to_numpy() if hasattr(value, "to_numpy") else value


def _whole_range(low: Any, high: Any = None, *_: Any, **options: Any) -> Tuple[Any, Any]:
    """The bounds of whole numbers, the upper one excluded."""
    low, high = (0, low) if high is None else (low, high)
    return low, (np.asarray(high) + 1 if options.get("endpoint", False) else high)


def _ordered(session: Any, x: Any, axis: int = 0) -> Any:
    """What is put into another order is the program's own, on D and on D′: the order is the draw."""
    count = np.shape(x)[axis]
    order = call_outside(session, lambda: session.rng.permutation(count))
    return np.take(np.asarray(x), session.draw("permutation", {"x": count}, order, "coin"), axis=axis)


def _whole(session: Any, low: Any, high: Any, value: Any) -> Any:
    """Whole numbers of a range, the upper bound excluded; a single one is followed: it may be compared with
    another one, or be made into noise."""
    params = {"low": low, "high": high}
    bounds = reach("integers", params)
    short = bounds is not None and bounds[1] - bounds[0] < 1 << SHORT
    value = session.draw(
        "integers", params, value, "coin", again=sampler("integers", params) if short else None
    )
    return _followed(session, value)


def _followed(session: Any, value: Any) -> Any:
    return (
        fresh(session, value) if isinstance(value, (int, np.integer)) and type(value) is not bool else value
    )


def _chosen(session: Any, real: Any, args: Any, kwargs: Dict[str, Any]) -> Any:
    """`choice` draws places; what stands there is the program's own, on D and on D′."""
    given = _choice_params("choice", args, kwargs)
    items, axis = given.pop("a"), given.pop("axis", 0)
    whole = isinstance(items, (int, np.integer))
    count = int(items) if whole else np.shape(items)[axis]
    options = {k: v for k, v in given.items() if v is not None}
    places = call_outside(session, lambda: real(count, **options))
    again = None if "p" in options else _signs(items)
    places = session.draw("choice", dict(given, a=count), places, "coin", again=again)
    found = places if whole else np.take(np.asarray(items), places, axis=axis)
    return found if again is None else random_sign(session, found)


def _signs(items: Any) -> Any:
    """Other draws of −1 or 1, which may be the sign of noise; None where there are other items."""
    values: Any = np.asarray(items)
    if values.shape != (2,) or values.dtype.kind not in "if" or sorted(values.tolist()) != [-1, 1]:
        return None
    return lambda rng, count, shape: rng.choice(values, size=(count, *shape))


def _choice_params(name: str, args: Any, kwargs: Dict[str, Any]) -> Dict[str, Any]:
    names = ("a", "size", "replace", "p", "axis", "shuffle") if name == "choice" else ("x",)
    given: Dict[str, Any] = dict(zip(names, plain(args)))
    given.update(plain(kwargs))
    return {k: v for k, v in given.items() if k not in ("dtype", "out")}


def _shuffled(session: Any, values: Any, kwargs: Any, rest: Any) -> None:
    """In place, as NumPy and `random` do it: the order is the draw."""
    axis = kwargs.get("axis", rest[0] if rest and isinstance(rest[0], int) else 0)
    count = np.shape(values)[axis] if isinstance(values, np.ndarray) else len(values)
    order = session.draw("permutation", {"x": count}, session.rng.permutation(count), "coin")
    if isinstance(values, np.ndarray):
        values[...] = np.take(values, order, axis=axis)
    else:
        values[:] = [values[i] for i in order]


def _watching(kind: Any, session: Any) -> Any:
    """A subclass of a kind of generator of NumPy whose methods report to the session."""

    class Meta(type):
        def __instancecheck__(cls, other: Any) -> bool:
            return isinstance(other, kind)

        def __subclasscheck__(cls, other: Any) -> bool:
            return issubclass(other, kind)

    def method(name: str) -> Any:
        real = getattr(kind, name)

        def draws(self: Any, *args: Any, **kwargs: Any) -> Any:
            with _from(session, self, getattr(self, "bit_generator", None)):
                return numpy_draw(session, lambda *a, **k: real(self, *a, **k), name, args, kwargs)

        draws.__name__ = name
        return draws

    public = [n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n))]
    body: Dict[str, Any] = {name: method(name) for name in public if name not in NO_DRAWS["numpy"]}
    # A copy is the same source: a library that copies its generator draws on.
    body["__deepcopy__"] = lambda self, memo: self
    body["__copy__"] = lambda self: self
    if kind is np.random.RandomState:

        def start(self: Any, seed: Any = None) -> None:
            bits = isinstance(seed, np.random.BitGenerator)
            self.seed_ = getattr(seed, "seed_", None) if bits else session.seeded(plain(seed))
            kind.__init__(self, plain(seed))

        def again(self: Any, seed: Any = None) -> None:
            self.seed_ = session.seeded(plain(seed))

        body["__init__"], body["seed"] = start, again
    if hasattr(kind, "spawn"):
        body["spawn"] = lambda self, n: [
            _started(type(self)(own_bits(int(session.rng.integers(0, 2**63)))), getattr(self, "seed_", None))
            for _ in range(n)
        ]
    return Meta(kind.__name__, (kind,), body)


@contextlib.contextmanager
def _from(session: Any, *sources: Any) -> Generator[None, None, None]:
    """What is drawn meanwhile comes from a generator, which may keep its seed."""
    before = session.origin
    found = [getattr(source, "seed_", None) for source in sources]
    session.origin = next((seed for seed in found if seed is not None), None)
    try:
        yield
    finally:
        session.origin = before


def _started(generator: Any, seed: Any) -> Any:
    generator.seed_ = seed
    return generator


def _bit_generators(session: Any) -> Dict[str, Any]:
    """Subclasses of NumPy's bit generators that report their seeds and raw numbers."""

    def watching(kind: Any) -> Any:
        def start(self: Any, seed: Any = None, *args: Any, **kwargs: Any) -> None:
            self.seed_ = session.seeded(plain(seed))
            kind.__init__(self, plain(seed), *args, **kwargs)

        def raw(self: Any, *args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return kind.random_raw(self, *args, **kwargs)
            value = session.rng.integers(0, 2**64, args[0] if args else kwargs.get("size"), dtype=np.uint64)
            value = int(value) if np.ndim(value) == 0 else value
            return session.draw("raw", {}, value, "coin")

        return type(kind.__name__, (kind,), {"__init__": start, "random_raw": raw})

    names = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
    return {name: watching(getattr(np.random, name)) for name in names if hasattr(np.random, name)}


# --- random, secrets, the operating system ------------------------------------------------------------------


def python_draw(session: Any, real: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    """A draw of the module `random`; `real` is the method itself."""
    if session.depth:
        return real(*args, **kwargs)
    if name == "shuffle":
        return _shuffled(session, args[0], {}, ())
    if name in LOST["random"]:
        session.stranger("random." + name)
        return real(*plain(args), **plain(kwargs))
    rng = _own_random(session)
    if name in ("choice", "choices", "sample"):
        return _chosen_python(session, rng, name, plain(args), plain(kwargs))
    again = getattr(rng, name) if hasattr(rng, name) else real
    value = call_outside(session, lambda: again(*plain(args), **plain(kwargs)))
    if name in PYTHON:
        return _noise(session, PYTHON[name], args, kwargs, value, numpy=False)
    if name in ("randint", "randrange") or (name == "getrandbits" and plain(args[0]) <= SHORT):
        return _whole(session, *_bounds(name, args, kwargs), value)
    params = {**{str(i): arg for i, arg in enumerate(plain(args))}, **plain(kwargs)}
    return session.draw(name, params, value, "coin")


def _own_random(session: Any) -> random.Random:
    """A generator of this package."""
    return call_outside(session, lambda: random.Random(int(session.rng.integers(0, 2**63))))


def _bounds(name: str, args: Any, kwargs: Dict[str, Any]) -> Tuple[Any, Any]:
    """(low, high) of a whole number of the module `random`, high excluded."""
    values = list(plain(args)) + list(plain(kwargs).values())
    if name == "getrandbits":
        return 0, 1 << values[0]
    if name == "randint":
        return values[0], values[1] + 1
    return (0, values[0]) if len(values) == 1 else (values[0], values[1])


def _chosen_python(session: Any, rng: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    names = {"choice": ("seq",), "choices": ("population", "weights"), "sample": ("population", "k")}[name]
    given = dict(zip(names, args))
    given.update(kwargs)
    items = given.pop(names[0])
    params: Dict[str, Any] = {"a": len(items)}
    if name == "sample":
        params["replace"] = False
    weights = given.get("weights")
    if weights is None and given.get("cum_weights") is not None:
        weights = np.diff(np.concatenate([[0.0], given["cum_weights"]]))
    if weights is not None:
        params["p"] = np.asarray(weights, dtype=float) / np.sum(weights)
    places = call_outside(session, lambda: getattr(rng, name)(range(len(items)), **given))
    again = _signs(items) if name == "choice" else None
    places = session.draw("choice", params, np.asarray(places), "coin", again=again)
    if name == "choice":
        found = items[int(places)]
        return found if again is None else random_sign(session, found, numpy=False)
    return [items[int(place)] for place in places]


def _watched_python(session: Any) -> Dict[Any, Dict[str, Any]]:
    """Replacements for attributes of `random`, its classes, `secrets` and `os`."""
    found: Dict[Any, Dict[str, Any]] = {}
    names = (*PYTHON, *PLACES["random"], *LOST["random"])

    def method(kind: Any, name: str) -> Any:
        real = getattr(kind, name)

        def draws(self: Any, *args: Any, **kwargs: Any) -> Any:
            if session.depth and kind is random.SystemRandom and name not in ("shuffle",):
                # Inside of a mechanism: a trace of the same seed must draw the same.
                seeded = _own_random(session)
                return call_outside(session, lambda: getattr(seeded, name)(*args, **kwargs))
            with _from(session, self):
                return python_draw(session, lambda *a, **k: real(self, *a, **k), name, args, kwargs)

        return draws

    def function(real: Any, name: str, source: Any) -> Any:
        def draws(*args: Any, **kwargs: Any) -> Any:
            with _from(session, source):
                return python_draw(session, real, name, args, kwargs)

        return draws

    def seed_of(real: Any) -> Any:
        def start(self: Any, a: Any = None, *args: Any, **kwargs: Any) -> None:
            self.seed_ = session.seeded(plain(a))
            real(self, plain(a), *args, **kwargs)

        return start

    def module_seed(a: Any = None, *args: Any) -> None:
        session.seed_ = session.seeded(plain(a))

    found_seed = seed_of(random.Random.seed)
    for kind in (random.Random, random.SystemRandom):
        own = [n for n in names if n in vars(kind) or (kind is random.Random and hasattr(kind, n))]
        found[kind] = {name: method(kind, name) for name in own}
    found[random.Random]["seed"] = found_seed
    found[random] = {n: function(getattr(random, n), n, session) for n in names if hasattr(random, n)}
    found[random]["seed"] = module_seed

    # What draws places or bits goes by the name that `random` has for it.
    names_of = {"randbelow": "randrange", "randbits": "getrandbits"}
    found[secrets] = {n: function(getattr(secrets, n), names_of.get(n, n), None) for n in PLACES["secrets"]}
    urandom = os.urandom

    def bytes_of(count: int) -> bytes:
        if session.depth:
            return urandom(count)
        return session.draw("bytes", {"count": count}, session.rng.bytes(count), "coin")

    mine, leave = os.getpid(), getattr(os, "_exit")  # noqa: B009

    def end(status: int = 0) -> None:
        if os.getpid() != mine:
            leave(status)  # a process that the program has forked
        raise Ended("os._exit(%r)" % status)

    found[os] = {"urandom": bytes_of, "_exit": end}
    return found


# --- SciPy -------------------------------------------------------------------------------------------------


def _watched_scipy(session: Any) -> Dict[Any, Dict[str, Any]]:
    module = sys.modules.get("scipy.stats._distn_infrastructure")
    kind = getattr(module, "rv_generic", None)
    if kind is None:
        return {}
    real, shared = kind.rvs, vars(np.random.mtrand)["_rand"]

    def rvs(self: Any, *args: Any, **kwargs: Any) -> Any:
        if session.depth:
            return real(self, *args, **kwargs)
        if "scipy.stats._" not in type(self).__module__ + "." or type(self).__name__ in OWN_DATA:
            session.stranger("scipy.stats.%s.rvs" % type(self).__name__)
        state = call_outside(session, lambda: np.random.RandomState(session.rng.integers(0, 2**31)))
        options = dict(plain(kwargs), random_state=state)
        value = call_outside(session, lambda: real(self, *plain(args), **options))
        given = {k: v for k, v in plain(kwargs).items() if k not in ("random_state", "discrete")}
        shapes, loc, scale, _ = self._parse_args_rvs(*plain(args), **given)
        law = str(SCIPY.get(self.name, "scipy." + self.name))
        params: Dict[str, Any] = {"low": 0.0, "high": scale} if law == "uniform" else {"scale": scale}
        if self.name == "dlaplace":
            law, params = "discrete laplace", {"rate": float(np.ravel(shapes[0])[0])}
        elif self.name not in SCIPY:
            params.update({"shape%d" % i: shape for i, shape in enumerate(shapes)})
        argument = centre_of(loc, np.shape(value))
        source = kwargs.get("random_state")
        source = self._random_state if source is None else source
        source = vars(np.random.mtrand)["_rand"] if source is shared else source
        if isinstance(source, (int, np.integer)):
            source = SimpleNamespace(seed_=session.seeded(plain(source)))
        with _from(session, source, getattr(source, "bit_generator", None)):
            kept = session.draw(law, params, value, "noise", argument, again=sampler(law, params))
        return fresh(session, kept, kwargs.get("loc", loc), numpy=True)

    return {kind: {"rvs": rvs}}


def _watched_quantiles(session: Any) -> Dict[Any, Dict[str, Any]]:
    """The inverse distribution functions of SciPy: of a uniform number they make noise of their law."""
    module = sys.modules.get("scipy.stats._distn_infrastructure")
    found: Dict[Any, Dict[str, Any]] = {}
    for kind in (getattr(module, name, None) for name in ("rv_continuous", "rv_discrete")):
        for name in ("ppf", "isf") if kind is not None else ():
            found.setdefault(kind, {})[name] = _quantiles(vars(kind)[name], name)
    return found


def _quantiles(real: Any, name: str) -> Any:
    def quantile(self: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
        if note_of(q) is None:
            return real(self, q, *args, **kwargs)
        shapes, loc, scale = self._parse_args(*plain(args), **plain(kwargs))

        def standard(level: Any) -> Any:
            return real(self, level, *shapes)

        found = function_of(q, name, standard, standard(plain(q)))
        found = found * scale if np.any(np.asarray(scale) != 1) else found
        return found + loc if np.any(np.asarray(loc) != 0) else found

    return quantile


def _watched_math(_: Any) -> Dict[Any, Dict[str, Any]]:
    """The functions of `math` on numbers that are noise."""
    same = (
        "exp expm1 log1p log2 log10 sqrt cbrt sin cos tan sinh cosh tanh fabs copysign hypot degrees radians"
    )
    ufuncs: Dict[str, Any] = {name: getattr(np, name) for name in same.split() if hasattr(math, name)}
    others = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
    ufuncs.update({name: getattr(np, other) for name, other in others.items()})
    ufuncs.update({"asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh})

    def function(real: Any, ufunc: Any) -> Any:
        def computed(*args: Any) -> Any:
            value = real(*plain(args))
            if any(note_of(arg) is not None for arg in args):
                return apply(ufunc, "__call__", args, None, {})
            return value

        return computed

    real_log = math.log

    def log(number: Any, *base: Any) -> Any:
        value = real_log(plain(number), *plain(base))
        if note_of(number) is None:
            return value
        found = apply(np.log, "__call__", (number,), None, {})
        return found / real_log(plain(base[0])) if base else found

    return {math: dict({n: function(getattr(math, n), u) for n, u in ufuncs.items()}, log=log)}


def _watched_places(_: Any) -> Dict[Any, Dict[str, Any]]:
    """argmax and argmin of NumPy on lists of noisy scores, of which NumPy itself makes plain numbers."""

    def function(real: Any) -> Any:
        @functools.wraps(real)
        def place(a: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(a, (list, tuple)) and any(np.ndim(x) == 0 and note_of(x) is not None for x in a):
                a = on_arrays(None, np.stack, (), (a,), {})
            return real(a, *args, **kwargs)

        return place

    return {np: {name: function(getattr(np, name)) for name in ("argmax", "argmin")}}


def _watched_pandas() -> Dict[Any, Dict[str, Any]]:
    """Sums of a DataFrame and an array of noise, of which pandas itself makes plain numbers."""
    frame = getattr(sys.modules.get("pandas"), "DataFrame", None)
    if frame is None:
        return {}

    def function(real: Any) -> Any:
        @functools.wraps(real)
        def added(self: Any, other: Any) -> Any:
            if note_of(other) is None or np.shape(other) != self.shape:
                return real(self, other)
            values = self.to_numpy()
            if values.dtype.kind not in "fi":
                return real(self, other)
            return type(self)(plain(values + other), self.index, self.columns)

        return added

    return {frame: {name: function(getattr(frame, name)) for name in ("__add__", "__radd__")}}


def _uncompiled() -> Dict[Any, Dict[str, Any]]:
    """Functions that Numba has compiled are called as the functions of Python that they were: compiled ones
    draw from a generator of their own, which nobody watches."""
    kind = getattr(sys.modules.get("numba.core.dispatcher"), "Dispatcher", None)
    return {} if kind is None else {kind: {"__call__": lambda self, *args, **kw: self.py_func(*args, **kw)}}


# --- All of them -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watched(session: Any) -> Generator[Any, None, None]:
    """While this is open, every source that is known reports to the session. Yields the generator to pass on.

    Functions that a library has imported under a name of its own are found by what they are.
    """
    real = np.random.Generator, np.random.RandomState
    new_generator, new_state = (_watching(kind, session) for kind in real)
    state = new_state(int(session.rng.integers(0, 2**31)))
    rng = new_generator(own_bits(int(session.rng.integers(0, 2**63))))
    module: Dict[str, Any] = {
        name: getattr(state, name)
        for name in dir(state)
        if callable(getattr(state, name)) and hasattr(np.random, name)
        if not name.startswith("_") and name not in NO_DRAWS["numpy"]
    }
    module["seed"] = state.seed
    module.update({name: state.random_sample for name in ("ranf", "sample") if hasattr(np.random, name)})
    module.update(_bit_generators(session))
    module["RandomState"], module["Generator"] = new_state, new_generator

    def default_rng(seed: Any = None) -> Any:
        # A generator that is handed in stays what it is.
        if isinstance(seed, real[0]):
            return seed
        bits = isinstance(seed, np.random.BitGenerator)
        kept = getattr(seed, "seed_", None) if bits else session.seeded(plain(seed))
        return _started(new_generator(own_bits(int(session.rng.integers(0, 2**63)))), kept)

    module["default_rng"] = default_rng
    # Generators that modules have made when they were imported.
    own = {real[0]: rng, real[1]: state}
    replaced: Dict[Any, Dict[str, Any]] = {np.random: module, np.random.mtrand: dict(module, _rand=state)}
    known = (
        _watched_python(session),
        _watched_scipy(session),
        _watched_quantiles(session),
        _watched_math(session),
        _watched_places(session),
        _watched_pandas(),
        _uncompiled(),
        watched_torch(session),
        watched_jax(session),
    )
    for found in known:
        for owner, attributes in found.items():
            replaced.setdefault(owner, {}).update(attributes)

    def begin(seed: Sequence[int]) -> None:
        """Every run of a seed starts with the same generators, so that a replay draws anew what it drew
        before."""
        words = np.random.SeedSequence(list(seed))
        rng.bit_generator.state = own_bits(words).state
        real[1].seed(state, words.generate_state(8))
        state.seed_ = None

    with exchanged(replaced, own):
        yield rng, begin


@contextlib.contextmanager
def exchanged(
    replaced: Dict[Any, Dict[str, Any]], instances: Optional[Dict[Any, Any]] = None
) -> Generator[None, None, None]:
    """Attributes of modules and classes are others while this is open, wherever modules have imported them.

    instances   what stands in for objects of these very classes that modules hold.
    """
    undo: List[Tuple[Any, str, Optional[Any], bool]] = []
    by_identity: Dict[int, Any] = {}
    kept: List[Any] = []
    for owner, attributes in replaced.items():
        module = not isinstance(owner, type)
        for name, new in attributes.items():
            had = name in vars(owner)
            old = getattr(owner, name, None)
            undo.append((owner, name, vars(owner).get(name), had))
            if module and old is not None:
                by_identity[id(old)] = new
                kept.append(old)
            setattr(owner, name, new)
    for module in list(sys.modules.values()) if by_identity or instances else ():
        names = getattr(module, "__dict__", None)
        if names is None or module in replaced or str(getattr(module, "__file__", "")).startswith(HOME):
            continue
        of_numpy = getattr(module, "__name__", "").startswith("numpy")
        for name, value in list(names.items()):
            new = by_identity.get(id(value))
            if new is None and instances and type(value) in instances and not of_numpy:
                new = instances[type(value)]
            if new is not None and not isinstance(value, (int, float, str, bytes)):
                undo.append((module, name, value, True))
                with contextlib.suppress(Exception):
                    setattr(module, name, new)
    try:
        yield
    finally:
        for owner, name, old, had in reversed(undo):
            with contextlib.suppress(Exception):
                if had:
                    setattr(owner, name, old)
                else:
                    delattr(owner, name)
