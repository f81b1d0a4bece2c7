"""`Encoder`: turns the outputs of a mechanism into columns and keeps the words for them.

Every place in an output (the output itself, an item, a field) has *blocks* of columns: what is there, and
what is looked at of it. A block that turns up later stands behind the earlier ones, so that what was learned
on the earlier columns stays valid; earlier outputs are given the block's default there.

What is learned of a place from the first batch that has it is frozen: which keys, rows and patterns have
columns of their own, how long lists are, how texts are looked at. Which places there are is not: a failure,
or a field that few outputs have, is often the leak itself and not among the first outputs.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, cast

import numpy as np

from audits.privacy.outputs import leaves
from audits.privacy.outputs.describe import NUMBERS, OUTPUT, SHOWN, Equals, Look, Node, Place, Words, rendered
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Items, Raw
from audits.privacy.tuning import TUNING
from audits.values import MOST_ITEMS, MOST_NESTED, PLAIN, Refused, element, labelled
from audits.values import text as canonical

ABSENT = leaves.Word("(no value)")
"""The symbol where an output has no number and no symbol: nothing, or a container."""
REST, TYPE = Look("rest of "), Look("type of ")
KIND = Look("kind of number of ", tuple(f"{number} {name}" for number, name in enumerate(leaves.KINDS)))
BESIDE = {
    OUTPUT: "columns of output",
    NUMBERS: " (where lengths, types and the like are numbers, too)",
}
MOST_SYMBOLS = 2**16
"""All symbols beyond so many count as the same symbol."""
OTHER = leaves.Word("(another symbol)")
MOST_AXES = 4
"""Axes of an array whose lengths are looked at."""
ORDER = " in the order of keys"
"""What follows the path of a mapping."""
NESTED = f"must return outputs nested at most {MOST_NESTED} deep"

Key = tuple[str, str, str]
"""A block: its place in the output, as Python writes it; "value" for what is there, "items" for the items of
a list, or what is looked at of the place; and what is looked at of the value or the items."""
Rows = Ints | slice
Looks = tuple[Look, ...]
_Records = defaultdict[tuple[type, tuple[str, ...]], list[tuple[int, Any, Any]]]
"""(type, names of the fields) → row, item and what the fields hold, of each record."""
KEYED = Mapping, AbstractSet


@dataclass(slots=True)
class _Block:
    """Columns of numbers: the first of them, how many, what outputs have there that came before them, what is
    looked at of each item, nothing for the item itself; the unit of times; and how texts are looked at."""

    start: int
    width: int
    default: float
    looks: Looks
    unit: str = ""
    texts: leaves.TextLook | None = None


@dataclass(slots=True)
class _Seen:
    """What is known of a place: keys of dictionaries and elements of sets, and rows, that have columns of
    their own as they repeat in the first batch; in which order equal keys came first, and whether they have
    come in several orders by now."""

    keys: set[str] | None = None
    rows: list[str] | None = None
    orders: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict[Any, Any])
    reordered: bool = False

    def known(self, records: _Records) -> set[str]:
        """The keys and elements; those of later outputs change nothing, or they would look different."""
        keyed = [(names, len(some)) for (kind, names), some in records.items() if issubclass(kind, KEYED)]
        if self.keys is None and keyed:
            counts = Counter[str]()
            for names, times in keyed:
                counts.update(dict.fromkeys(names, times))
            self.keys = {*_repeated(counts, min(2, sum(times for _, times in keyed)), TUNING.glance)}
        return self.keys or set()


class _Batch:
    """The columns of one batch while they are collected: of which block, in which rows."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.values: list[tuple[Key, Rows, Floats]] = []
        self.codes: list[tuple[int, Rows, Ints]] = []


class Encoder:
    """Turns outputs into columns; remembers the kind of output, the columns and the numbers of the symbols.

    nan    whether NaN is a symbol; otherwise it is refused.
    typed  () → whether each output has a type of its own: False where calls return arrays, which give all of
           their outputs one type.
    name   what an output is called in descriptions.
    """

    def __init__(
        self, nan: bool = False, typed: Callable[[], bool] = lambda: True, name: str = "output"
    ) -> None:
        self._nan, self._typed, self._name = nan, typed, name
        self._layout: tuple[str, str] | None = None
        self._batch = _Batch(0)
        self._blocks: dict[Key, _Block] = {}
        self._width, self._started = 0, False
        self._codes: dict[tuple[Key, int], tuple[int, int]] = {}
        self._symbols: dict[Any, int] = {}
        self._sorts: dict[str, int] = {}
        self._usual: dict[Key, int] = {}
        self._texts: dict[Key, Counter[str]] = defaultdict(Counter)
        self._seen: dict[str, _Seen] = defaultdict(_Seen)
        # Symbols that outputs of earlier batches have in the columns of a block that is yet to be made.
        self._before = dict[Key, tuple[str, ...]]()
        self._items_of, self._items = (-1, -1), tuple[Items, ...]()

    # --- what callers see ---

    @property
    def shape(self) -> tuple[int, int]:
        """How many columns of numbers and of symbols there are by now."""
        return self._width, len(self._codes)

    @property
    def number_columns(self) -> list[int]:
        """For each column of symbols the column of numbers of the same place in the output."""
        return [self._blocks[key].start + item for key, item in self._codes]

    def encode(self, outputs: Raw, where: str) -> Encoded:
        """Columns of a batch.

        Raises ValueError where the outputs are of another kind than earlier ones, or of a kind that cannot be
        looked into, and for NaN.
        """
        layout = _layout(outputs)
        before = self._layout or layout
        kinds = before[0], layout[0]
        # An array of objects that happens to hold only numbers becomes an array of numbers in that batch, and
        # a list of arrays of one shape an array.
        objects = "Python objects" in kinds or self._typed()
        if before != layout and (not objects or "records" in kinds):
            raise ValueError(
                "mechanism must return one kind of output on every dataset, got "
                f"{layout[1]} on {where} after {before[1]}; a length or kind that depends on the data is a "
                "leak: lists in place of arrays are audited for it"
            )
        if self._layout is None or layout[0] == "Python objects":
            self._layout = layout
        self._batch = _Batch(len(outputs))
        try:
            self._array("", slice(None), outputs)
        except (Refused, RecursionError) as error:
            words = error if isinstance(error, Refused) else NESTED
            raise ValueError(f"mechanism {words}, got one on {where}") from None
        self._started = True
        return self._assembled()

    def widen(self, e: Encoded) -> Encoded:
        """An earlier batch, widened by the columns that only later outputs have."""
        if e.shape == self.shape:
            return e
        symbols = np.array([default for _, default in self._codes.values()], dtype=np.int64)
        values, codes = np.tile(self._defaults(), (len(e), 1)), np.tile(symbols, (len(e), 1))
        values[:, : e.shape[0]], codes[:, : e.shape[1]] = e.values, e.codes
        return Encoded(values, codes, self.items())

    def items(self) -> tuple[Items, ...]:
        """What stands in an order in the outputs so far: lists and arrays, the letters of texts, and all
        columns that hold values."""
        if self._items_of != self.shape:
            self._items_of, self._items = self.shape, (*self._in_order(),)
        return self._items

    def _in_order(self) -> Iterator[Items]:
        marks = {self._blocks[key].start + item: code for code, (key, item) in enumerate(self._codes)}

        def items(words: str, columns: Sequence[int]) -> Items:
            return Items(words, (*columns,), tuple(marks.get(column, -1) for column in columns))

        every: list[int] = []
        blocks = 0
        for (path, what, _), block in self._blocks.items():
            columns = range(block.start, block.start + block.width)
            if block.texts is not None:
                size, letters = len(block.looks), block.texts.characters
                for item in range(min(block.width // size, TUNING.least) if letters > 1 else 0):
                    name = f"output{path}{f'[{item}]' if what == 'items' else ''}"
                    some = columns[item * size :][size - letters : size]
                    yield Items(f"the letters of {name}", (*some,), letters=True)
            if block.looks or what == "rest" or not columns:
                continue
            every += columns
            blocks += 1
            if what == "items" and block.width > 1:
                yield items(f"output{path}", columns)
        if blocks > 1:
            yield items("all of output", every)

    def said(self, words: Words, most: int = 40) -> str:
        """A description in the user's own words; symbols are cut to `most` characters."""

        def name(node: Node | Equals) -> str:
            if isinstance(node, Equals):
                place = self.place(node.column)
                named = self.names(place.look).get(int(node.value), node.words)
                return f"{place}{place.unit} {node.sign} {named}"
            if node.kind == "code":
                return str(self.place(self.number_columns[node.number]))
            if node.kind == "symbol":
                known = [*self._symbols][node.number - 1 : node.number]
                return _cut(repr(known[0]), most) if known else "(a symbol that never occurred)"
            if node.kind != "column":
                # Beside the user's numbers there may be columns for lengths, types and the like.
                if any(block.looks for block in self._blocks.values()):
                    return BESIDE[node]
                unit = next(iter(self._blocks.values())).unit
                return f"{self._name}{unit}" if node == OUTPUT else str(node)
            place = self.place(node.number)
            values = [f"{number} {name}" for number, name in self.names(place.look).items()]
            told = f" ({', '.join(values[:SHOWN])})" if values else ""
            return f"{place}{place.unit}{told}"

        return rendered(words, name, self.number_columns)

    def names(self, look: Look | None) -> dict[int, str]:
        """What the numbers of a column stand for, by number; nothing where they are numbers."""
        if look == TYPE:
            return {number: _cut(name, 80) for name, number in self._sorts.items()}
        parts = (value.partition(" ") for value in (look.values if look else ()))
        return {int(number): name for number, _, name in parts}

    def place(self, column: int) -> Place:
        """What a column of numbers holds; a coordinate where nothing was encoded."""
        for (path, what, _), block in self._blocks.items():
            if block.start <= column < block.start + block.width:
                item, part = divmod(column - block.start, max(len(block.looks), 1))
                look = block.looks[part] if block.looks else None
                return Place(path, item if what == "items" else None, look, block.unit, self._name)
        return Place("", column)

    # --- columns ---

    def _defaults(self) -> Floats:
        """What outputs have in each column of numbers that says nothing of them."""
        blocks = self._blocks.values()
        return np.repeat([block.default for block in blocks], [block.width for block in blocks])

    def _code(self, key: Key, column: int, default: int = 0) -> int:
        return self._codes.setdefault((key, column), (len(self._codes), default))[0]

    def _number(self, symbol: Any) -> int:
        if symbol is leaves.NAN and not self._nan:
            raise Refused(
                'must not return NaN (use None for a failure symbol, or errors="symbol"; '
                "pandas makes NaN of None)"
            )
        if len(self._symbols) >= MOST_SYMBOLS and symbol not in self._symbols:
            symbol = OTHER
        return self._symbols.setdefault(symbol, len(self._symbols) + 1)

    def _sort(self, name: str) -> int:
        """The number of a type; it depends on the name alone, as there may be any number of them."""
        return self._sorts.setdefault(name, leaves.SORTS.get(name, zlib.crc32(name.encode()) % 10**6 + 10))

    def _put(self, key: Key, rows: Rows, part: Floats, looks: Looks = (), default: float = 0.0) -> _Block:
        """Numbers in the columns of a block, which is made where there is none."""
        if key not in self._blocks:
            width = part.shape[1]
            if self._width + width > MOST_ITEMS:
                raise Refused(
                    f"must return outputs of at most {MOST_ITEMS:,} numbers and fields; give a score "
                    "that sums them up"
                )
            self._blocks[key] = _Block(self._width, width, default, looks)
            self._width += width
            if self._started and not looks and width > 0:
                for column, symbol in enumerate(self._before.get(key, (ABSENT,))):
                    self._code(key, column, self._number(symbol))
        block = self._blocks[key]
        self._batch.values.append((key, rows, part[:, : block.width]))
        return block

    def _differing(self, key: Key, rows: Rows, found: Ints, look: Look) -> None:
        """Columns of numbers ≥ 0, from the first number on that differs from those before it; −1 for none."""
        known = found[found >= 0]
        if len(known) == 0:
            return
        usual = self._usual.setdefault(key, int(known[0]))
        if key in self._blocks or bool((known != usual).any()):
            columns = np.where(found >= 0, found, usual).astype(np.float64).reshape(len(found), -1)
            self._put(key, rows, columns, (look,), float(usual))

    def _assembled(self) -> Encoded:
        batch, self._batch = self._batch, _Batch(0)
        missing = {
            key: np.ones(batch.size, dtype=bool)
            for key, block in self._blocks.items()
            if not block.looks and block.width > 0
        }
        for key, rows, _ in batch.values:
            if key in missing:
                missing[key][rows] = False
        absent = [(self._code(key, 0), where) for key, where in missing.items() if where.any()]
        shape = batch.size, self._width
        whole = [part for _, rows, part in batch.values if isinstance(rows, slice) and part.shape == shape]
        # Where there is only one block nothing is copied.
        values = np.ascontiguousarray(whole[0]) if whole else np.tile(self._defaults(), (batch.size, 1))
        for key, rows, part in () if whole else batch.values:
            start = self._blocks[key].start
            values[rows, start : start + part.shape[1]] = part
        codes = np.zeros((batch.size, len(self._codes)), dtype=np.int64)
        for number, rows, part in batch.codes:
            codes[rows, number] = part
        for number, where in absent:
            codes[where, number] = self._number(ABSENT)
        return Encoded(values, codes, self.items())

    # --- numbers and symbols ---

    def _leaves(self, path: str, what: str, rows: Rows, flat: Raw) -> None:
        """Columns of numbers and symbols (n, w)."""
        found, key = leaves.decoded(flat), (path, what, "")
        block = self._put(key, rows, found.values, (REST,) if what == "rest" else ())
        block.unit = block.unit or found.unit
        if found.which is not None:
            codes = np.array([*map(self._number, found.symbols), 0], dtype=np.int64)[found.which]
            for column in np.flatnonzero(codes.any(axis=0)).tolist():
                self._batch.codes.append((self._code(key, column), rows, codes[:, column]))
            self._texts_of((path, what, "text"), rows, found.symbols, found.which)
        if found.exactly is not None:
            looks = tuple(Look(f"{word} of ") for word in leaves.EXTRA_WORDS)
            self._put((path, what, "exactly"), rows, found.exactly.reshape(len(flat), -1), looks)
        # An array has one type because all of its outputs must: that alone is no difference between outputs.
        types, kind = (path, what, "kind"), int(found.kinds.max(initial=-1))
        if kind >= 0 and self._typed():
            usual = self._usual.setdefault(types, kind)
            if types in self._blocks or bool(((found.kinds != usual) & (found.kinds >= 0)).any()):
                kinds = np.broadcast_to(found.kinds, flat.shape)
                self._differing(types, rows, kinds, KIND)

    def _texts_of(self, key: Key, rows: Rows, symbols: Sequence[Any], which: Ints) -> None:
        """Columns for what strings look like that hardly repeat, from the first batch on in which they are
        needed: later strings change nothing, or they would look different."""
        texts = {place: text for place, text in enumerate(symbols) if isinstance(text, str)}
        look = self._blocks[key].texts if key in self._blocks else None
        if look is None:
            known, times = self._texts[key], np.bincount(which.ravel() + 1, minlength=len(symbols) + 1)
            for place, text in texts.items():
                known[text] += int(times[place + 1])
            if len(known) < TUNING.parts or 3 * len(known) <= known.total():
                return
            patterns = _repeated(Counter(map(leaves.pattern, known.elements())), 2, TUNING.few_values)
            look = leaves.text_look(known, sorted(patterns))
        table = np.zeros((len(symbols) + 1, len(look.looks)))
        if texts:
            table[[*texts]] = look([*texts.values()])
        self._put(key, rows, table[which].reshape(len(which), -1), look.looks).texts = look

    # --- arrays and Python objects ---

    def _array(self, path: str, rows: Rows, outputs: Raw) -> None:
        """Columns of an array whose first axis counts the outputs."""
        kind, width = outputs.dtype.kind, int(np.prod(outputs.shape[1:], dtype=np.int64))
        if outputs.dtype.names is not None:
            for name in outputs.dtype.names:
                self._array(f"{path}.{name}", rows, outputs[name])
            return
        if kind == "O":
            self._objects(path, rows, list(outputs))
            return
        if kind not in "biufcmMUS":
            raise Refused(f"must return numbers, strings or records, not arrays of type {outputs.dtype}")
        # What follows must be as `_objects` has it, to which an output goes among outputs of other kinds.
        sort = "ndarray" if outputs.ndim > 1 else leaves.sort(outputs.dtype.type())
        if sort:
            self._differing((path, "type", ""), rows, np.full(len(outputs), self._sort(sort)), TYPE)
        if outputs.ndim > 1:
            self._shapes(path, rows, [outputs.shape[1:]], len(outputs))
        if kind == "c":
            for part in ("real", "imag"):
                self._array(f"{path}.{part}", rows, getattr(outputs, part))
        elif outputs.ndim == 1:
            self._leaves(path, "value", rows, outputs[:, None])
        elif (path, "items", "") in self._blocks and self._blocks[path, "items", ""].width != width:
            self._lists(path, rows, [list(row) for row in outputs.reshape(len(outputs), width)])
        else:
            self._differing((path, "length", ""), rows, np.full(len(outputs), width), leaves.LENGTH)
            self._leaves(path, "items", rows, outputs.reshape(len(outputs), width))

    def _objects(self, path: str, rows: Rows, items: list[Any], depth: int = 0) -> None:
        """Columns of outputs, or of parts of outputs, each of which is a Python object in so many others."""
        if depth > MOST_NESTED:
            raise Refused(NESTED)
        # The types of containers and texts; outputs of other kinds have the usual one there.
        sorts = {kind: leaves.sort(item) for kind, item in {type(item): item for item in items}.items()}
        numbers = {kind: self._sort(name) if name else -1 for kind, name in sorts.items()}
        frames = {kind for kind in sorts if labelled(kind)}
        types = [self._sort(leaves.sort(o)) if type(o) in frames else numbers[type(o)] for o in items]
        self._differing((path, "type", ""), rows, _ints(types), TYPE)
        arrays = _same_arrays(items)
        if arrays is not None:
            self._array(path, rows, arrays)
        elif sorts.keys() <= PLAIN:
            if items:
                self._leaves(path, "value", rows, leaves.objects(items)[:, None])
        else:
            self._containers(path, np.arange(self._batch.size)[rows], items, depth)

    def _containers(self, path: str, rows: Ints, items: list[Any], depth: int) -> None:
        """Columns of Python objects some of which hold others."""
        single, lists, tables = dict[int, Any](), dict[int, list[Any]](), dict[int, list[Any]]()
        shapes, lengths = dict[int, tuple[int, ...]](), dict[int, int]()
        records, memo = _Records(list), dict[Any, tuple[str, ...]]()
        for row, item in zip(rows.tolist(), items, strict=True):
            names, held = leaves.held(item, memo)
            if isinstance(item, np.ndarray):
                shapes[row] = cast(Raw, item).shape
            if held is None:
                single[row] = item
            elif names is None and all(leaves.held(part, memo)[1] is None for part in held):
                lists[row] = held
            else:
                if names is None:
                    tables[row], names = held, tuple(f"[{j}]" for j in range(len(held)))
                records[type(item), names].append((row, item, held))
        seen = self._seen[path]
        known = seen.known(records)
        records_proper = (key for key, some in records.items() if some[0][0] not in tables)
        orders = {record: _order(*record, known) for record in records_proper}
        if not seen.reordered:
            before = [*seen.orders.values()]
            seen.reordered = any(seen.orders.setdefault(frozenset(o), o) != o for o in orders.values())
            if seen.reordered and len(before) == 1:
                # In every earlier batch the keys stood in this order.
                self._before[path + ORDER, "items", ""] = before[0]
        fields: dict[str, tuple[list[int], list[Any]]] = defaultdict(lambda: ([], []))
        for (kind, names), some in records.items():
            at, every, held = zip(*some, strict=True)
            columns = dict(zip(names, zip(*held, strict=True), strict=True))
            if issubclass(kind, KEYED) and not known.issuperset(names):
                columns = {name: column for name, column in columns.items() if name in known}
                others = (_others(*one, names, known) for one in zip(every, held, strict=True))
                columns[" (others)"] = tuple(others)
            if issubclass(kind, AbstractSet):
                columns[" in order"] = tuple(map(_sorted, every))
            if not names:
                # An empty record differs from a missing record.
                columns[" (whether it is empty)"] = ("yes",) * len(at)
            if seen.reordered and (order := orders.get((kind, names))):
                columns[ORDER] = ([*order],) * len(at)
            if issubclass(kind, KEYED) or at[0] in tables:
                lengths |= dict.fromkeys(at, len(names))
            for name, column in columns.items():
                fields[name][0].extend(at)
                fields[name][1].extend(column)
        if single:
            self._leaves(path, "value", _ints(single), leaves.objects([*single.values()])[:, None])
        if lists:
            self._lists(path, _ints(lists), [*lists.values()])
        self._shapes(path, _ints(shapes), [*shapes.values()])
        self._tables(path, _ints(tables), [*tables.values()])
        self._differing((path, "length", ""), _ints(lengths), _ints(lengths.values()), leaves.LENGTH)
        for name, (at, column) in fields.items():
            self._objects(path + name, _ints(at), column, depth + 1)

    def _shapes(self, path: str, rows: Rows, shapes: list[tuple[int, ...]], times: int = 1) -> None:
        """Columns for how long the axes of arrays are, 0 for an axis that an array lacks; that of the
        first axis follows from the number of items. There are so many arrays of each shape."""
        for axis in range(1, MOST_AXES):
            found = np.repeat(_ints(shape[axis] if axis < len(shape) else 0 for shape in shapes), times)
            self._differing((path, "axis", str(axis)), rows, found, Look(f"length of axis {axis} of "))

    def _tables(self, path: str, rows: Ints, tables: list[list[Any]]) -> None:
        """Columns for how often lists of rows hold each of the rows that repeat in the first batch."""
        seen = self._seen[path]
        if not tables or seen.rows == []:
            return
        named = [Counter(filter(None, map(leaves.row, table))) for table in tables]
        if seen.rows is None:
            seen.rows = _repeated(Counter(chain.from_iterable(named)), 2, TUNING.glance)
        if seen.rows:
            found = np.array([[names[name] for name in seen.rows] for names in named], dtype=np.float64)
            looks = tuple(Look(f"how often {_cut(name, 40)} occurs in ") for name in seen.rows)
            self._put((path, "rows", ""), rows, found, looks)

    def _lists(self, path: str, rows: Rows, lists: list[list[Any]]) -> None:
        """Lists of numbers and symbols: as many columns as the longest had at first, the rest as a symbol."""
        lengths = _ints(map(len, lists))
        self._differing((path, "length", ""), rows, lengths, leaves.LENGTH)
        block = self._blocks.get((path, "items", ""))
        width = block.width if block else int(lengths.max(initial=0))
        there = np.arange(width) < lengths[:, None]
        padded = np.full(there.shape, ABSENT, dtype=object)
        padded[there] = leaves.objects([item for items in lists for item in items[:width]])
        self._leaves(path, "items", rows, padded)
        longer = np.flatnonzero(lengths > width)
        if len(longer):
            rest = leaves.objects([canonical(lists[i][width:]) for i in longer])[:, None]
            self._leaves(path, "rest", np.arange(self._batch.size)[rows][longer], rest)


def _cut(text: str, most: int) -> str:
    """The text, or its beginning and its end: texts often begin alike and differ at their ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) + 1 :]}"


def _repeated(counts: Counter[str], least: int, most: int) -> list[str]:
    """The commonest names, `most` at most, of those that occur so often.

    Of names that occur equally often the first in the alphabet are taken: which of them came first must not
    decide, or the columns would depend on the order of the outputs.
    """
    common = sorted(counts, key=lambda name: (-counts[name], name))[:most]
    return [name for name in common if counts[name] >= least]


def _order(kind: type, names: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    """The names of fields in their order, of dictionaries only those with columns of their own; none of other
    things."""
    if issubclass(kind, (AbstractSet, complex, np.complexfloating, np.ndarray)):
        return ()
    return tuple(name for name in names if name in known) if issubclass(kind, Mapping) else names


def _others(item: Any, held: Sequence[Any], names: tuple[str, ...], known: set[str]) -> list[Any]:
    """Keys with their values, or elements of a set, that have no columns of their own, in order."""
    if isinstance(item, Mapping):
        fields = dict(zip(names, held, strict=True))
        return [word for name in sorted(fields.keys() - known) for word in (name, fields[name])]
    return _sorted(part for part in item if element(part) not in known)


def _sorted(parts: Iterable[Any]) -> list[Any]:
    """Elements of a set in order; by how they are written where they cannot be compared."""
    # Sets have only a partial order, so their order here must not depend on that in which they came.
    left = sorted(parts, key=element)
    try:
        return sorted(left)
    except Exception:  # Decimal's NaN, or a number of NumPy beside a tuple: each raises its own error
        return left


def _ints(found: Iterable[int]) -> Ints:
    return np.array([*found], dtype=np.int64)


def _same_arrays(items: list[Any]) -> Raw | None:
    """Arrays of numbers that share shape and type, stacked to an array."""
    first = items[0] if items else None
    if type(first) is not np.ndarray or first.dtype.kind not in "biuf" or first.ndim == 0:
        return None
    if all(type(o) is np.ndarray and o.shape == first.shape and o.dtype == first.dtype for o in items):
        return np.stack(cast(list[Raw], items))
    return None


def _layout(outputs: Raw) -> tuple[str, str]:
    """The kind of outputs, and the kind and its size in words."""
    if outputs.dtype.names is not None:
        return "records", f"records with fields {outputs.dtype.names}"
    kind = {"O": "Python objects", "S": "strings", "U": "strings"}.get(outputs.dtype.kind, "numbers")
    width = int(np.prod(outputs.shape[1:], dtype=np.int64))
    return kind, kind if width == 1 else f"vectors of {width} {kind}"
