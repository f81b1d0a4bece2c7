"""A sum that states how far one record moves it: try `dpclaims map examples/clipped_sum.py:total`."""

from hypothesis import strategies as st


def total(records):
    """The slip: records are to be clipped to [0, 1], and are not."""
    return sum(records)


total.domain, total.stability = st.lists(st.floats(-5.0, 5.0)), 1
total.metric, total.output = "symmetric", "absolute"
