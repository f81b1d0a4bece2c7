"""The random functions of PyTorch and JAX: draws are watched and replayed; what becomes of a tensor is not
followed.

Where noise that became a tensor matters for the output, `pair.solved` finds how far it must move.
"""

from __future__ import annotations

import sys
from typing import Any, Dict

import numpy as np

from .session import Session, call_outside

FUNCTIONS = {
    "randn": "normal",
    "randn_like": "normal",
    "rand": "uniform",
    "rand_like": "uniform",
    "normal": "normal",
}
COINS = ("randperm", "randint", "multinomial", "bernoulli", "poisson")
METHODS = {"normal_": "normal", "uniform_": "uniform", "exponential_": "exponential"}


def watched_torch(session: Session) -> Dict[Any, Dict[str, Any]]:
    """Replacements for the random functions of PyTorch and the methods of its tensors."""
    torch: Any = sys.modules["torch"]
    if not hasattr(torch, "Tensor"):
        return {}

    def drawn(law: str, value: Any, params: Dict[str, Any], kind: str) -> Any:
        array = session.draw(law, params, value.detach().cpu().numpy().copy(), kind)
        return torch.as_tensor(array).to(dtype=value.dtype, device=value.device)

    def function(name: str, law: str, kind: str) -> Any:
        real = getattr(torch, name)

        def draws(*args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return real(*args, **kwargs)
            value = call_outside(session, lambda: real(*args, **kwargs))
            return drawn(law, value, parameters(law, name, args, kwargs), kind)

        return draws

    def method(name: str, law: str) -> Any:
        real = getattr(torch.Tensor, name)

        def draws(self: Any, *args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return real(self, *args, **kwargs)
            call_outside(session, lambda: real(self, *args, **kwargs))
            value = drawn(law, self, parameters(law, name, args, kwargs), "noise")
            with torch.no_grad():
                self.copy_(value)
            return self

        return draws

    module = {name: function(name, law, "noise") for name, law in FUNCTIONS.items()}
    module.update({name: function(name, name, "coin") for name in COINS if hasattr(torch, name)})
    return {torch: module, torch.Tensor: {name: method(name, law) for name, law in METHODS.items()}}


def watched_jax(session: Session) -> Dict[Any, Dict[str, Any]]:
    """Replacements for the random functions of JAX; draws inside of a compiled function are not seen."""
    jax: Any = sys.modules["jax"]
    if not hasattr(jax, "random"):
        return {}

    def function(name: str, params: Dict[str, Any]) -> Any:
        real = getattr(jax.random, name)

        def draws(*args: Any, **kwargs: Any) -> Any:
            value = real(*args, **kwargs)
            if session.depth or isinstance(value, jax.core.Tracer):
                return value
            given = dict(params)
            if name == "uniform":
                low, high = (*args[3:], None, None)[:2]
                given = {"low": kwargs.get("minval", low) or 0.0, "high": kwargs.get("maxval", high)}
                given["high"] = 1.0 if given["high"] is None else given["high"]
            array = session.draw(name, given, np.array(value), "noise")
            return jax.numpy.asarray(array, dtype=value.dtype)

        return draws

    names = ("normal", "laplace", "logistic", "gumbel", "exponential")
    replaced = {name: function(name, {"scale": 1.0}) for name in names}
    return {jax.random: dict(replaced, uniform=function("uniform", {}))}


def parameters(law: str, name: str, args: Any, kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """What the law depends on, by the names that NumPy has for it."""
    if law == "uniform":
        given = args if name == "uniform_" else ()
        low = given[0] if given else kwargs.get("from", 0.0)
        return {"low": float(low), "high": float(given[1] if len(given) > 1 else kwargs.get("to", 1.0))}
    if law == "exponential":
        return {"scale": 1.0 / float(args[0] if args else kwargs.get("lambd", 1.0))}
    if name not in ("normal", "normal_"):
        return {"scale": 1.0} if law == "normal" else {}
    scale = args[1] if len(args) > 1 else kwargs.get("std", 1.0)
    return {"scale": scale.detach().cpu().numpy() if hasattr(scale, "detach") else float(scale)}
