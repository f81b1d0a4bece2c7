"""The random functions of PyTorch and JAX: draws are watched and replayed; what becomes of a tensor is not
followed.

Where noise that became a tensor matters for the output, `explain.solved` finds how far it must move. The
tables say what each argument of a draw is: a number that the noise is added to, or a parameter of the law.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Sequence

import numpy as np

from .laws import sampler
from .noise import centre_of, fresh, note_of, plain
from .session import PLACE_LAWS, call_outside
from .table import LOST, NO_DRAWS, TENSOR, TORCH, Drawn

OF_TENSORS = ("bernoulli", "multinomial")
"""Methods of tensors whose values are a parameter of the draw; `torch` has functions with the same names."""
DISTRIBUTIONS = {"Laplace": "laplace", "Gumbel": "gumbel", "Cauchy": "cauchy"}
"""Distributions of `torch.distributions` with "loc" and "scale" that make their noise of uniform numbers."""
UNSEEDED = 67280421310721
"""What every `torch.Generator()` starts from, in every process, until it is given a seed."""


def watched_torch(session: Any) -> Dict[Any, Dict[str, Any]]:
    """Replacements for the random functions of PyTorch and the methods of its tensors."""
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "Tensor"):
        return {}
    from .torch_noise import NoiseTensor, bare, noisy

    def drawn(draw: Drawn, value: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
        given = draw.parameters(list(map(_number, args)), {k: _number(arg) for k, arg in kwargs.items()})
        params = _places(draw.law, given)
        return recorded(draw.law, params, value, kwargs.get("generator"))

    def recorded(law: str, params: Dict[str, Any], value: Any, source: Any = None) -> Any:
        """The tensor that was drawn by a generator, None for PyTorch's own, with what is followed of it."""
        array = value.detach().cpu().numpy().copy()
        array = array if array.ndim else array[()]
        loc = params.pop("loc", None)
        loc = None if loc is None else _array(loc)
        argument = centre_of(loc, array.shape)
        coin = law in PLACE_LAWS
        session.origin = session.torch_seed if source is None else getattr(source, "seed_", None)
        again = None if coin else sampler(law, params)
        kept = session.draw(law, params, array, "coin" if coin else "noise", argument, again=again)
        session.origin = None
        kept = kept if coin else fresh(session, kept, loc)
        tensor = torch.as_tensor(np.array(plain(kept)))
        return noisy(tensor.to(dtype=value.dtype, device=value.device), note_of(kept))

    def function(real: Any, draw: Drawn) -> Any:
        def draws(*args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return real(*args, **kwargs)
            value = call_outside(session, lambda: real(*args, **kwargs))
            return drawn(draw, value, args, kwargs)

        return draws

    def method(real: Any, draw: Drawn) -> Any:
        def draws(self: Any, *args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return real(self, *args, **kwargs)
            call_outside(session, lambda: real(self, *args, **kwargs))
            value = drawn(draw, self, args, kwargs)
            with torch.no_grad():
                self.copy_(bare(value))
            if type(self) in (torch.Tensor, NoiseTensor) and not self.requires_grad:
                self.__class__ = NoiseTensor
                self.note_ = getattr(value, "note_", None)
            return self

        return draws

    def distribution(real: Any, law: str) -> Any:
        def draws(self: Any, *args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return real(self, *args, **kwargs)
            value = call_outside(session, lambda: real(self, *args, **kwargs))
            return recorded(law, {"loc": self.loc, "scale": _number(self.scale)}, value)

        return draws

    def other(real: Any, name: str) -> Any:
        def draws(*args: Any, **kwargs: Any) -> Any:
            if not session.depth:
                session.stranger("torch." + name)
            return real(*args, **kwargs)

        return draws

    class Generator(torch.Generator):  # type: ignore[misc, name-defined]
        """A generator that keeps its seed."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.seed_ = session.seeded(UNSEEDED)

        def manual_seed(self, seed: int) -> Any:
            self.seed_ = session.seeded(seed)
            return super().manual_seed(seed)

        def seed(self) -> int:
            self.seed_ = None
            return super().seed()

        def set_state(self, *args: Any) -> Any:
            session.stranger("torch.Generator.set_state")
            return super().set_state(*args)

    def manual_seed(seed: int) -> Any:
        session.torch_seed = session.seeded(seed)
        return torch.default_generator

    module = {n: function(getattr(torch, n), draw) for n, draw in TORCH.items() if hasattr(torch, n)}
    module.update({n: other(getattr(torch, n), n) for n in LOST["torch"] if hasattr(torch, n)})
    module.update(manual_seed=manual_seed, Generator=Generator)
    tensor = {n: method(getattr(torch.Tensor, n), draw) for n, draw in TENSOR.items()}
    tensor.update({n: function(getattr(torch.Tensor, n), TORCH[n]) for n in OF_TENSORS})
    kinds = {getattr(torch.distributions, name): law for name, law in DISTRIBUTIONS.items()}
    # `sample` of Gumbel does not call `rsample`, as that of others does.
    classes = {
        kind: {name: distribution(getattr(kind, name), law) for name in ("rsample", "sample")}
        for kind, law in kinds.items()
    }
    return {torch: module, torch.Tensor: tensor, **classes}


def _array(value: Any) -> Any:
    return np.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value, dtype=float)


def _number(value: Any) -> Any:
    """A tensor as an array or a number; anything else as it is."""
    if not hasattr(value, "detach"):
        return value
    array = _array(value)
    return array if array.ndim else float(array)


def _places(law: str, params: Dict[str, Any]) -> Dict[str, Any]:
    """The parameters of places as those of NumPy: one bound is the upper one, weights need not sum to 1."""
    if law == "integers" and not isinstance(params["high"], (int, float)):
        return {"low": 0, "high": int(params["low"])}
    if law == "integers":
        return {name: int(bound) for name, bound in params.items()}
    if law == "choice":
        weights = np.asarray(params["p"])
        params.update(a=weights.shape[-1], p=weights / np.sum(weights, axis=-1, keepdims=True))
    return {"n": 1, **params} if law == "binomial" else params


def watched_jax(session: Any) -> Dict[Any, Dict[str, Any]]:
    """The random functions of JAX, of which none is followed: what a compiled function draws is not seen."""
    jax: Any = sys.modules.get("jax")
    if not hasattr(jax, "random"):
        return {}

    def function(name: str) -> Any:
        real = getattr(jax.random, name)

        def draws(*args: Any, **kwargs: Any) -> Any:
            value = real(*args, **kwargs)
            if not session.depth:
                session.stranger("jax.random." + name)
            return value

        return draws

    public = [n for n in dir(jax.random) if not n.startswith("_") and callable(getattr(jax.random, n))]
    return {jax.random: {name: function(name) for name in public if name not in NO_DRAWS["jax"]}}
