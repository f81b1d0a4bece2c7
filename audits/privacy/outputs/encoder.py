"""`Encoder`: turns the outputs of a mechanism into columns and keeps the words for them.

Each output has a *form*: what it is made of, as {'a': float, 'b': [float, float]}, and *leaves*, the numbers
and symbols in it, each at a *path*. The schema is drawn once, from the first outputs on both datasets: the
form that they have in common, and the paths that get columns. From then on columns are filled. Whatever the
schema has no column for is written into the form, so that an output that does not fit is an atom of its own,
and outputs look alike if and only if they are equal, all numbers as doubles, of whatever type. The form is
the first column of symbols: 0 for the usual form. An output that is itself a symbol is its own form.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from audits import values
from audits.privacy.outputs import leaves
from audits.privacy.outputs.describe import Place, rendered
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Raw, number_words
from audits.values import MOST_ITEMS, MOST_NESTED, NESTED, PLAIN, Refused, labelled

ABSENT = leaves.Word("(no value)")
"""The symbol where an output has nothing at a path that others have a leaf at."""
OTHER = leaves.Word("(another symbol)")
NUMBER = leaves.Kind("number")
MOST_RARE = 1000
"""Paths that not every output has, at most; the form has the others. Columns for all of 10⁴ keys, of which
an output has 20, would take 500 times the memory of the outputs."""
MOST_SYMBOLS = 2**16
"""Symbols beyond this number count as the same symbol."""
TOO_MANY = (
    f"must return outputs of at most {MOST_ITEMS:,} numbers and fields; return fewer, as by a projection, or "
    "a score that sums them up"
)
LEAF = "\0"
"""Stands in a form for a leaf."""
MEMBER = "\1"
"""Stands in a form behind the element of a set."""
AT = "\2"
"""Stands in a path before the number of an item of a list: a dictionary may have numbers as keys."""
ITEM = re.compile(f"(.*){AT}(\\d+)", re.DOTALL)
Rows = Ints | slice


@dataclass(slots=True)
class _Slot:
    """The columns of a path: of its number, and of its symbol, −1 where it has none."""

    number: int
    code: int = -1


@dataclass(slots=True)
class _Group:
    """The outputs of a batch that have the same form.

    paths    of the leaves; lengths: how many items the containers at some paths have.
    rows     of the outputs in the batch.
    held     the leaves of each output, in parts: arrays of numbers, and lists of what stands between them.
    blocks   the same leaves: arrays with a row for each output, of numbers or of Python objects. A list of
             floats takes four times the memory of an array.
    """

    paths: list[str]
    lengths: dict[str, int]
    rows: list[int]
    held: list[list[Raw | list[Any]]] = field(default_factory=list[list[Raw | list[Any]]])
    blocks: list[Raw] = field(default_factory=list[Raw])

    def stack(self) -> None:
        """Make the blocks of what is held."""
        if len({tuple(map(_sized, parts)) for parts in self.held}) > 1:
            self.held = [[[item for part in parts for item in _items(part)]] for parts in self.held]
        self.blocks = [_block(part) for part in zip(*self.held, strict=True)]
        self.held = []

    def columns(self) -> Iterator[tuple[str, Raw]]:
        """Each path with the leaves of all outputs."""
        return zip(self.paths, (column for block in self.blocks for column in block.T), strict=True)


def _sized(part: Raw | list[Any]) -> tuple[bool, int]:
    """What parts of several outputs must have in common to be the rows of an array."""
    return isinstance(part, list), len(part)


def _block(rows: Sequence[Raw | list[Any]]) -> Raw:
    """The same part of several outputs as an array."""
    arrays = [part for part in rows if not isinstance(part, list)]
    if arrays and len({part.dtype for part in arrays}) == 1 and _is_exact(found := np.stack(arrays)):
        return found
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    for row, part in enumerate(rows):
        found[row] = leaves.objects(_items(part))
    return found


class _Walk:
    """Takes an output apart into the words of its form, its leaves with their paths, and the lengths of its
    containers."""

    def __init__(self) -> None:
        self.form: list[str] = []
        self.paths: list[str] = []
        self.held: list[Raw | list[Any]] = []
        self.lengths: dict[str, int] = {}

    def hold(self, items: Raw | list[Any], paths: list[str]) -> None:
        """Keep leaves, floats as an array."""
        self.paths += paths
        if isinstance(items, list) and len(items) > 1 and {*map(type, items)} == {float}:
            items = np.array(items)
        if isinstance(items, list) and self.held and isinstance(self.held[-1], list):
            self.held[-1] += items
        else:
            self.held.append(items)

    def through(self, item: Any, path: str = "", depth: int = 0) -> None:
        """Take an output, or a part of it, apart."""
        if depth > MOST_NESTED:
            raise Refused(NESTED)
        kind = type(item)
        if kind is np.ndarray and item.ndim > 0 and item.dtype.kind in "biufmMSU":
            self.form.append(f"array{item.shape} of {LEAF}")
            self.hold(item.ravel(), [f"{path}{AT}{j}" for j in range(item.size)])
            self.lengths[path] = item.size
            return
        held = None if kind in PLAIN or kind is leaves.Word else values.parts(item)
        if held is None:
            self.form.append(LEAF)
            self.hold([item], [path])
            return
        names, items = held
        opened, closed = _brackets(item)
        self.form.append(opened)
        if names is None or isinstance(item, (Mapping, AbstractSet)):
            self.lengths[path] = len(items)
        marks = [""] * len(items) if names is None else [*map(_named, names)]
        paths = [path + name for name in names or (f"{AT}{j}" for j in range(len(items)))]
        if {*map(type, items)} <= PLAIN:  # the column of a table, most often
            self.form += [f"{mark}{LEAF}, " for mark in marks]
            self.hold(items, paths)
        else:
            for mark, part, place in zip(marks, items, paths, strict=True):
                self.form.append(mark)
                self.through(part, place, depth + 1)
                self.form.append(", ")
        self.form.append(closed)


def _items(array: Raw | list[Any]) -> list[Any]:
    """The items of an array, as Python's numbers, which are read faster."""
    if isinstance(array, list):
        return array
    return array.tolist() if array.dtype.kind in "biufSU" else [*array]


def _as_python(path: str) -> str:
    """A path as Python writes it."""
    return re.sub(f"{AT}(\\d+)", r"[\1]", path)


def _named(name: str) -> str:
    """The name of a field as it stands in a form."""
    if name.startswith(" ∋ "):
        return f"{name[3:]}{MEMBER}"
    return f"{name[1:]}=" if name.startswith(".") else f"{name[1:-1]}: "


def _brackets(item: Any) -> tuple[str, str]:
    """What a container of this type is written between."""
    known = {list: "[]", tuple: "()", dict: "{}", set: "{}"}.get(type(item))
    if known:
        return known[0], known[1]
    name, told = type(item).__name__, ""
    if labelled(type(item)) or hasattr(item, "tocoo"):
        told = values.sort(item).removeprefix(name)
    elif isinstance(item, np.ndarray):
        told = f" of shape {item.shape}"
    return f"{name}(", f"){told}"


class Encoder:
    """Turns outputs into columns; remembers the schema and the numbers of the symbols.

    nan  whether NaN is a symbol; otherwise it is refused.
    """

    def __init__(self, nan: bool = False) -> None:
        self._nan = nan
        self._slots: dict[str, _Slot] = {}
        self._lengths: dict[str, int] = {}
        self._places: list[Place] = []
        self._symbols: dict[Any, int] = {}
        self._tokens: dict[Any, int] = {}
        self._words: list[Any] = []
        self._forms: dict[tuple[str, int], int] = {}
        self.drawn = False
        self.number_columns: list[int] = []
        """For each column of symbols the column of numbers of the same path; −1 for the form of what is no
        single number or symbol."""

    def encode(self, outputs: Raw, where: str) -> Encoded:
        """Columns of a batch; the first batch also draws the schema, unless `draw` did.

        Raises ValueError for outputs of a kind that cannot be looked into, and for NaN.
        """
        try:
            with values.foreign():
                if not self.drawn:
                    self._draw(outputs)
                return self._filled(self._groups(outputs), len(outputs))
        except Refused as error:
            raise ValueError(f"mechanism {error}, got one on {where}") from error.__cause__

    # --- the schema ---

    def draw(self, outputs: Raw) -> None:
        """Draw the schema from some outputs, whatever their order."""
        try:
            with values.foreign():
                self._draw(outputs)
        except Refused as error:
            raise ValueError(f"mechanism {error}") from error.__cause__

    def _draw(self, outputs: Raw) -> None:
        self.drawn = True
        size = len(outputs)
        groups = self._groups(outputs)
        times = Counter[str]()
        seen = defaultdict[str, list[Any]](list)
        lengths: dict[str, set[int]] = defaultdict(set)
        for _, group in sorted(groups.items()):
            for path, column in group.columns():
                times[path] += len(column)
                if column.dtype == object:  # what doubles hold exactly needs no other columns
                    seen[path].extend(column)
            for path, length in group.lengths.items():
                lengths[path].add(length)
        self.number_columns = [-1]
        # A key, an element or a place that occurs in a single output gets no column: the form has it.
        rare = sorted((-n, path) for path, n in times.items() if min(2, size) <= n < size)[:MOST_RARE]
        kept = {path for _, path in rare}
        for path in [path for path, n in times.items() if n == size or path in kept]:
            items, slot = seen[path], _Slot(len(self._places))
            if path and (times[path] < size or any(leaves.is_symbol(item) for item in items)):
                slot.code = len(self.number_columns)
                self.number_columns.append(slot.number)
            self._slots[path] = slot
            unit = leaves.unit(items[0]) if items else ""
            found = ITEM.fullmatch(path)
            where = (_as_python(found[1]), int(found[2])) if found else (_as_python(path), None)
            self._places.append(Place(*where, unit=unit))
            if len(self._places) > MOST_ITEMS:
                raise Refused(TOO_MANY)
        for path, every in lengths.items():
            if len(every) > 1:
                self._lengths[path] = len(self._places)
                self._places.append(Place(_as_python(path), length=True))
        if not self._places:
            self._slots[""] = _Slot(0)
            self._places.append(Place(""))
        if [*self._slots] == [""]:
            self.number_columns[0] = 0
        if not all(place.path == "" for place in self._places):
            # Items of what holds more than numbers and symbols are written as Python does.
            self._places = [place.in_full() for place in self._places]
        # The usual form is that of most outputs; of several the first in the alphabet.
        numbers, counts = np.unique(self._filled(groups, size).codes[:, 0], return_counts=True)
        often = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
        words = [*self._symbols]
        usual = min(
            (key for key, number in self._forms.items() if isinstance(words[number - 1], leaves.Kind)),
            key=lambda key: (-often[self._forms[key]], words[self._forms[key] - 1].name),
            default=None,
        )
        if usual is not None:
            self._forms[usual] = 0

    # --- columns ---

    def _groups(self, outputs: Raw) -> dict[str, _Group]:
        """The outputs by their form."""
        kind = outputs.dtype.kind
        if outputs.dtype.names is None and kind not in "biufcmMSUO":
            raise Refused(f"must return numbers, strings or records, not arrays of type {outputs.dtype}")
        if _is_exact(outputs):
            shape = outputs.shape[1:]
            width = int(np.prod(shape, dtype=np.int64))
            paths = [f"{AT}{j}" for j in range(width)] if shape else [""]
            form = f"array{shape} of {LEAF}" if shape else LEAF
            group = _Group(paths, {"": width} if shape else {}, [*range(len(outputs))])
            group.blocks = [outputs.reshape(len(outputs), width)]
            return {form: group}
        if kind in "US" and outputs.ndim == 1:
            outputs = leaves.objects(outputs.tolist())
        if outputs.dtype == object and {*map(type, outputs)} <= PLAIN:
            return {LEAF: _Group([""], {}, [*range(len(outputs))], blocks=[outputs[:, None]])}
        groups: dict[str, _Group] = {}
        for row, output in enumerate(outputs):
            walk = _Walk()
            walk.through(output)
            form = "".join(walk.form)
            if form not in groups:
                groups[form] = _Group(walk.paths, walk.lengths, [])
            groups[form].rows.append(row)
            groups[form].held.append(walk.held)
        for group in groups.values():
            group.stack()
        return groups

    def _filled(self, groups: Mapping[str, _Group], size: int) -> Encoded:
        """The columns of a batch."""
        found: Floats = np.zeros((size, len(self._places)))
        codes = np.zeros((size, len(self.number_columns)), dtype=np.int64)
        codes[:, 1:] = self._number(ABSENT) if codes.shape[1] > 1 else 0
        for form, group in groups.items():
            whole = len(group.rows) == size
            rows: Rows = slice(None) if whole else np.array(group.rows)
            in_place = whole and self._in_place(group)
            if in_place:
                # An array of all columns is not copied: it may be as large as half of the memory.
                found = leaves.finite(group.blocks[0])
            for path, column in self._lengths.items():
                found[rows, column] = group.lengths.get(path, 0)
            codes[rows, 0] = self._forms_of(form, group, self._leaves(group, rows, found, codes, in_place))
        return Encoded(found, codes, tuple(self.number_columns))

    def _in_place(self, group: _Group) -> bool:
        """Whether the leaves of a form are an array of numbers that is all columns, in their order."""
        if len(group.blocks) != 1 or group.blocks[0].dtype == object:
            return False
        slots = [self._slots.get(path) for path in group.paths]
        return [slot and slot.number for slot in slots] == [*range(len(self._places))]

    def _leaves(self, group: _Group, rows: Rows, found: Floats, codes: Ints, in_place: bool) -> list[Ints]:
        """Fill the columns of the leaves of a form, but for the numbers that are in place; for each leaf what
        the form says of it in each row, a single number where that is the same in all rows."""
        tokens, paths = list[Ints](), iter(group.paths)
        for block in group.blocks:
            slots = [self._slots.get(path) for path in itertools.islice(paths, block.shape[1])]
            if block.dtype != object:
                tokens += self._numbers(slots, block, rows, None if in_place else found, codes)
            else:
                table = zip(slots, block.T, strict=True)
                tokens += [self._leaf(slot, column, rows, found, codes) for slot, column in table]
        return tokens

    def _numbers(
        self, slots: list[_Slot | None], block: Raw, rows: Rows, found: Floats | None, codes: Ints
    ) -> list[Ints]:
        """`_leaf` for numbers that doubles hold exactly, of several paths."""
        of = np.array([-1 if slot is None else slot.number for slot in slots], dtype=np.int64)
        tokens = [np.array(self._token(NUMBER))] * len(of)
        if found is not None:
            known = np.flatnonzero(of >= 0)
            found[np.arange(len(found))[rows][:, None], of[known]] = leaves.finite(block[:, known])
        for slot in slots:
            if slot is not None and slot.code >= 0:
                codes[rows, slot.code] = 0
        unknown = np.flatnonzero(of < 0)
        told = self._texts(_items(block[:, unknown].ravel())).reshape(len(block), -1)
        for j, column in zip(unknown.tolist(), told.T, strict=True):
            tokens[j] = column
        return tokens

    def _leaf(self, slot: _Slot | None, items: Sequence[Any], rows: Rows, found: Floats, codes: Ints) -> Ints:
        """Fill the columns of the leaf at a path; returns for each row what the form says of the leaf."""
        if slot is None:
            return self._texts(items)
        kinds, told = {*map(type, items)}, functools.partial(self._told, slot)
        if kinds == {float} and not np.isnan(numbers := np.array(items, dtype=np.float64)).any():
            found[rows, slot.number] = leaves.finite(numbers)
            if slot.code >= 0:
                codes[rows, slot.code] = 0
            return np.array(self._token(NUMBER))
        if kinds == {str}:  # each string is looked up once
            told = {item: told(item) for item in dict.fromkeys(items)}.__getitem__
        numbers, code, token = (np.array(part) for part in zip(*map(told, items), strict=True))
        found[rows, slot.number] = numbers
        if slot.code >= 0:
            codes[rows, slot.code] = code
        return token

    def _told(self, slot: _Slot, item: Any) -> tuple[float, int, int]:
        """(number, code of the symbol, what the form says of it) of a leaf."""
        number = leaves.number(item)
        if number is not None and number == number:
            return number, 0, self._token(NUMBER)
        symbol = self._symbol(item)
        if slot.code < 0:
            return 0.0, 0, self._token(symbol)
        sort = leaves.Kind(values.sort(item) or "symbol")
        return 0.0, self._number(symbol), self._token(sort)

    def _texts(self, items: Sequence[Any]) -> Ints:
        """What the form says of leaves that have no columns: all."""
        return np.array([self._token(self._whole(item)) for item in items])

    def _whole(self, item: Any) -> Any:
        number = leaves.number(item)
        if number is None or number != number:
            return self._symbol(item)
        return leaves.Word(number_words(number))

    def _symbol(self, item: Any) -> Any:
        """The symbol of a leaf that is no number, or NaN."""
        if leaves.number(item) is None:
            return leaves.symbol(item)
        if self._nan:
            return leaves.NAN
        raise Refused(
            'must not return NaN (use None for a failure symbol, or errors="symbol"; '
            "pandas makes NaN of None)"
        )

    def _token(self, word: Any) -> int:
        if len(self._tokens) >= MOST_SYMBOLS and word not in self._tokens:
            word = OTHER
        if word not in self._tokens:
            self._words.append(word)
        return self._tokens.setdefault(word, len(self._words))

    def _number(self, symbol: Any) -> int:
        if len(self._symbols) >= MOST_SYMBOLS and symbol not in self._symbols:
            symbol = OTHER
        return self._symbols.setdefault(symbol, len(self._symbols) + 1)

    def _forms_of(self, form: str, group: _Group, tokens: list[Ints]) -> Ints:
        """The number of the form of each row; 0 is the usual form."""
        keys = np.zeros(len(group.rows), dtype=np.uint64)
        for part in tokens:
            keys = keys * np.uint64(0x9E3779B97F4A7C15) + part.astype(np.uint64)
        several, first, which = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.zeros(len(several), dtype=np.int64)
        for j, (key, row) in enumerate(zip(several.tolist(), first.tolist(), strict=True)):
            known = (form, key)
            number = self._forms.get(known)
            if number is None:
                words = [int(part[row] if part.ndim else part) for part in tokens]
                number = self._number(self._written(form, words))
                if len(self._forms) < MOST_SYMBOLS:
                    self._forms[known] = number
            numbers[j] = number
        return numbers[which]

    def _written(self, form: str, tokens: list[int]) -> Any:
        """The symbol of a form: a leaf itself, or the form with what is said of its leaves."""
        words = [self._words[token - 1] for token in tokens if token > 0]
        if form == LEAF:
            return leaves.Kind(f"({words[0]})") if isinstance(words[0], leaves.Kind) else words[0]
        if form.startswith("array") and form.endswith(LEAF):
            same = len({*words}) == 1
            return leaves.Kind(form.replace(LEAF, str(words[0] if same else words)))
        parts = form.split(LEAF)
        told = [part for pair in zip(parts, [*map(repr, words), ""], strict=False) for part in pair]
        # What stands behind the elements of sets, and commas at the end, says nothing.
        return leaves.Kind(re.sub(f"{MEMBER}[a-z]+|, (?=[]}})])", "", "".join(told)))

    # --- words ---

    def said(self, text: str, most: int = 40) -> str:
        """A description in the user's own words; symbols are cut to `most` characters."""

        def name(kind: str, number: int) -> str:
            if kind == "place":
                column = self.number_columns[number]
                return str(self.place(column)) if column >= 0 else "form of output"
            if kind == "symbol":
                known = [*self._symbols][number - 1 : number]
                return _cut(repr(known[0]), most) if known else "(a symbol that never occurred)"
            if kind == "column":
                place = self.place(number)
                return f"{place}{place.unit}"
            if len(self._places) == 1:
                return f"output{self._places[0].unit}"
            plain = not any(place.length for place in self._places)
            return "output" if plain else "columns of output"

        return rendered(text, name)

    def place(self, column: int) -> Place:
        """What a column of numbers holds; a coordinate where nothing was encoded."""
        return self._places[column] if column < len(self._places) else Place("", column)


def _is_exact(outputs: Raw) -> bool:
    """Whether outputs are an array of numbers, none of them NaN."""
    return outputs.dtype.kind in "biu" or (outputs.dtype.kind == "f" and not np.isnan(outputs).any())


def _cut(text: str, most: int) -> str:
    """The text, or its beginning and its end: texts often begin alike and differ at their ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) + 1 :]}"
