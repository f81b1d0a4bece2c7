"""Tensors of PyTorch that remember the noise in them: sums, products and functions of noise are followed.

What is done with a tensor of noise is computed by `noise.apply`, as for arrays. Any other function is given
plain tensors, and gives plain ones. Import this file only where PyTorch is loaded.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional

import numpy as np

from .noise import Note, apply, function_of, note_of, noted, on_arrays, plain, unknown

torch: Any = sys.modules["torch"]
BINARY = {
    **{"add": np.add, "sub": np.subtract, "subtract": np.subtract, "mul": np.multiply, "pow": np.power},
    **{"multiply": np.multiply, "div": np.true_divide, "divide": np.true_divide, "maximum": np.maximum},
    **{"true_divide": np.true_divide, "truediv": np.true_divide, "minimum": np.minimum, "eq": np.equal},
    **{"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "ne": np.not_equal},
}
UNARY = {
    **{"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "tanh": np.tanh},
    **{"sign": np.sign, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "sin": np.sin, "cos": np.cos},
    **{"abs": np.absolute, "absolute": np.absolute, "neg": np.negative, "negative": np.negative},
    **{"round": np.rint, "square": np.square, "log2": np.log2, "log10": np.log10},
}
MOVING = (
    *("view", "reshape", "view_as", "reshape_as", "expand", "expand_as", "squeeze", "unsqueeze", "flatten"),
    *("ravel", "t", "transpose", "permute", "movedim", "swapaxes", "getitem", "T", "mT"),
    *("detach", "clone", "contiguous", "data", "triu", "tril", "diag", "diagonal"),
)
"""Functions that move entries and leave their values alone, or fill places with 0."""
CASTING = ("to", "float", "double", "half", "type_as", "cpu", "type")


class NoiseTensor(torch.Tensor):
    """A tensor that is noise, or a sum with noise."""

    note_: Optional[Note] = None

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What a function of PyTorch makes of it."""
        with torch._C.DisableTorchFunctionSubclass():
            return _followed(function, args, kwargs or {})


def noisy(value: Any, note: Optional[Note]) -> Any:
    """The tensor with a note."""
    if note is None:
        return value
    tensor = value.as_subclass(NoiseTensor)
    tensor.note_ = note
    return tensor


def bare(value: Any) -> Any:
    """The value with plain tensors in the place of those with notes."""
    if isinstance(value, NoiseTensor):
        return value.as_subclass(torch.Tensor)
    if type(value) in (list, tuple):
        return type(value)(map(bare, value))
    return {key: bare(item) for key, item in value.items()} if type(value) is dict else value


def _followed(function: Any, args: Any, kwargs: Dict[str, Any]) -> Any:
    name = function.__name__
    if name == "__get__":
        name = getattr(function.__self__, "__name__", name)
    if name == "__setitem__":
        args[0].note_ = None  # which entries are noise is not known any more
    first = args[0] if args else None
    base = name.strip("_")
    if base[:1] in ("r", "i") and base[1:] in BINARY and name.startswith("__"):
        args = args[::-1] if base[0] == "r" else args
        base, name = base[1:], "_" if base[0] == "i" else ""
    inside = name.endswith("_") and not name.endswith("__")
    if base in BINARY and len(args) == 2 and set(kwargs) <= {"alpha"}:
        if "alpha" in kwargs:
            args = args[0], _computed(np.multiply, args[1], kwargs["alpha"])
        return _into(first, _computed(BINARY[base], *args)) if inside else _computed(BINARY[base], *args)
    if base in UNARY and len(args) == 1 and not kwargs:
        return _into(first, _computed(UNARY[base], first)) if inside else _computed(UNARY[base], first)
    result = function(*bare(args), **bare(kwargs))
    note = getattr(first, "note_", None)
    if base in ("item", "tolist", "numpy") and note is not None:
        array = _array(first)
        return array if base == "numpy" else getattr(array, base)() if np.ndim(array) else array
    if base in ("argmax", "argmin") and note is not None and len(args) == 1 and not kwargs:
        array = _array(first)
        return torch.as_tensor(on_arrays(None, getattr(np, base), (), (array,), {})) if array.ndim else result
    if note is not None and base in MOVING:
        note = note.moved(
            lambda array: function(torch.as_tensor(np.array(array)), *args[1:], **kwargs).numpy()
        )
        return noisy(result, note)
    scalar = isinstance(result, torch.Tensor) and result.ndim == 0 and result.is_floating_point()
    if first is not None and note is not None and scalar and first.numel() > 1:
        made = function_of(_array(first), base, unknown, float(result))
        return noisy(torch.as_tensor(float(plain(made)), dtype=result.dtype), note_of(made))
    cast = base in CASTING and isinstance(result, torch.Tensor)  # `float(tensor)` makes a number of Python
    return noisy(result, note) if note is not None and cast else result


def _array(value: Any) -> Any:
    """A tensor as an array, or a number, with the same note; anything else as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    array = value.detach().cpu().numpy()
    return noted(array if array.ndim else array[()], getattr(value, "note_", None))


def _computed(ufunc: Any, *operands: Any) -> Any:
    """A universal function of tensors and numbers."""
    tensors = [x for x in operands if isinstance(x, torch.Tensor)]
    graph = torch.is_grad_enabled() and any(x.requires_grad for x in tensors)
    if graph or any(x.dtype in (torch.bfloat16, torch.complex64) for x in tensors):
        name = {"rint": "round"}.get(str(ufunc.__name__), str(ufunc.__name__))
        return getattr(torch, name)(*(torch.as_tensor(bare(x)) for x in operands))
    result = apply(ufunc, "__call__", tuple(map(_array, operands)), None, {})
    kind = torch.bool if ufunc.__name__ in _OF_BITS else tensors[0].dtype
    if len(operands) == 2 and kind is not torch.bool:
        kind = torch.result_type(*map(bare, operands))
        if not kind.is_floating_point and ufunc is np.true_divide:
            kind = torch.get_default_dtype()
    tensor = torch.as_tensor(np.array(plain(result)))
    return noisy(tensor.to(dtype=kind, device=tensors[0].device), note_of(result))


_OF_BITS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")


def _into(target: Any, value: Any) -> Any:
    """The tensor that is written to; what is the program's own stays plain."""
    bare(target).copy_(bare(value))
    if isinstance(target, NoiseTensor):
        target.note_ = getattr(value, "note_", None)
    return target
