"""Numbers and arrays that remember the noise in them: value = factor · noise + argument, elementwise.

They behave as the numbers that they are. Additions and multiplications are followed, comparisons are noted,
and a function of nothing but noise and constants is noise again. Whatever else is done with them gives plain
numbers: the value has then been released.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ..records import BITS, Part, Recipe
from .session import MOST_DERIVED, elements, event

ARITHMETIC = ("add", "subtract", "multiply", "divide", "true_divide", "negative", "positive")
COMPARISONS = ("less", "less_equal", "greater", "greater_equal")
EQUALITIES = ("equal", "not_equal")
SHAPES = (
    "reshape",
    "ravel",
    "transpose",
    "squeeze",
    "expand_dims",
    "atleast_1d",
    "broadcast_to",
    "swapaxes",
    "moveaxis",
    "flip",
    "roll",
    "tile",
    "repeat",
    "take",
    "triu",
    "tril",
    "diag",
    "diagonal",
)
"""Functions of NumPy that move elements and leave their values alone, or fill places with 0."""
MOST_DEPTH = 24


class Note:
    """What a number is made of.

    ids       elements of draws, one for each entry; factor and argument are of the same shape.
    argument  None where nothing was added yet.
    soft      nothing was added but numbers of the program's own text, as far as can be seen.
    public    the value has been released: only comparisons are noted.
    sign      it is −1 or 1 by a fair coin: followed where noise is multiplied by it, and nowhere else.
    """

    __slots__ = ("argument", "depth", "factor", "ids", "public", "session", "sign", "soft")

    def __init__(
        self, session: Any, ids: Any, factor: Any, argument: Any, soft: bool = True, depth: int = 0
    ) -> None:
        self.session, self.ids, self.factor, self.argument = session, ids, factor, argument
        self.soft, self.depth, self.public, self.sign = soft, depth, False, False

    @property
    def part(self) -> Part:
        """What the number is made of, as an operand."""
        return Part(self.ids, self.factor, self.argument)

    def moved(self, function: Any) -> "Note":
        """The note of a value whose entries were moved by a function."""
        argument = None if self.argument is None else function(self.argument)
        # Places that are filled with 0 belong to no draw: names of elements, of which 0 is one, are −1 there.
        ids = function(self.ids + 1) - 1
        note = Note(self.session, ids, function(self.factor), argument, self.soft, self.depth)
        note.public, note.sign = self.public, self.sign
        return note


def note_of(value: Any) -> Optional[Note]:
    """The note of a value, None for a plain one."""
    return getattr(value, "note_", None) if isinstance(value, (NoiseArray, NoiseFloat, NoiseInt)) else None


def plain(value: Any) -> Any:
    """The value without its note."""
    if isinstance(value, NoiseArray):
        return value.view(np.ndarray)
    if isinstance(value, NoiseFloat):
        return np.float64(float.__float__(value)) if value.numpy else float.__float__(value)
    if isinstance(value, NoiseInt):
        return int.__int__(value)
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(plain(item) for item in value)
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def number(value: Any) -> bool:
    """Whether a value is one number."""
    value = plain(value)
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def noted(value: Any, note: Optional[Note], numpy: bool = True) -> Any:
    """The value with a note; numpy: whether a number is one of NumPy's."""
    if note is None:
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        array = np.ascontiguousarray(value).view(NoiseArray) if not isinstance(value, NoiseArray) else value
        array.note_ = note
        return array
    kind = np.asarray(value).dtype.kind
    if kind == "f":
        number: Any = NoiseFloat(float(value))
        number.numpy = numpy
    elif kind in "iu":
        number = NoiseInt(int(value))
    else:
        return value
    number.note_ = note
    return number


def centre_of(loc: Any, shape: Any) -> Any:
    """What noise of a shape is drawn about, an entry each; None where that is 0, or where loc is None."""
    centre = np.asarray(0.0 if loc is None else plain(loc), dtype=float)
    return np.array(np.broadcast_to(centre, shape)) if np.any(centre) else None


def fresh(session: Any, value: Any, loc: Any = None, numpy: bool = True) -> Any:
    """The value of the draw that was just made, as noise about loc, which is a sum even where it is 0: it may
    be another number on the other dataset."""
    session = getattr(session, "actual", session)
    index = session.last
    shape = np.shape(value)
    if np.asarray(value).dtype.kind not in "fiu" or index in session.changes.fixed:
        return value
    ids, centre = elements(index, shape), session.rows[index].argument
    soft, public = centre is None or type(loc) in (int, float), False
    if loc is not None:
        argument = np.zeros(shape) if centre is None else centre
        value, public = session.drawn_about(ids, argument, value, soft)
    note = Note(session, ids, np.ones(shape), centre, soft)
    note.public = public
    return noted(value, note, numpy)


def random_sign(session: Any, value: Any, numpy: bool = True) -> Any:
    """The value of the draw that was just made, −1 or 1, as a sign that noise may have."""
    found = fresh(session, value, numpy=numpy)
    note = note_of(found)
    if note is not None:
        note.sign = True
    return found


# --- What is done with noise ------------------------------------------------------------------------------


def apply(ufunc: Any, method: str, inputs: Tuple[Any, ...], out: Any, kwargs: Dict[str, Any]) -> Any:
    """A universal function of NumPy on values of which some are noise."""
    notes = [note_of(value) for value in inputs]
    values = tuple(plain(value) for value in inputs)
    if out is not None:
        kwargs = dict(kwargs, out=tuple(plain(value) for value in out))
    with np.errstate(all="ignore"):
        result = getattr(ufunc, method)(*values, **kwargs)
    if all(note is None or note.sign for note in notes):
        notes = [None for _ in notes]
    some = [note for note in notes if note is not None]
    note, result = None, result
    if some and ufunc.nout == 1:
        session, name = some[0].session, ufunc.__name__
        if method == "__call__" and (name in COMPARISONS or (name in EQUALITIES and _whole(inputs))):
            return _compared(session, name, values, notes, result)
        if any(known.public for known in some):
            pass
        elif method == "__call__" and name in ARITHMETIC:
            note = _linear(name, values, inputs, notes, result)
            if note is None and name in ("add", "subtract") and len(some) == 2:
                note = _more_noise(name, values, notes, result)
            if note is not None and note.argument is not None and name != "positive":
                before = some[0].argument if len(some) == 1 else note.argument
                result, note.public = session.use(
                    note.ids, note.factor, note.argument, result, note.soft, before
                )
        if (
            note is None
            and not any(known.public for known in some)
            and method in ("__call__", "reduce")
            and result is not None
        ):
            note = _derived(ufunc, method, values, notes, kwargs, result)
            if note is not None and session.changes.shifts:
                result = result + session.changes.shifts.get(int(note.ids.flat[0]) >> BITS, 0.0)
    numpy = any(isinstance(v, (np.generic, np.ndarray)) for v in values)
    if out is not None:
        return _into(out[0], result, note)
    return noted(result, note, numpy)


def _into(target: Any, result: Any, note: Optional[Note]) -> Any:
    if isinstance(target, NoiseArray):
        plain(target)[...] = plain(result)
        target.note_ = note
        return target
    target[...] = plain(result)
    # The array that was written to is the program's own and stays plain.
    return target


def _linear(name: str, values: Any, inputs: Any, notes: Any, result: Any) -> Optional[Note]:
    """The note of a sum, a difference, a product or a quotient; None where it is not linear in one noise."""
    shape = np.shape(result)

    def spread(value: Any) -> Any:
        return np.broadcast_to(value, shape)

    if len(values) == 1:
        note = notes[0]
        sign = -1.0 if name == "negative" else 1.0
        argument = None if note.argument is None else sign * note.argument
        return Note(note.session, note.ids, sign * note.factor, argument, note.soft, note.depth)
    if notes[0] is not None and notes[1] is not None:
        return None
    place = 0 if notes[0] is not None else 1
    note, other = notes[place], values[1 - place]
    if np.asarray(other).dtype.kind not in "fiub":
        return None
    literal = note.soft and type(inputs[1 - place]) in (int, float)
    ids, factor = spread(note.ids), spread(note.factor)
    argument = None if note.argument is None else spread(note.argument)
    if name in ("add", "subtract"):
        sign = -1.0 if name == "subtract" and place == 1 else 1.0
        added = spread(np.asarray(other, dtype=float)) * (-1.0 if name == "subtract" and place == 0 else 1.0)
        total = added if argument is None else sign * argument + added
        return Note(note.session, ids, sign * factor, np.array(total), literal, note.depth)
    if name == "multiply" or place == 0:
        with np.errstate(all="ignore"):
            scale = np.asarray(other, dtype=float) if name == "multiply" else 1.0 / np.asarray(other, float)
        factor = factor * scale
        return Note(
            note.session,
            np.where(factor == 0.0, -1, ids),  # noise times zero hides nothing
            factor,
            None if argument is None else argument * scale,
            note.soft,
            note.depth,
        )
    return None


def _more_noise(name: str, values: Any, notes: Any, result: Any) -> Optional[Note]:
    """A sum with data, and noise that is added to it: the noise of both together, and the same argument."""
    first, second = notes
    if (first.argument is None and second.argument is None) or not (
        first.argument is None or second.argument is None
    ):
        return None
    session, shape = first.session, np.shape(result)
    if session.derived >= MOST_DERIVED:
        return None
    session.derived += 1
    session.sums += 1
    argument: Any = first.argument
    sign, soft = 1.0, first.soft
    if argument is None:
        argument, sign, soft = second.argument, -1.0, second.soft
    argument = np.broadcast_to(argument, shape) * (sign if name == "subtract" else 1.0)
    pure = tuple(0.0 if n.argument is None else n.argument for n in notes)
    recipe = Recipe(name, tuple(Part(n.ids, n.factor, None) for n in notes))
    noise = values[0] - pure[0] + (values[1] - pure[1]) * (-1.0 if name == "subtract" else 1.0)
    index = session.function(noise, recipe)
    place = 1 if second.argument is None else 0
    signs = (1.0, -1.0 if name == "subtract" else 1.0)
    added, rest = notes[place], np.array(np.broadcast_to(np.asarray(values[1 - place], float), shape))
    factor = np.broadcast_to(signs[place] * added.factor, shape)
    session.used_alone(np.broadcast_to(added.ids, shape), factor, signs[1 - place] * rest, result)
    return Note(session, elements(index, shape), np.ones(shape), np.array(argument), soft, first.depth + 1)


def _derived(ufunc: Any, method: str, values: Any, notes: Any, kwargs: Any, result: Any) -> Optional[Note]:
    """A function of nothing but noise is noise of its own; of a sum with data it is a plain number."""
    some = [note for note in notes if note is not None]
    session = some[0].session
    depth = 1 + max(note.depth for note in some)
    kind = np.asarray(result).dtype.kind
    if kind not in "fiu" or depth > MOST_DEPTH or session.derived >= MOST_DERIVED:
        return None
    if not all(note.argument is None or note.soft for note in some):
        return None
    parts = tuple(
        Part(None, None, value) if note is None else note.part for note, value in zip(notes, values)
    )
    options = {k: v for k, v in kwargs.items() if k in ("axis", "keepdims")}
    call = None if getattr(np, ufunc.__name__, None) is ufunc else ufunc  # SciPy has such functions, too
    return _function(session, Recipe(ufunc.__name__, parts, method, options, call), result, depth)


def _function(session: Any, recipe: Recipe, result: Any, depth: int) -> Note:
    """The note of a function of noise: it is noise of its own."""
    session.derived += 1
    shape = np.shape(result)
    index = session.function(result, recipe)
    return Note(session, elements(index, shape), np.ones(shape), None, True, depth)


def function_of(value: Any, name: str, call: Any, result: Any) -> Any:
    """The result of a function of one number of nothing but noise, as noise: call works on arrays, too."""
    note = note_of(value)
    if note is None or note.public or note.sign or not (note.argument is None or note.soft):
        return result
    session = note.session
    if session.derived >= MOST_DERIVED:
        return result
    made = _function(session, Recipe(name, (note.part,), call=call), result, note.depth + 1)
    return noted(result + session.changes.shifts.get(int(made.ids.flat[0]) >> BITS, 0.0), made)


def _whole(inputs: Any) -> bool:
    """Whether noise of whole numbers is compared: it may well be equal."""
    return any(np.asarray(plain(v)).dtype.kind in "iu" for v in inputs if note_of(v) is not None)


def _compared(session: Any, name: str, values: Any, notes: Any, result: Any) -> Any:
    """A comparison: what is known of the noise afterwards is one bit for each entry."""
    shape = np.shape(result)

    def part(place: int) -> Part:
        note = notes[place]
        if note is None:
            return Part(None, None, np.broadcast_to(np.asarray(values[place], dtype=float), shape))
        argument = 0.0 if note.argument is None else note.argument
        return Part(*(np.broadcast_to(x, shape) for x in (note.ids, note.factor, argument)))

    try:
        first, second = part(0), part(1)
    except (TypeError, ValueError):
        return result
    ids = second.ids if first.ids is None else first.ids
    return session.outcome(event("compare", ids, result, first, name=name, second=second))


def selected(function: Any, name: str, value: Any, args: Any, kwargs: Any) -> Any:
    """argmax and argmin of noisy scores: what is known afterwards is a place."""
    note = note_of(value)
    result = function(plain(value), *args, **kwargs)
    if note is None or args or kwargs or np.ndim(value) != 1:
        return result
    argument = np.zeros(note.ids.shape) if note.argument is None else note.argument
    part = Part(note.ids, note.factor, np.array(argument))
    return note.session.outcome(event(name, note.ids, result, part, size=note.ids.size))


def searched(function: Any, args: Any, kwargs: Any) -> Any:
    """searchsorted of one noisy number in edges, a draw by its cumulative probabilities: a place is known
    then."""
    result = function(*plain(args), **plain(kwargs))
    edges, value = (args[0], args[1]) if function.__name__ == "searchsorted" else (args[1], args[0])
    note = note_of(value)
    if note is None or np.size(value) != 1 or np.ndim(edges) != 1 or note_of(edges) is not None:
        return result
    argument = 0.0 if note.argument is None else float(np.ravel(note.argument)[0])
    levels = (np.asarray(edges, dtype=float) - argument) / float(np.ravel(note.factor)[0])
    ids = np.broadcast_to(np.ravel(note.ids)[:1], levels.shape)
    part = Part(ids, np.ones(levels.shape), levels)
    return note.session.outcome(event("search", ids, result, part, size=levels.size))


def on_arrays(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy on arrays and numbers of which some are noise."""
    name = function.__name__
    if name in ("argmax", "argmin") and args:
        return selected(function, name, args[0], args[1:], kwargs)
    if name in ("searchsorted", "digitize") and len(args) >= 2:
        return searched(function, args, kwargs)
    note = note_of(args[0]) if args and name in SHAPES else None
    if note is not None:
        move = lambda value: function(value, *plain(args[1:]), **kwargs)  # noqa: E731
        return noted(move(plain(args[0])), note.moved(move))
    if name == "append" and len(args) == 2 and not kwargs:
        return _joined(np.concatenate, ([np.ravel(part) for part in args],), {})
    if name in ("concatenate", "stack", "vstack", "hstack") and args:
        return _joined(function, args, kwargs)
    result = function(*plain(args), **plain(kwargs))
    if args and isinstance(result, (float, np.floating)) and np.size(args[0]) > 1:
        return function_of(args[0], name, unknown, result)
    return result


def unknown(*_: Any) -> Any:
    """Stands for a function of noise that is not computed anew."""
    raise LookupError


# --- The types --------------------------------------------------------------------------------------------


class Operations:
    """What numbers that are noise have in common."""

    note_: Optional[Note] = None
    ndim, shape, size = 0, (), 1
    __array_function__ = on_arrays

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(plain(self)), (plain(self),)

    def item(self) -> Any:
        """The number."""
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply(ufunc, method, inputs, kwargs.pop("out", None), kwargs)


def _operator(ufunc: Any, reflected: bool) -> Any:
    def operate(self: Any, other: Any) -> Any:
        # An array, or a tensor of another library, answers for itself.
        if not isinstance(other, (int, float, np.generic, np.ndarray)):
            return NotImplemented
        inputs = (other, self) if reflected else (self, other)
        return apply(ufunc, "__call__", inputs, None, {})

    return operate


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}
COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def _with_operators(kind: Any) -> Any:
    for name, ufunc in BINARY.items():
        setattr(kind, "__%s__" % name, _operator(ufunc, False))
        setattr(kind, "__r%s__" % name, _operator(ufunc, True))
    for name, ufunc in COMPARE.items():
        setattr(kind, "__%s__" % name, _operator(ufunc, False))
    if issubclass(kind, int):
        kind.__eq__, kind.__ne__ = _operator(np.equal, False), _operator(np.not_equal, False)
        kind.__bool__ = lambda self: bool(apply(np.not_equal, "__call__", (self, 0), None, {}))
    kind.__neg__ = lambda self: apply(np.negative, "__call__", (self,), None, {})
    kind.__pos__ = lambda self: self
    kind.__abs__ = lambda self: apply(np.absolute, "__call__", (self,), None, {})
    return kind


def _rounded(ufunc: Any) -> Any:
    def convert(self: Any, *digits: Any) -> Any:
        if digits and digits[0]:
            return round(plain(self), digits[0])
        note = note_of(self)
        whole = apply(ufunc, "__call__", (self,), None, {})
        if not math.isfinite(plain(whole)):
            return ufunc(plain(self))
        return noted(int(plain(whole)), note_of(whole)) if note is not None else int(plain(whole))

    return convert


FLOAT: Any = np.float64 if np.lib.NumpyVersion(np.__version__) < "2.0.0" else float
"""In NumPy 1 a float64 adds a float of Python by itself, and asks only a subclass of its own first."""


@_with_operators
class NoiseFloat(Operations, FLOAT):
    """A number that is noise, or a sum with noise."""

    numpy = True
    dtype = np.dtype(float)

    __hash__ = float.__hash__
    __floor__, __ceil__ = _rounded(np.floor), _rounded(np.ceil)
    __round__, __trunc__ = _rounded(np.rint), _rounded(np.trunc)

    def astype(self, kind: Any) -> Any:
        """The number in another type of NumPy."""
        return self if np.dtype(kind).kind == "f" else np.dtype(kind).type(float.__float__(self))

    def round(self, decimals: int = 0) -> Any:
        """Rounded."""
        return round(plain(self), decimals)


@_with_operators
class NoiseInt(Operations, int):
    """A whole number that is noise, or a sum with noise."""

    dtype = np.dtype(np.int64)

    __hash__ = int.__hash__


def _moving(name: str) -> Any:
    """A method of arrays that moves entries and leaves their values alone."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        move = lambda array: getattr(np.asarray(array), name)(*args, **kwargs)  # noqa: E731
        value = move(self.view(np.ndarray))
        return value if self.note_ is None else noted(value, self.note_.moved(move))

    return method


class NoiseArray(np.ndarray):
    """An array that is noise, or a sum with noise."""

    note_: Optional[Note] = None
    reshape, ravel, flatten = map(_moving, ("reshape", "ravel", "flatten"))
    transpose, squeeze = map(_moving, ("transpose", "squeeze"))

    def __array_finalize__(self, other: Any) -> None:
        # A view that NumPy makes has no note until somebody gives it one.
        self.note_ = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply(ufunc, method, inputs, kwargs.pop("out", None), kwargs)

    __array_function__: Any = on_arrays

    def __getitem__(self, place: Any) -> Any:
        value = self.view(np.ndarray)[plain(place)]
        note = self.note_
        if note is None:
            return value
        return noted(value, note.moved(lambda array: np.asarray(array)[plain(place)]))

    def __setitem__(self, place: Any, value: Any) -> None:
        self.view(np.ndarray)[plain(place)] = plain(value)
        note, other = self.note_, note_of(value)
        if note is None:
            return
        argument = np.zeros(note.ids.shape) if note.argument is None else np.array(note.argument)
        ids, factor = np.array(note.ids), np.array(note.factor)
        if other is None:
            ids[place], factor[place], argument[place] = -1, 0.0, plain(value)
        else:
            ids[place], factor[place] = other.ids, other.factor
            argument[place] = 0.0 if other.argument is None else other.argument
        some = note.argument is not None or other is None or other.argument is not None
        self.note_ = Note(note.session, ids, factor, argument if some else None, note.soft, note.depth)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def __deepcopy__(self, memo: Any) -> Any:
        return noted(self.view(np.ndarray).copy(), self.note_)

    def copy(self, order: Any = "C") -> Any:
        """A copy, as noisy as this."""
        return noted(self.view(np.ndarray).copy(order), self.note_)

    @property
    def T(self) -> Any:
        """With its axes exchanged."""
        return self.transpose()

    def astype(self, kind: Any, *args: Any, **kwargs: Any) -> Any:
        """In another type: of floating point it is still noise."""
        value = self.view(np.ndarray).astype(kind, *args, **kwargs)
        return noted(value, self.note_) if value.dtype.kind == self.dtype.kind else value

    def argmax(self, *args: Any, **kwargs: Any) -> Any:
        """The place of the largest."""
        return selected(np.argmax, "argmax", self, args, kwargs)

    def argmin(self, *args: Any, **kwargs: Any) -> Any:
        """The place of the smallest."""
        return selected(np.argmin, "argmin", self, args, kwargs)

    def item(self, *place: Any) -> Any:
        """An entry."""
        if place:
            return self.ravel()[place[0]] if len(place) == 1 else self[place]
        return self.ravel()[0] if self.size == 1 else self.view(np.ndarray).item()

    def tolist(self) -> Any:
        """Lists of numbers that are noise."""
        return [item.tolist() if isinstance(item, NoiseArray) else item for item in self]


def _joined(function: Any, args: Any, kwargs: Any) -> Any:
    """Arrays joined to one; plain entries belong to no draw."""
    value = function(*plain(args), **plain(kwargs))
    parts = list(args[0])
    some: List[Note] = [note for note in map(note_of, parts) if note is not None]
    if not some:
        return value

    def join(pick: Any) -> Any:
        return function([pick(part, note_of(part)) for part in parts], *args[1:], **kwargs)

    def argument(v: Any, n: Optional[Note]) -> Any:
        plain_ = np.asarray(v, float) if n is None else n.argument
        return np.zeros(np.shape(v)) if plain_ is None else plain_

    ids = join(lambda v, n: np.full(np.shape(v), -1, dtype=np.int64) if n is None else n.ids)
    factor = join(lambda v, n: np.zeros(np.shape(v)) if n is None else n.factor)
    added = any(note.argument is not None for note in some) or len(some) < len(parts)
    soft, depth = all(note.soft for note in some), max(note.depth for note in some)
    total = join(argument) if added else None
    return noted(value, Note(some[0].session, ids, factor, total, soft, depth))
