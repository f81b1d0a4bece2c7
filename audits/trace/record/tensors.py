"""The random functions of PyTorch and JAX: draws are watched and replayed; what becomes of a tensor is not
followed.

Where noise that became a tensor matters for the output, `explain.solved` finds how far it must move. The
tables say what each argument of a draw is: a number that the noise is added to, or a parameter of the law.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from .laws import sampler
from .noise import fresh, note_of, plain
from .session import call_outside

Draw = Tuple[str, str, Tuple[str, ...]]
"""(law, kind, names of the arguments); "" for an argument that is no parameter, "*" for sizes."""
TORCH: Dict[str, Draw] = {
    "randn": ("normal", "noise", ("*",)),
    "randn_like": ("normal", "noise", ("",)),
    "rand": ("uniform", "noise", ("*",)),
    "rand_like": ("uniform", "noise", ("",)),
    "normal": ("normal", "noise", ("mean", "std")),
    "bernoulli": ("binomial", "noise", ("p",)),
    "binomial": ("binomial", "noise", ("count", "prob")),
    "poisson": ("poisson", "noise", ("input",)),
    "multinomial": ("choice", "coin", ("weights", "", "replacement")),
    "randint": ("integers", "coin", ("low", "high")),
    "randint_like": ("integers", "coin", ("", "low", "high")),
    "randperm": ("permutation", "coin", ("x",)),
    "_standard_gamma": ("gamma", "noise", ("shape",)),
}
"""Functions of `torch`."""
METHODS: Dict[str, Draw] = {
    "normal_": ("normal", "noise", ("mean", "std")),
    "uniform_": ("uniform", "noise", ("from", "to")),
    "exponential_": ("exponential", "noise", ("lambd",)),
    "cauchy_": ("cauchy", "noise", ("median", "sigma")),
    "log_normal_": ("lognormal", "noise", ("mean", "std")),
    "geometric_": ("geometric", "noise", ("p",)),
    "bernoulli_": ("binomial", "noise", ("p",)),
    "random_": ("integers", "coin", ("from", "to")),
}
"""Methods of tensors that fill them."""
OF_TENSORS = {"bernoulli": "bernoulli", "multinomial": "multinomial"}
"""Methods of tensors that draw with their values as a parameter, and the functions that they are."""
NOT_FOLLOWED = (
    *("dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout", "feature_dropout_"),
    *("feature_alpha_dropout", "feature_alpha_dropout_", "native_dropout", "rrelu", "rrelu_"),
    *("_sample_dirichlet", "_fused_dropout"),
)
"""Functions of `torch` that draw and are not followed."""
DISTRIBUTIONS = {"Laplace": "laplace", "Gumbel": "gumbel", "Cauchy": "cauchy"}
"""Distributions of `torch.distributions` with "loc" and "scale" that make their noise of uniform numbers."""
SAMPLED = ("normal", "uniform", "exponential", "poisson", "geometric", "binomial", "gamma", "lognormal")
"""Laws that NumPy draws from by these names, too."""
JAX: Dict[str, Dict[str, float]] = {
    "normal": {"scale": 1.0},
    "laplace": {"scale": 1.0},
    "logistic": {"scale": 1.0},
    "gumbel": {"scale": 1.0},
    "exponential": {"scale": 1.0},
    "uniform": {},
}
"""Functions of `jax.random` whose law has no parameter but a shape; bounds of "uniform" are read."""
JAX_KEYS = (
    *("PRNGKey", "key", "split", "fold_in", "clone", "key_data", "wrap_key_data", "key_impl"),
    *("default_prng_impl", "KeyArray", "PRNGKeyArray", "random_gamma_p"),
)
"""Names of `jax.random` that draw nothing."""


def watched_torch(session: Any) -> Dict[Any, Dict[str, Any]]:
    """Replacements for the random functions of PyTorch and the methods of its tensors."""
    torch: Any = sys.modules["torch"]
    if not hasattr(torch, "Tensor"):
        return {}
    from .torch_noise import NoiseTensor, bare, noisy

    def drawn(draw: Draw, value: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
        law, kind, names = draw
        params = parameters(law, _given(names, args, kwargs))
        return recorded(law, kind, params, value, kwargs.get("generator"))

    def recorded(law: str, kind: str, params: Dict[str, Any], value: Any, source: Any = None) -> Any:
        """The tensor that was drawn by a generator, None for PyTorch's own, with what is followed of it."""
        array = value.detach().cpu().numpy().copy()
        array = array if array.ndim else array[()]
        centre = _array(params.pop("loc", 0.0))
        argument: Any = None
        if np.any(centre != 0.0):
            argument = np.array(np.broadcast_to(centre, array.shape), dtype=float)
        known = law in SAMPLED and all(np.ndim(x) == 0 for x in params.values())
        session.origin = session.torch_seed if source is None else getattr(source, "seed_", None)
        kept = session.draw(law, params, array, kind, argument, again=sampler(law, params) if known else None)
        session.origin = None
        if kind == "noise":
            kept = fresh(session, kept, argument)
        tensor = torch.as_tensor(np.array(plain(kept)))
        return noisy(tensor.to(dtype=value.dtype, device=value.device), note_of(kept))

    def function(real: Any, draw: Draw) -> Any:
        def draws(*args: Any, **kwargs: Any) -> Any:
            if session.depth:
                return real(*args, **kwargs)
            value = call_outside(session, lambda: real(*args, **kwargs))
            return drawn(draw, value, args, kwargs)

        return draws

    def method(real: Any, draw: Draw) -> Any:
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
            return recorded(law, "noise", {"loc": self.loc, "scale": _number(self.scale)}, value)

        return draws

    def other(real: Any, name: str) -> Any:
        def draws(*args: Any, **kwargs: Any) -> Any:
            if not session.depth:
                session.stranger("torch." + name)
            return real(*args, **kwargs)

        return draws

    class Generator(torch.Generator):  # type: ignore[misc, name-defined]
        """A generator that keeps its seed."""

        def manual_seed(self, seed: int) -> Any:
            self.seed_ = session.seeded(seed)
            return super().manual_seed(seed)

    def manual_seed(seed: int) -> Any:
        session.torch_seed = session.seeded(seed)
        return torch.default_generator

    module = {n: function(getattr(torch, n), draw) for n, draw in TORCH.items() if hasattr(torch, n)}
    module.update({n: other(getattr(torch, n), n) for n in NOT_FOLLOWED if hasattr(torch, n)})
    module.update(manual_seed=manual_seed, Generator=Generator)
    tensor = {n: method(getattr(torch.Tensor, n), draw) for n, draw in METHODS.items()}
    tensor.update({n: function(getattr(torch.Tensor, n), TORCH[f]) for n, f in OF_TENSORS.items()})
    kinds = {getattr(torch.distributions, name): law for name, law in DISTRIBUTIONS.items()}
    # `sample` of Gumbel does not call `rsample`, as that of others does.
    classes = {
        kind: {name: distribution(getattr(kind, name), law) for name in ("rsample", "sample")}
        for kind, law in kinds.items()
    }
    return {torch: module, torch.Tensor: tensor, **classes}


def _given(names: Sequence[str], args: Sequence[Any], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a draw by their names."""
    found = dict(kwargs)
    for name, value in zip(names, args):
        if name not in ("", "*"):
            found.setdefault(name, value)
    if "high" in names and "low" in found and _is_size(found.get("high")):
        found["low"], found["high"] = 0, found["low"]  # one bound, and a size
    return found


def _is_size(value: Any) -> bool:
    return value is None or isinstance(value, (tuple, list))


def _array(value: Any) -> Any:
    return np.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value, dtype=float)


def _number(value: Any) -> Any:
    array = _array(value)
    return array if array.ndim else float(array)


def parameters(law: str, given: Dict[str, Any]) -> Dict[str, Any]:
    """What the law depends on, by the names that NumPy has for it; "loc" is what noise is added to."""
    first = next((given[k] for k in ("p", "prob", "input", "shape", "weights") if k in given), None)
    if law == "normal":
        return {"loc": given.get("mean", 0.0), "scale": _number(given.get("std", 1.0))}
    if law == "cauchy":
        return {"loc": given.get("median", 0.0), "scale": _number(given.get("sigma", 1.0))}
    if law == "uniform":
        return {"low": _number(given.get("from", 0.0)), "high": _number(given.get("to", 1.0))}
    if law == "exponential":
        return {"scale": 1.0 / _number(given.get("lambd", 1.0))}
    if law == "lognormal":
        return {"mean": _number(given.get("mean", 1.0)), "sigma": _number(given.get("std", 2.0))}
    if law == "binomial":
        return {"n": _number(given.get("count", 1)), "p": _number(0.5 if first is None else first)}
    if law == "integers":
        low, high = given.get("low", given.get("from", 0)), given.get("high", given.get("to"))
        return {"low": int(low), "high": None if high is None else int(high)}
    if law == "permutation":
        return {"x": int(given["x"])}
    if law == "choice":
        weights = _array(first)
        total = np.sum(weights, axis=-1, keepdims=True)
        return {
            "a": weights.shape[-1],
            "p": weights / total,
            "replace": bool(given.get("replacement", False)),
        }
    return {{"poisson": "lam", "geometric": "p", "gamma": "shape"}[law]: _number(first)}


def watched_jax(session: Any) -> Dict[Any, Dict[str, Any]]:
    """Replacements for the random functions of JAX; draws inside of a compiled function are not seen."""
    jax: Any = sys.modules["jax"]
    if not hasattr(jax, "random"):
        return {}

    def function(name: str, params: Optional[Dict[str, float]]) -> Any:
        real = getattr(jax.random, name)

        def draws(*args: Any, **kwargs: Any) -> Any:
            value = real(*args, **kwargs)
            if session.depth or isinstance(value, jax.core.Tracer):
                return value
            if params is None:
                session.stranger("jax.random." + name)
                return value
            given: Dict[str, Any] = dict(params)
            if name == "uniform":
                low, high = (*args[3:], None, None)[:2]
                low, high = kwargs.get("minval", low), kwargs.get("maxval", high)
                given = {"low": 0.0 if low is None else low, "high": 1.0 if high is None else high}
            array = session.draw(name, given, np.array(value), "noise")
            return jax.numpy.asarray(array, dtype=value.dtype)

        return draws

    public = [n for n in dir(jax.random) if not n.startswith("_") and callable(getattr(jax.random, n))]
    return {jax.random: {name: function(name, JAX.get(name)) for name in public if name not in JAX_KEYS}}
