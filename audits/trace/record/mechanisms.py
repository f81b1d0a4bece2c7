"""Objects and functions that add the noise themselves: a call of one is one draw, and its result is released.

They are known by what they can do: `randomise(value)`, `add_noise(value)`, `quick_result(values)`, an OpenDP
measurement that is called. Others are named by the user (`--primitive library.module.function`).
"""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any, Dict, Iterable, List, Tuple, cast

import numpy as np

from .noise import number, plain
from .session import call_outside, here

METHODS = ("randomise", "randomize", "add_noise", "quick_result")
"""Methods that take a value or data, and return it with noise."""
CALLED = (("opendp.mod", "Measurement", "__call__"), ("opendp.mod", "Odometer", "__call__"))
PARAMETERS = (
    "epsilon",
    "delta",
    "sensitivity",
    "scale",
    "sigma",
    "std",
    "stddev",
    "noise_multiplier",
    "rate",
    "lower",
    "upper",
    "b",
    "rho",
    "l1_sensitivity",
    "l2_sensitivity",
)
"""Names under which a mechanism keeps what its noise depends on, with or without an underscore in front."""


def mechanisms(session: Any, primitives: Iterable[str]) -> Dict[Any, Dict[str, Any]]:
    """Replacements for the methods of mechanisms that the loaded modules have, and for the named
    functions."""
    found: Dict[Any, Dict[str, Any]] = {}
    for kind, name in _classes():
        found.setdefault(kind, {})[name] = _method(session, vars(kind)[name], name)
    for path in primitives:
        owner, name, target = named(path)
        if inspect.isclass(target):
            for method in ("__call__", *METHODS):
                if method in vars(target):
                    found.setdefault(target, {})[method] = _method(session, vars(target)[method], method)
        else:
            raw = vars(owner).get(name, target) if inspect.isclass(owner) else target
            found.setdefault(owner, {})[name] = _function(session, raw, path)
    return found


def named(path: str) -> Tuple[Any, str, Any]:
    """(owner, name, object) of a dotted name. Raises ValueError where there is none."""
    parts = path.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:-1]:
            owner = getattr(owner, part, None)
        if owner is not None and hasattr(owner, parts[-1]):
            return owner, parts[-1], getattr(owner, parts[-1])
        break
    raise ValueError("primitive must be the dotted name of a function or a class, got %r" % path)


def _classes() -> List[Tuple[Any, str]]:
    seen: Dict[int, Any] = {}
    for module in list(sys.modules.values()):
        for value in list(getattr(module, "__dict__", {}).values()):
            # A deprecated name may warn whoever asks what it is an instance of.
            if issubclass(type(value), type) and id(value) not in seen:
                seen[id(value)] = value
    found = []
    for kind in seen.values():
        for name in METHODS:
            method = vars(kind).get(name)
            abstract = getattr(method, "__isabstractmethod__", False)
            if callable(method) and not inspect.isclass(method) and not abstract:
                found.append((kind, name))
    for place, kind_name, name in CALLED:
        kind = getattr(sys.modules.get(place), kind_name, None)
        if kind is not None and name in vars(kind):
            found.append((kind, name))
    return found


def _method(session: Any, real: Any, name: str) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if session.depth or (name == "add_noise" and not args and not kwargs):
            # A method that is given nothing adds noise to what its object holds: its draws are seen.
            return real(self, *args, **kwargs)
        if any(callable(item) for item in args):
            # A function with noise, as objective perturbation has it: what it releases is not known here.
            session.opaque.append((here(), type(self).__name__))
            return real(self, *args, **kwargs)
        value = call_outside(session, lambda: real(self, *plain(args), **plain(kwargs)))
        given = list(plain(args)) + list(plain(kwargs).values())
        params = parameters(self)
        more: Dict[str, Any] = {}
        if hasattr(self, "map") and hasattr(self, "input_metric"):
            more = {"map": self.map, "metric": str(self.input_metric), "measure": str(self.output_measure)}
        law = "mechanism " + type(self).__name__
        return session.draw(law, params, value, "mechanism", given, **more)

    return call


def _function(session: Any, real: Any, path: str) -> Any:
    static = isinstance(real, (staticmethod, classmethod))
    function = real.__func__ if static else real
    try:
        signature: Any = inspect.signature(function)
    except (TypeError, ValueError):
        signature = None

    def call(*args: Any, **kwargs: Any) -> Any:
        if session.depth:
            return function(*args, **kwargs)
        value = call_outside(session, lambda: function(*plain(args), **plain(kwargs)))
        bound: Dict[str, Any] = {str(i): v for i, v in enumerate(args)}
        bound.update(kwargs)
        if signature is not None:
            try:
                bound = dict(signature.bind(*args, **kwargs).arguments)
            except TypeError:
                pass
        bound = plain(bound)
        params = {k.lstrip("_"): v for k, v in bound.items() if k.lstrip("_") in PARAMETERS and number(v)}
        given = [v for k, v in bound.items() if k.lstrip("_") not in params and k not in ("self", "rng")]
        return session.draw("primitive " + path, params, value, "mechanism", given)

    return staticmethod(call) if isinstance(real, staticmethod) else call


def parameters(mechanism: Any) -> Dict[str, Any]:
    """What the noise of a mechanism depends on, by the names of `PARAMETERS`; scores under "utility"."""
    found: Dict[str, Any] = {}
    for name in PARAMETERS:
        for attribute in (name, "_" + name):
            try:
                value = getattr(mechanism, attribute, None)
            except Exception:
                continue
            exact: Any = value
            if hasattr(exact, "to_float"):
                value = exact.to_float(True)  # an exact number of Tumult Core, rounded up
            if number(value):
                found[name] = float(cast(Any, value))
                break
    for attribute in ("utility", "utility_list", "scores"):
        value = getattr(mechanism, attribute, None)
        if isinstance(value, (list, tuple, np.ndarray)):
            try:
                found["utility"] = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                continue
    if getattr(mechanism, "monotonic", False) is True:
        found["monotonic"] = True
    for attribute in ("candidates", "domain", "categories"):
        value = getattr(mechanism, attribute, None)
        if isinstance(value, (list, tuple)):
            found["candidates"] = [str(item) for item in value]
    return found
