"""One walk over Python values: what is told apart, and that all who look at values agree on it."""

from __future__ import annotations

import copy
import datetime
import enum
import itertools
import json
import math
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audits import values
from audits.privacy.outputs.encoder import Encoder
from audits.trace.record.values import flat, unlike_places


class Colour(enum.Enum):
    RED = 1


# --- Which values are equal -------------------------------------------------------------------------------

LEAVES = [
    *(None, True, False, "", "1", "True", "None", "a", "nan", ", ", "Ellipsis", b"", b"1", b"a"),
    *(
        -1,
        0,
        1,
        2,
        3,
        2**53 + 1,
        10**20,
        -(2**70),
        10**4000,
        0.0,
        1.0,
        0.1,
        math.nan,
        math.inf,
        np.float32(1),
    ),
    *(Decimal(1), Decimal("0.1"), Decimal(10**20), Decimal(10**20 + 1)),
    *(Fraction(1), Fraction(1, 3), Fraction(10**20), Fraction(10**20 + 1)),
    *(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), datetime.timedelta(1), "2020-01-01"),
    *(str(uuid.UUID(int=1)), "Colour.RED", "RED", 1 + 0j),
]
EVERY = [*LEAVES, ..., uuid.UUID(int=1), Colour.RED]
"""No two are equal as outputs; the last three are not sent to another Python."""
ATOMS = st.sampled_from(LEAVES)
HASHABLE = st.one_of(ATOMS, st.tuples(ATOMS), st.tuples(ATOMS, ATOMS))
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=3),
        st.sets(HASHABLE, max_size=3),
        arrays(np.int64, (2,), elements=st.integers(0, 2)),
        arrays(np.float64, st.sampled_from([(2,), (1, 2), (2, 1)]), elements=st.sampled_from([0.0, 1.0])),
    ),
    max_leaves=5,
)


def again(value):
    """An equal value that shares nothing with it; floats and integers as NumPy has them."""
    if type(value) in (list, tuple):
        return type(value)(map(again, value))
    if type(value) is dict:
        return {again(key): again(item) for key, item in value.items()}
    if type(value) is set:
        return {again(item) for item in reversed([*value])}
    return {float: np.float64}.get(type(value), copy.deepcopy)(value)


def test_every_two_leaves_are_told_apart():
    batch = np.fromiter(EVERY, dtype=object, count=len(EVERY))
    rows = Encoder(nan=True).encode(batch, "here")
    told = [values.text(leaf) for leaf in EVERY]
    for i, j in itertools.combinations(range(len(EVERY)), 2):
        one, other = EVERY[i], EVERY[j]
        assert told[i] != told[j]
        assert values.digest(one) != values.digest(other), (one, other)
        assert unlike_places(flat(one), flat(other), 0.0), (one, other)
        if double(one) != double(other):
            assert any((part[i] != part[j]).any() for part in (rows.values, rows.codes)), (one, other)


def test_columns_of_a_table_are_told_apart():
    one, other = {1: [2.0], "1": [0.0]}, {1: [1.0], "1": [0.0]}
    assert unlike_places(flat(pd.DataFrame(one)), flat(pd.DataFrame(other)), 0.0)


def double(leaf):
    """A leaf as the black box reads it: numbers are doubles, infinite where they are too large for one."""
    if not isinstance(leaf, (int, float, Decimal, Fraction)):
        return leaf
    return float(leaf) if not abs(leaf) > 1e300 else math.copysign(math.inf, leaf > 0 or -1)


def users(value):
    """What each of those who look at values makes of one; equal for equal values."""
    blocks = []
    tree = values.encode(value, blocks)
    return {
        "text": values.text(value),
        "digest": values.digest(value),
        "copy": values.text(values.copier(value)(value)),
        "encoding": values.text(values.decode(json.loads(json.dumps(tree)), blocks)),
    }


@settings(max_examples=150, derandomize=True, database=None)
@given(VALUES, VALUES)
def test_all_users_agree_on_which_values_are_equal(one, other):
    assert users(one) == users(again(one))
    assert values.key(one) == values.key(again(one))
    equal = {name: found == users(other)[name] for name, found in users(one).items()}
    assert len({*equal.values()}) == 1, equal
    both = np.fromiter([one, other], dtype=object, count=2)
    rows = Encoder(nan=True).encode(both, "here")
    alike = np.array_equal(rows.values[0], rows.values[1]) and np.array_equal(rows.codes[0], rows.codes[1])
    assert alike == equal["text"]
    assert (not unlike_places(flat(one), flat(other), 0.0)) == equal["text"]
    # Outputs are told apart where records are, and 1 is told from True and 1.0 besides.
    assert values.key(one) == values.key(other) or not equal["text"]
