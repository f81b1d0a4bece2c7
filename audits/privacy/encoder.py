"""`Encoder`: turns the outputs of a mechanism into columns and keeps the words for them.

Every place in an output (the output itself, an item, a field) has a *block* of columns. A block that turns up
later stands behind the earlier ones, so that what was learned on the earlier columns stays valid; earlier
outputs are given the block's default there.
"""

from __future__ import annotations

import enum
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audits.privacy import leaves
from audits.privacy.describe import (
    KIND,
    LENGTH,
    REST,
    TYPE,
    Column,
    Interval,
    Look,
    Mark,
    Node,
    Place,
    Symbol,
    Whole,
    Words,
    rendered,
)
from audits.privacy.outputs import Encoded, Floats, Ints, Raw

ABSENT = leaves.Word("(absent or a container)")
"""The symbol of a field or an item that an output does not have."""
MOST_SYMBOLS = 2**16
"""All symbols beyond so many count as the same symbol."""
OTHER = leaves.Word("(another symbol)")
MOST_AXES = 4
"""Axes of an array whose lengths are looked at."""
SHOWN = 8
"""So many types, or patterns of strings, are spelled out."""
UNIQUE_FROM = 16
"""Strings that hardly repeat, of which so many were seen, also get columns for their structure."""
MOST_COLUMNS = 20_000
MOST_NESTED = 100
"""Containers in containers; what contains itself is nested without end."""
NESTED = f"must return outputs nested at most {MOST_NESTED} deep"
MOST_KEYS, MOST_PATTERNS = 512, 64
"""Keys of dictionaries, and elements of sets, that have columns of their own at a place in the output, at
most; and patterns of strings that are told apart."""

Key = tuple[str, str]
"""Place in the output, in words, and which of its blocks it is."""
Rows = Ints | slice


@dataclass(frozen=True, slots=True)
class _Block:
    """Columns of numbers: the first of them, how many, and what outputs have there that came before it."""

    start: int
    width: int
    default: float


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
    """

    def __init__(self, nan: bool = False, typed: Callable[[], bool] = lambda: True) -> None:
        self._nan, self._typed = nan, typed
        self._layout: tuple[str, str] | None = None
        self._blocks: dict[Key, _Block] = {}
        self._width = 0
        self._codes: dict[tuple[Key, int], tuple[int, int]] = {}
        self._symbols: dict[Any, int] = {}
        self._usual: dict[Key, int] = {}
        self._orders: dict[str, dict[frozenset[str], tuple[str, ...]]] = {}
        self._reordered: set[str] = set()
        self._texts: dict[Key, tuple[int, set[str]]] = {}
        self._patterns: dict[Key, list[str]] = {}
        self._extents: dict[Key, tuple[int, int]] = {}
        self._keys: dict[str, set[str]] = {}
        self._rows: dict[str, list[str]] = {}
        self._sorts: dict[str, int] = {}
        self._units: dict[Key, str] = {}
        self._started = False

    # --- what callers see ---

    @property
    def shape(self) -> tuple[int, int]:
        """How many columns of numbers and of symbols there are by now."""
        return self._width, len(self._codes)

    def encode(self, outputs: Raw, where: str) -> Encoded:
        """Columns of a batch.

        Raises ValueError where the outputs are of another kind than earlier ones, or of a kind that cannot be
        looked into, and for NaN.
        """
        layout = _layout(outputs)
        before = self._layout or layout
        kinds = before[0], layout[0]
        # An array of objects that happens to hold only numbers becomes an array of numbers in that batch.
        if before != layout and ("Python objects" not in kinds or "records" in kinds):
            raise ValueError(
                "mechanism must return one kind of output on every dataset, got "
                f"{layout[1]} on {where} after {before[1]}"
            )
        if self._layout is None or layout[0] == "Python objects":
            self._layout = layout
        batch = _Batch(len(outputs))
        try:
            self._array(batch, "", slice(None), outputs)
        except leaves.Refused as error:
            raise ValueError(f"mechanism {error}, got one on {where}") from None
        except RecursionError:
            raise ValueError(f"mechanism {NESTED}, got one on {where}") from None
        self._started = True
        return self._assembled(batch)

    def widen(self, e: Encoded) -> Encoded:
        """An earlier batch, widened by the columns that only later outputs have."""
        if e.shape == self.shape:
            return e
        symbols = np.array([default for _, default in self._codes.values()], dtype=np.int64)
        values, codes = np.tile(self._defaults(), (len(e), 1)), np.tile(symbols, (len(e), 1))
        values[:, : e.shape[0]], codes[:, : e.shape[1]] = e.values, e.codes
        return Encoded(values, codes)

    def _defaults(self) -> Floats:
        """What outputs have in each column of numbers that says nothing of them."""
        blocks = self._blocks.values()
        return np.repeat([block.default for block in blocks], [block.width for block in blocks])

    @property
    def number_columns(self) -> list[int]:
        """For each column of symbols the column of numbers of the same place in the output."""
        return [self._blocks[key].start + item for key, item in self._codes]

    def said(self, words: Words, most: int = 40) -> str:
        """A description in the user's own words; symbols are cut to `most` characters."""
        extra = any(block not in ("value", "items") for _, block in self._blocks)

        def name(node: Node) -> str:
            match node:
                case Column(number):
                    return self.place(number).fully()
                case Mark(number):
                    return str(self.place(self.number_columns[number]))
                case Symbol(number) if 1 <= number <= len(self._symbols):
                    return _cut(repr(list(self._symbols)[number - 1]), most)
                case Symbol():
                    return "(a symbol that never occurred)"
                case Whole():
                    return node.beside if extra else f"{node}{self.place(0).unit if node.words else ''}"
                case Interval():
                    return str(node)

        return rendered(words, name)

    def place(self, column: int) -> Place:
        """What a column of numbers holds."""
        for key, block in self._blocks.items():
            path, what = key
            if not block.start <= column < block.start + block.width:
                continue
            looks = self._looks(key)
            item, part = divmod(column - block.start, max(len(looks), 1))
            values: tuple[str, ...] = ()
            if what.endswith(" text") and part == 0:
                values = ("0 other", *(f"{n} {p!r}" for n, p in enumerate(self._patterns[key], 1)))
            elif what == "type":
                values = tuple(f"{number} {_cut(name, 80)}" for name, number in self._sorts.items())
            elif what.endswith(" kind"):
                values = tuple(f"{number} {name}" for number, name in enumerate(leaves.KINDS))
            return Place(
                path,
                item if what.startswith("items") else None,
                looks[part] if looks else None,
                self._units.get(key, ""),
                values[:SHOWN],
            )
        raise IndexError(column)

    def _looks(self, key: Key) -> tuple[Look, ...]:
        path, what = key
        if what == "rows":
            return tuple(Look(f"how often {_cut(row, 40)} occurs in ") for row in self._rows[path])
        kind, _, extra = what.partition(" ")
        if kind == "axis":
            return (Look(f"length of axis {extra} of "),)
        if extra == "exactly":
            return tuple(Look(f"{word} of ") for word in leaves.EXTRA_WORDS)
        if extra == "text":
            return leaves.structure_looks(*self._extents[key])
        return {"length": (LENGTH,), "type": (TYPE,), "rest": (REST,)}.get(kind, (KIND,) if extra else ())

    # --- columns ---

    def _block(self, key: Key, width: int, default: float = 0.0) -> _Block:
        if key not in self._blocks:
            if self._width + width > MOST_COLUMNS:
                raise leaves.Refused(
                    f"must return outputs of at most {MOST_COLUMNS:,} numbers and fields; give a score that "
                    "sums them up"
                )
            self._blocks[key] = _Block(self._width, width, default)
            self._width += width
            if self._started and key[1] in ("value", "items") and width > 0:
                self._code(key, 0, self._number(ABSENT))
        return self._blocks[key]

    def _code(self, key: Key, column: int, default: int = 0) -> int:
        return self._codes.setdefault((key, column), (len(self._codes), default))[0]

    def _assembled(self, batch: _Batch) -> Encoded:
        missing = {
            key: np.ones(batch.size, dtype=bool)
            for key, block in self._blocks.items()
            if key[1] in ("value", "items") and block.width > 0
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
        return Encoded(values, codes)

    def _put(self, batch: _Batch, key: Key, rows: Rows, part: Floats, codes: Ints | None = None) -> None:
        """Numbers and their symbols in columns of a block."""
        block = self._block(key, part.shape[1])
        batch.values.append((key, rows, part[:, : block.width]))
        if codes is not None:
            for column in np.flatnonzero(codes.any(axis=0)).tolist():
                batch.codes.append((self._code(key, column), rows, codes[:, column]))

    # --- arrays ---

    def _array(self, batch: _Batch, path: str, rows: Rows, outputs: Raw) -> None:
        """Columns of an array whose first axis counts the outputs."""
        if outputs.dtype.names is not None:
            for name in outputs.dtype.names:
                self._array(batch, f"{path}.{name}", rows, outputs[name])
            return
        kind = outputs.dtype.kind
        if kind == "O":
            self._objects(batch, path, rows, list(outputs))
            return
        if kind not in "biufcmMUS":
            raise leaves.Refused(
                f"must return numbers, strings or records, not arrays of type {outputs.dtype}"
            )
        # What follows must be as `_objects` has it, to which an output goes among outputs of other kinds.
        sort = "ndarray" if outputs.ndim > 1 else leaves.sort(outputs.dtype.type())
        if sort:
            self._differing(batch, (path, "type"), rows, np.full(len(outputs), self._sort(sort)))
        if outputs.ndim > 1:
            self._shapes(batch, path, rows, [outputs.shape[1:]], len(outputs))
        if kind == "c":
            for name, part in leaves.parts_of_complex(outputs).items():
                self._array(batch, path + name, rows, part)
            return
        flat = outputs.reshape(len(outputs), -1)
        key = (path, "value" if outputs.ndim == 1 else "items")
        if outputs.ndim > 1:
            if key in self._blocks and self._blocks[key].width != flat.shape[1]:
                self._lists(batch, path, np.arange(batch.size)[rows], [list(row) for row in flat])
                return
            self._differing(batch, (path, "length"), rows, np.full(len(flat), flat.shape[1]))
        if kind in "US":
            self._strings(batch, key, rows, flat)
        else:
            self._numbers(batch, key, rows, flat)

    def _numbers(
        self, batch: _Batch, key: Key, rows: Rows, flat: Raw, absent: NDArray[np.bool_] | None = None
    ) -> None:
        """Columns of numbers (n, w), of which some may be 0 for what is `absent`."""
        # Outputs of other batches may be Python objects: what is seen of an output must be the same there.
        kind, codes = leaves.kind(flat.dtype.type()), None
        self._units.setdefault(key, leaves.unit(flat.dtype.type()))
        bad = (
            np.isnan(flat) if flat.dtype.kind == "f" else np.isnat(flat) if flat.dtype.kind in "mM" else None
        )
        flat, rest = leaves.microseconds(flat) if flat.dtype.kind in "mM" else (flat, None)
        values, extras = leaves.finite(flat), leaves.extras(flat, rest)
        if bad is not None and bad.any():
            values, codes = np.where(bad, 0.0, values), bad * self._number(self._not_a_number())
        if absent is not None:
            codes = np.where(absent, self._number(ABSENT), 0 if codes is None else codes)
        self._put(batch, key, rows, values, codes)
        if extras is not None:
            self._put(batch, (key[0], f"{key[1]} exactly"), rows, extras)
        # An array has one type because all of its outputs must: that alone is no difference between outputs.
        types = (key[0], f"{key[1]} kind")
        self._usual.setdefault(types, kind)
        if types in self._blocks:
            kinds = np.full(flat.shape, kind)
            for none in (bad, absent):
                kinds = kinds if none is None else np.where(none, -1, kinds)
            self._kinds(batch, key, rows, kinds)

    def _kinds(self, batch: _Batch, key: Key, rows: Rows, kinds: Ints) -> None:
        """Columns of the kinds of numbers, −1 for what is none."""
        if key[0] or self._typed():
            self._differing(batch, (key[0], f"{key[1]} kind"), rows, kinds)

    def _not_a_number(self) -> leaves.Word:
        if not self._nan:
            raise leaves.Refused('must not return NaN (use None for a failure symbol, or errors="symbol")')
        return leaves.NAN

    def _strings(self, batch: _Batch, key: Key, rows: Rows, flat: Raw) -> None:
        unique, inverse = np.unique(flat, return_inverse=True)
        words = unique.tolist() if flat.dtype.kind == "U" else [leaves.text(u) for u in unique]
        inverse = inverse.reshape(flat.shape)
        codes = np.array([self._number(w) for w in words], dtype=np.int64)[inverse]
        self._put(batch, key, rows, np.zeros(flat.shape), codes)
        self._structure(batch, key, rows, leaves.objects(words)[inverse])

    def _structure(self, batch: _Batch, key: Key, rows: Rows, texts: Raw) -> None:
        """Columns for what strings look like that hardly repeat; `texts` (n, w) are None for other things.

        The columns are there from the first batch on in which they are needed.
        """
        block = (key[0], f"{key[1]} text")
        words = [text for text in texts.ravel() if text is not None]
        if block not in self._blocks:
            seen, known = self._texts.get(key, (0, set[str]()))
            known.update(words)
            self._texts[key] = seen + len(words), known
            if len(known) < UNIQUE_FROM or 3 * len(known) <= seen + len(words):
                return
            # Later strings change nothing, or they would look different.
            self._extents[block] = leaves.extent(words)
            self._patterns[block] = sorted(_repeated(map(leaves.pattern, words), 2, MOST_PATTERNS))
        known = {pattern: 1.0 + number for number, pattern in enumerate(self._patterns[block])}
        extent = self._extents[block]
        places = {text: place for place, text in enumerate(dict.fromkeys(words), 1)}
        looks = leaves.structures([*places], known, *extent)
        looks = np.vstack([np.zeros(looks.shape[1]), looks])
        found = looks[[places.get(text, 0) for text in texts.ravel()]]
        self._put(batch, block, rows, found.reshape(len(texts), -1))

    def _number(self, symbol: Any) -> int:
        if len(self._symbols) >= MOST_SYMBOLS and symbol not in self._symbols:
            symbol = OTHER
        return self._symbols.setdefault(symbol, len(self._symbols) + 1)

    # --- Python objects ---

    def _mixed(self, batch: _Batch, key: Key, rows: Rows, flat: Raw) -> None:
        """Columns of Python objects each of which is a number or a symbol."""
        values, codes = np.zeros(flat.size), np.zeros(flat.size, dtype=np.int64)
        kinds = np.full(flat.size, -1)
        extras = np.zeros((flat.size, len(leaves.EXTRA_WORDS)))
        texts = np.full(flat.size, None, dtype=object)
        for item in {type(item): item for item in flat.ravel()}.values():
            self._units[key] = self._units.get(key) or leaves.unit(item)
        for place, item in enumerate(flat.ravel()):
            # Most items of short lists among long ones are absent.
            number = None if item is ABSENT else leaves.number(item)
            if number is None:
                symbol = leaves.symbol(item)
                codes[place] = self._number(symbol)
                if isinstance(symbol, str):
                    texts[place] = symbol
            elif number[0] != number[0]:
                codes[place] = self._number(self._not_a_number())
            else:
                values[place], extras[place] = number[0], number[1:]
                kinds[place] = leaves.kind(item)
        self._put(batch, key, rows, values.reshape(flat.shape), codes.reshape(flat.shape))
        further = (key[0], f"{key[1]} exactly")
        if further in self._blocks or extras.any():
            self._put(batch, further, rows, extras.reshape(len(flat), -1))
        self._kinds(batch, key, rows, kinds.reshape(flat.shape))
        self._structure(batch, key, rows, texts.reshape(flat.shape))

    def _objects(self, batch: _Batch, path: str, rows: Rows, items: list[Any], depth: int = 0) -> None:
        """Columns of outputs, or of parts of outputs, each of which is a Python object in so many others."""
        if depth > MOST_NESTED:
            raise leaves.Refused(NESTED)
        # The types of containers and texts; outputs of other kinds have the usual one there.
        sorts = {kind: leaves.sort(item) for kind, item in {type(item): item for item in items}.items()}
        numbers = {kind: self._sort(name) if name else -1 for kind, name in sorts.items()}
        frames = {kind for kind in sorts if leaves.labelled(kind)}
        types = [self._sort(leaves.sort(o)) if type(o) in frames else numbers[type(o)] for o in items]
        self._differing(batch, (path, "type"), rows, np.array(types))
        arrays = _same_arrays(items)
        if arrays is not None:
            self._array(batch, path, rows, arrays)
            return
        if sorts.keys() <= leaves.PLAIN:
            if items:
                self._singles(batch, path, np.arange(batch.size)[rows], items)
            return
        held = [leaves.container(item) for item in items]
        known = self._known_keys(path, items, held)
        orders = [_order(item, found, known) for item, found in zip(items, held, strict=True)]
        self._note_orders(path, orders)
        single: dict[int, Any] = {}
        lists: dict[int, list[Any]] = {}
        parts: dict[str, dict[int, Any]] = {}
        lengths: dict[int, int] = {}
        tables: dict[int, list[Any]] = {}
        shapes: dict[int, tuple[int, ...]] = {}
        numbered = np.arange(batch.size)[rows].tolist()
        keyed = {kind for kind in sorts if issubclass(kind, (Mapping, AbstractSet))}
        for row, item, found, order in zip(numbered, items, held, orders, strict=True):
            if found is None:
                single[row] = item
                continue
            if isinstance(item, np.ndarray):
                shapes[row] = cast(Raw, item).shape
            if not isinstance(found, Mapping):
                if all(leaves.container(part) is None for part in found):
                    lists[row] = found
                    continue
                lengths[row] = len(found)
                tables[row] = found
                found = {f"[{j}]": part for j, part in enumerate(found)}
            elif type(item) in keyed:
                lengths[row] = len(found)
                if not known.issuperset(found):
                    others = _others(cast(Any, item), found, known)
                    found = {name: part for name, part in found.items() if name in known}
                    found[" (others)"] = others
            if not found:
                # An empty record differs from a missing record.
                found = {" (whether it is empty)": "yes"}
            if path in self._reordered and order:
                found = {**found, " in the order of keys": leaves.Word(", ".join(order))}
            for name, part in found.items():
                parts.setdefault(name, {})[row] = part
        if single:
            self._singles(batch, path, _ints(single), [*single.values()])
        if lists:
            self._lists(batch, path, _ints(lists), [*lists.values()])
        self._shapes(batch, path, _ints(shapes), [*shapes.values()])
        self._tables(batch, path, _ints(tables), [*tables.values()])
        self._differing(batch, (path, "length"), _ints(lengths), _ints(lengths.values()))
        for name, some in parts.items():
            self._objects(batch, path + name, _ints(some), [*some.values()], depth + 1)

    def _singles(self, batch: _Batch, path: str, rows: Ints, items: list[Any]) -> None:
        """Columns of outputs, or of parts of outputs, that hold nothing else."""
        numbers = _numeric([items])
        if numbers is not None:
            self._numbers(batch, (path, "value"), rows, numbers.T)
        else:
            self._mixed(batch, (path, "value"), rows, leaves.objects(items)[:, None])

    def _sort(self, name: str) -> int:
        """The number of a type; it depends on the name alone, as there may be any number of them."""
        return self._sorts.setdefault(name, leaves.SORTS.get(name, zlib.crc32(name.encode()) % 10**6 + 10))

    def _shapes(
        self, batch: _Batch, path: str, rows: Rows, shapes: list[tuple[int, ...]], times: int = 1
    ) -> None:
        """Columns for how long the axes of arrays are, 0 for an axis that an array lacks; that of the
        first axis follows from the number of items. There are so many arrays of each shape."""
        for axis in range(1, MOST_AXES):
            found = _ints(shape[axis] if axis < len(shape) else 0 for shape in shapes)
            self._differing(batch, (path, f"axis {axis}"), rows, np.repeat(found, times))

    def _note_orders(self, path: str, orders: Iterable[tuple[str, ...]]) -> None:
        """Whether equal keys at this place have come in several orders by now."""
        known = self._orders.setdefault(path, {})
        if any(known.setdefault(frozenset(order), order) != order for order in orders):
            self._reordered.add(path)

    def _known_keys(self, path: str, items: list[Any], held: list[Any]) -> set[str]:
        """The keys of dictionaries and elements of sets at this place that have columns of their own: those
        that repeat in the first batch. Later outputs change nothing, or they would look different."""
        if path not in self._keys:
            pairs = zip(items, held, strict=True)
            known = [found for item, found in pairs if isinstance(item, (Mapping, AbstractSet))]
            if not known:
                return set()
            self._keys[path] = set(
                _repeated((name for found in known for name in found), min(2, len(known)), MOST_KEYS)
            )
        return self._keys[path]

    def _tables(self, batch: _Batch, path: str, rows: Ints, tables: list[list[Any]]) -> None:
        """Columns for how often lists of rows hold each of the rows that repeat in the first batch."""
        if not tables or not self._rows.get(path, True):
            return
        named = [Counter(filter(None, map(leaves.row, table))) for table in tables]
        if path not in self._rows:
            self._rows[path] = _repeated((name for names in named for name in names), 2, MOST_KEYS)
        known = self._rows[path]
        if known:
            found = np.array([[names[name] for name in known] for names in named], dtype=np.float64)
            self._put(batch, (path, "rows"), rows, found)

    def _lists(self, batch: _Batch, path: str, rows: Ints, lists: list[list[Any]]) -> None:
        """Lists of numbers and symbols: as many columns as the longest had at first, the rest as a symbol."""
        lengths = np.array([len(items) for items in lists])
        self._differing(batch, (path, "length"), rows, lengths)
        key = (path, "items")
        width = self._blocks[key].width if key in self._blocks else int(lengths.max(initial=0))
        if bool((lengths == width).all()) and (numbers := _numeric(lists)) is not None:
            self._numbers(batch, key, rows, numbers)
            return
        there = np.arange(width) < lengths[:, None]
        shown = [item for items in lists for item in items[:width]]
        numbers = _numeric([shown]) if shown else None
        if numbers is not None:
            found = np.zeros(there.shape, numbers.dtype)
            found[there] = numbers[0]
            self._numbers(batch, key, rows, found, ~there)
        else:
            padded = np.full(there.shape, ABSENT, dtype=object)
            padded[there] = leaves.objects(shown)
            self._mixed(batch, key, rows, padded)
        longer = np.flatnonzero(lengths > width)
        if len(longer):
            rest = leaves.objects([leaves.canonical(lists[i][width:]) for i in longer])[:, None]
            self._mixed(batch, (path, "rest"), rows[longer], rest)

    def _differing(self, batch: _Batch, key: Key, rows: Rows, found: Ints) -> None:
        """Columns of numbers ≥ 0, from the first number on that differs from those before it; −1 for none."""
        known = found[found >= 0]
        if len(known) == 0:
            return
        usual = self._usual.setdefault(key, int(known[0]))
        if key in self._blocks or bool((known != usual).any()):
            columns = np.where(found >= 0, found, usual).astype(np.float64).reshape(len(found), -1)
            self._block(key, columns.shape[1], default=float(usual))
            self._put(batch, key, rows, columns)


def _cut(text: str, most: int) -> str:
    """The text, or its beginning and its end: texts often begin alike and differ at their ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) + 1 :]}"


def _repeated(names: Iterable[str], least: int, most: int) -> list[str]:
    """The commonest names, `most` at most, of those that occur so often.

    Of names that occur equally often the first in the alphabet are taken: which of them came first must not
    decide, or the columns would depend on the order of the outputs.
    """
    counts = Counter(names)
    common = sorted(counts, key=lambda name: (-counts[name], name))[:most]
    return [name for name in common if counts[name] >= least]


def _order(item: Any, found: Any, known: set[str]) -> tuple[str, ...]:
    """The names of fields in their order, of dictionaries only those with columns of their own; none of other
    things."""
    if not isinstance(found, dict):
        return ()
    names = cast(Mapping[str, Any], found)
    if type(item) is dict:
        return tuple(name for name in names if name in known)
    if isinstance(item, (AbstractSet, complex, np.complexfloating, np.ndarray)):
        return ()
    return tuple(name for name in names if name in known) if isinstance(item, Mapping) else tuple(names)


def _others(
    item: Mapping[Any, Any] | AbstractSet[Any], fields: Mapping[str, Any], known: set[str]
) -> list[Any]:
    """Keys with their values, or elements of a set, that have no columns of their own, in order; `fields` are
    all of them by name."""
    if isinstance(item, Mapping):
        return [part for name in sorted(fields) if name not in known for part in (name, fields[name])]
    # Sets have only a partial order, so their order here must not depend on that in which they came.
    left = sorted((part for part in item if leaves.element(part) not in known), key=leaves.element)
    try:
        return sorted(left)
    except TypeError:
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


def _numeric(lists: list[list[Any]]) -> Raw | None:
    """Lists of equal length as an array, where NumPy keeps every number in them as it is."""
    kinds = {type(item) for items in lists for item in items}
    if len(kinds) != 1 or any(issubclass(kind, (enum.Enum, *leaves.TEXTS)) for kind in kinds):
        return None
    try:
        found = np.array(lists)
    except (ValueError, OverflowError):
        return None
    # Integers of which some need 64 bits and others a sign would become floats.
    kept = found.ndim == 2 and found.dtype.kind in "biuf"
    return found if kept and leaves.kind(found.dtype.type()) == leaves.kind(lists[0][0]) else None


def _layout(outputs: Raw) -> tuple[str, str]:
    """The kind of outputs, and the kind and its size in words."""
    if outputs.dtype.names is not None:
        return "records", f"records with fields {outputs.dtype.names}"
    kind = {"O": "Python objects", "S": "strings", "U": "strings"}.get(outputs.dtype.kind, "numbers")
    width = int(np.prod(outputs.shape[1:], dtype=np.int64))
    return kind, kind if width == 1 else f"vectors of {width} {kind}"
