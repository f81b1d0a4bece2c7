"""`Encoder`: turns the outputs of a mechanism into columns and keeps the words for them.

Each output has a *form*: what it is made of, as {'a': float, 'b': [float, float]}, and *leaves*, the numbers
and symbols in it, each at a *path*. The schema is drawn once, from the first outputs on both datasets: the
form that they have in common, and the paths that get columns. From then on columns are filled. Whatever the
schema has no column for is written into the form, so that an output that does not fit is an atom of its own,
and outputs look alike if and only if they are equal, but for the last bits of huge integers and long floats.
The form is the first column of symbols: 0 for the usual form. An output that is itself a symbol, or a number
of another kind, is its own form.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from audits import values
from audits.privacy.outputs import leaves
from audits.privacy.outputs.describe import LENGTH, Look, Place, rendered
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Raw
from audits.privacy.tuning import TUNING
from audits.values import MOST_ITEMS, MOST_NESTED, NESTED, PLAIN, Refused, labelled

ABSENT = leaves.Word("(no value)")
"""The symbol where an output has nothing at a path that others have a leaf at."""
OTHER = leaves.Word("(another symbol)")
MOST_RARE = 1000
"""Paths that not every output has, at most; the form has the others. Columns for all of 10⁴ keys, of which
an output has 20, would take 500 times the memory of the outputs."""
MOST_SYMBOLS = 2**16
"""Symbols beyond this number count as the same symbol."""
TOO_MANY = (
    f"must return outputs of at most {MOST_ITEMS:,} numbers and fields; return fewer, as by a projection, or "
    "a score that sums them up"
)
REST = Look("what a float lacks of ")
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
    """The columns of a path: of its number, of what the float lacks of it, of its symbol, and of the length
    of its text and the numbers spelled in it; −1 for a column that it does not have."""

    number: int
    rest: int = -1
    code: int = -1
    text: int = -1
    spelled: int = 0


@dataclass(slots=True)
class _Group:
    """The outputs of a batch that have the same form.

    paths    of the leaves; lengths: how many items the containers at some paths have.
    rows     of the outputs in the batch.
    held     the leaves of each output, in parts: arrays of numbers, and lists of what stands between them.
    blocks   the same leaves: arrays with a row for each output, of numbers that doubles hold exactly or of
             Python objects. A list of floats takes four times the memory of an array.
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
    """The items of an array, as Python's numbers, which are read faster; a float of another length is of
    another kind."""
    if isinstance(array, list):
        return array
    return array.tolist() if array.dtype.kind in "biuSU" or array.dtype == np.float64 else [*array]


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

    nan    whether NaN is a symbol; otherwise it is refused.
    typed  () → whether each output has a type of its own: False where calls return arrays, which give all of
           their outputs one type.
    """

    def __init__(self, nan: bool = False, typed: Callable[[], bool] = lambda: True) -> None:
        self._nan, self._typed_now = nan, typed
        self._typed = True
        self._layout: tuple[str, str] | None = None
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

        Raises ValueError where the outputs are of another kind than earlier ones, or of a kind that cannot be
        looked into, and for NaN.
        """
        groups = None
        try:
            if not self.drawn:
                with values.foreign():
                    groups = self._draw(outputs)
            self._one_kind(outputs, where)
            with values.foreign():
                return self._filled(groups or self._groups(outputs), len(outputs))
        except Refused as error:
            raise ValueError(f"mechanism {error}, got one on {where}") from error.__cause__

    @property
    def unused(self) -> int:
        """The number of a symbol that no output has had so far."""
        return len(self._symbols) + 1

    def _one_kind(self, outputs: Raw, where: str) -> None:
        """ValueError where the kind of the outputs differs from that of earlier batches."""
        layout = _layout(outputs)
        before = self._layout or layout
        kinds = before[0], layout[0]
        # An array of objects that happens to hold only numbers becomes an array of numbers in that batch, and
        # a list of arrays of one shape an array.
        objects = "Python objects" in kinds or self._typed_now()
        if before != layout and (not objects or "records" in kinds):
            raise ValueError(
                "mechanism must return one kind of output on every dataset, got "
                f"{layout[1]} on {where} after {before[1]}; a length or kind that depends on the data is a "
                "leak: lists in place of arrays are audited for it"
            )
        if self._layout is None or layout[0] == "Python objects":
            self._layout = layout

    # --- the schema ---

    def draw(self, outputs: Raw) -> None:
        """Draw the schema from some outputs, whatever their order."""
        try:
            with values.foreign():
                self._draw(outputs)
        except Refused as error:
            raise ValueError(f"mechanism {error}") from error.__cause__

    def _draw(self, outputs: Raw) -> dict[str, _Group]:
        """Draw the schema; the outputs by their form, as they are encoded next."""
        self.drawn, self._typed = True, self._typed_now()
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
            items = seen[path]
            self._slots[path], looks = self._slot(path, items, len(self._places), times[path] < size)
            unit = leaves.unit(items[0]) if items else ""
            found = ITEM.fullmatch(path)
            where = (_as_python(found[1]), int(found[2])) if found else (_as_python(path), None)
            self._places += [Place(*where, look, unit) for look in (None, *looks)]
            if len(self._places) > MOST_ITEMS:
                raise Refused(TOO_MANY)
        for path, every in lengths.items():
            if len(every) > 1:
                self._lengths[path] = len(self._places)
                self._places.append(Place(_as_python(path), None, LENGTH))
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
        return groups

    def _slot(self, path: str, items: list[Any], start: int, sometimes: bool) -> tuple[_Slot, list[Look]]:
        """The columns of a path, from the leaves that outputs have there, and what they hold beside the
        number; `sometimes`: some outputs have none there."""
        slot, looks = _Slot(start), list[Look]()
        texts = Counter(item for item in items if isinstance(item, str))
        told = [leaves.number(item) for item in items]
        if any(pair is not None and pair[1] != 0.0 for pair in told):
            slot.rest = start + 1 + len(looks)
            looks.append(REST)
        if len(texts) >= TUNING.parts and 3 * len(texts) > texts.total():
            # Texts that hardly repeat: their patterns are symbols, and the numbers in them numbers.
            slot.text = start + 1 + len(looks)
            slot.spelled = min(max(len(leaves.NUMBER.findall(t)) for t in texts), leaves.MOST_SPELLED)
            spelled = (Look(f"number {j} in the text of ") for j in range(1, slot.spelled + 1))
            looks += [LENGTH, *spelled]
        symbols = any(pair is None or pair[0] != pair[0] for pair in told)
        if path and (symbols or sometimes):
            slot.code = len(self.number_columns)
            self.number_columns.append(start)
        return slot, looks

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
        tokens = [np.array(self._token(self._kind(block.dtype.type())))] * len(of)
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
        kinds = {*map(type, items)}
        if kinds == {str}:
            return self._strings(slot, items, rows, found, codes)
        if kinds == {float}:
            numbers = np.array(items, dtype=np.float64)
            if not np.isnan(numbers).any():
                found[rows, slot.number] = leaves.finite(numbers)
                if slot.code >= 0:
                    codes[rows, slot.code] = 0
                return np.array(self._token(self._kind(0.0)))
        table = [self._told(slot, item) for item in items]
        numbers, rest, code, token = (np.array(part) for part in zip(*table, strict=True))
        found[rows, slot.number] = numbers
        if slot.rest >= 0:
            found[rows, slot.rest] = rest
        if slot.code >= 0:
            codes[rows, slot.code] = code
        self._spelled(slot, [item if isinstance(item, str) else "" for item in items], rows, found)
        return token

    def _strings(self, slot: _Slot, items: Sequence[str], rows: Rows, found: Floats, codes: Ints) -> Ints:
        """`_leaf` for strings alone: each pattern, or each string, is looked up once."""
        words = [*map(leaves.pattern, items)] if slot.text >= 0 else items
        told = {word: self._told(slot, word)[2:] for word in dict.fromkeys(words)}
        code, token = np.array([told[word] for word in words]).T
        if slot.code >= 0:
            codes[rows, slot.code] = code
        self._spelled(slot, items, rows, found)
        return token

    def _spelled(self, slot: _Slot, texts: Sequence[str], rows: Rows, found: Floats) -> None:
        """The lengths of texts and the numbers that they spell, where a path has columns for them."""
        if slot.text >= 0:
            found[rows, slot.text] = [*map(len, texts)]
            found[rows, slot.text + 1 : slot.text + 1 + slot.spelled] = leaves.spelled(texts, slot.spelled)

    def _told(self, slot: _Slot, item: Any) -> tuple[float, float, int, int]:
        """(number, rest, code of the symbol, what the form says of it) of a leaf."""
        pair = leaves.number(item)
        if pair is None or pair[0] != pair[0]:
            symbol = self._symbol(item, pair)
            if slot.text >= 0 and isinstance(symbol, str):
                symbol = leaves.Kind(f"text like {leaves.pattern(symbol)!r}")
            if slot.code < 0:
                return 0.0, 0.0, 0, self._token(symbol)
            sort = leaves.Kind(values.sort(item) or "symbol")
            return 0.0, 0.0, self._number(symbol), self._token(sort)
        number, rest = pair
        if rest != 0.0 and slot.rest < 0:
            return number, 0.0, 0, self._token(leaves.Word(values.text(item)))
        return number, rest, 0, self._token(self._kind(item))

    def _kind(self, item: Any) -> leaves.Kind:
        return leaves.Kind(leaves.kind(item) if self._typed else "number")

    def _texts(self, items: Sequence[Any]) -> Ints:
        """What the form says of leaves that have no columns: all."""
        return np.array([self._token(self._whole(item)) for item in items])

    def _whole(self, item: Any) -> Any:
        pair = leaves.number(item)
        if pair is not None and pair[0] == pair[0]:
            return leaves.Word(values.text(item))
        return self._symbol(item, pair)

    def _symbol(self, item: Any, pair: tuple[float, float] | None) -> Any:
        """The symbol of a leaf that is no number, or NaN."""
        if pair is None:
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
            plain = all(place.look is None for place in self._places)
            return "output" if plain else "columns of output"

        return rendered(text, name)

    def place(self, column: int) -> Place:
        """What a column of numbers holds; a coordinate where nothing was encoded."""
        return self._places[column] if column < len(self._places) else Place("", column)


def _is_exact(outputs: Raw) -> bool:
    """Whether outputs are an array of numbers that doubles hold exactly, none of them NaN."""
    kind = outputs.dtype.kind
    if kind == "f":
        return outputs.dtype.itemsize <= 8 and not bool(np.isnan(outputs).any())
    if kind in "iu" and outputs.dtype.itemsize == 8 and outputs.size:
        return int(outputs.min()) > -leaves.EXACT and int(outputs.max()) < leaves.EXACT
    return kind in "biu"


def _cut(text: str, most: int) -> str:
    """The text, or its beginning and its end: texts often begin alike and differ at their ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) + 1 :]}"


def _layout(outputs: Raw) -> tuple[str, str]:
    """The kind of outputs, and the kind and its size in words."""
    if outputs.dtype.names is not None:
        return "records", f"records with fields {outputs.dtype.names}"
    kind = {"O": "Python objects", "S": "strings", "U": "strings"}.get(outputs.dtype.kind, "numbers")
    width = int(np.prod(outputs.shape[1:], dtype=np.int64))
    return kind, kind if width == 1 else f"vectors of {width} {kind}"
