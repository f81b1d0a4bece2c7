"""The claim as a test: all audits of a session share its error budget, --dp-alpha."""

from mechanism import mechanism, pairs


def test_the_mean_is_private(assert_private):
    assert_private(mechanism, pairs, epsilon=1.0, adjacency="replace", max_samples=50_000)
