"""Transformations and measurements of OpenDP by their constructors; `FAULTS` are numbers of its issues."""

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")

FAULTS = {
    "metric_bounded_ordered": 2926,
    "resize_ordered": 2927,
    "squared_deviations_large": 2923,
    "b_ary_tree": 2925,
    "b_ary_tree_l2": 2924,
    "collapsed_groups": 2949,
    "pairwise_predict": 2950,
}
V, A = dp.vector_domain, dp.atom_domain
sym, ids, one, ham = (
    dp.symmetric_distance(), dp.insert_delete_distance(), dp.change_one_distance(), dp.hamming_distance(),
)  # fmt: skip
whole, small, real, unit = (
    A(T=int),
    A(bounds=(0, 10)),
    A(T=float, nan=False),
    A(bounds=(0.0, 10.0), nan=False),
)
words, flags = A(T=str), A(T=bool)


def metric_bounded_ordered():
    return dp.t.make_metric_bounded(V(whole, size=3), ids)


def resize_ordered():
    return dp.t.make_resize(V(whole), ids, size=3, constant=0, MO="InsertDeleteDistance")


def squared_deviations_large():
    large = A(bounds=(2.0**50, 2.0**50 + 1.0), nan=False)
    return dp.t.make_sum_of_squared_deviations(V(large, size=1024), sym)


def b_ary_tree():
    return dp.t.make_b_ary_tree(V(whole, size=6), dp.l1_distance(T="i32"), leaf_count=6, branching_factor=2)


def b_ary_tree_l2():
    return dp.t.make_b_ary_tree(V(whole, size=4), dp.l2_distance(T="i32"), leaf_count=4, branching_factor=4)


def collapsed_groups():
    import polars as pl

    series = [dp.series_domain(name, A(T="i64")) for name in ("id", "g")]
    counts = (
        pl.LazyFrame(schema={"id": pl.Int64, "g": pl.Int64})
        .filter(pl.int_range(pl.len()).over("id", "g") < 1)
        .filter(pl.struct("g").rank("dense").over("id") < 101)
        .with_columns(g=pl.lit(0, dtype=pl.Int64))
        .group_by("g")
        .agg(dp.len(scale=1.0))
    )
    return dp.m.make_private_lazyframe(
        dp.lazyframe_domain(series),
        dp.symmetric_id_distance(pl.col("id")),
        dp.zero_concentrated_divergence(),
        pl.LazyFrame({"g": [0]}).join(counts, on="g", how="left"),
    )


def pairwise_predict():
    import numpy as np
    from opendp.extras.sklearn.linear_model._make_private_theil_sen import make_pairwise_predict

    return make_pairwise_predict(np.array([25.0, 75.0]), runs=1)


SOUND = {
    "metric_bounded": lambda: dp.t.make_metric_bounded(V(whole, size=3), sym),
    "metric_unbounded": lambda: dp.t.make_metric_unbounded(V(whole, size=3), one),
    "metric_unbounded_ordered": lambda: dp.t.make_metric_unbounded(V(whole, size=3), ham),
    "ordered_random": lambda: dp.t.make_ordered_random(V(whole), sym),
    "unordered": lambda: dp.t.make_unordered(V(whole), ids),
    "identity": lambda: dp.t.make_identity(V(whole), sym),
    "resize": lambda: dp.t.make_resize(V(whole), sym, size=3, constant=0, MO="SymmetricDistance"),
    "clamp": lambda: dp.t.make_clamp(V(whole), sym, (0, 3)),
    "clamp_float": lambda: dp.t.make_clamp(V(real), sym, (0.0, 3.0)),
    "cast": lambda: dp.t.make_cast(V(words), sym, TOA="i32"),
    "cast_default": lambda: dp.t.make_cast_default(V(words), sym, TOA="f64"),
    "cast_inherent": lambda: dp.t.make_cast_inherent(V(whole), sym, TOA="f64"),
    "is_equal": lambda: dp.t.make_is_equal(V(whole), sym, 1),
    "is_null": lambda: dp.t.make_cast(V(words), sym, TOA="i32") >> dp.t.then_is_null(),
    "impute_constant": lambda: dp.t.make_cast(V(words), sym, TOA="i32") >> dp.t.then_impute_constant(0),
    "impute_uniform": lambda: dp.t.make_impute_uniform_float(V(A(T=float)), sym, bounds=(0.0, 1.0)),
    "drop_null": lambda: dp.t.make_cast(V(words), sym, TOA="i32") >> dp.t.then_drop_null(),
    "find": lambda: dp.t.make_find(V(words), sym, ["a", "b"]),
    "find_bin": lambda: dp.t.make_find_bin(V(whole), sym, [0, 3, 8]),
    "index": lambda: dp.t.make_index(V(A(T="usize")), sym, ["a", "b"], "?"),
    "count": lambda: dp.t.make_count(V(whole), sym),
    "count_float": lambda: dp.t.make_count(V(whole), sym, TO="f64"),
    "count_distinct": lambda: dp.t.make_count_distinct(V(whole), sym),
    "count_by": lambda: dp.t.make_count_by(V(words), sym),
    "count_by_categories": lambda: dp.t.make_count_by_categories(V(words), sym, ["a", "b"]),
    "count_by_categories_l2": lambda: dp.t.make_count_by_categories(
        V(words), sym, ["a", "b"], MO=dp.L2Distance["i32"]
    ),
    "sum": lambda: dp.t.make_sum(V(small), sym),
    "sum_sized": lambda: dp.t.make_sum(V(small, size=5), sym),
    "sum_ordered": lambda: dp.t.make_sum(V(small), ids),
    "sum_negative": lambda: dp.t.make_sum(V(A(bounds=(-5, 3))), sym),
    "sum_extreme": lambda: dp.t.make_sum(V(A(bounds=(0, 2**31 - 1))), sym),
    "sum_float": lambda: dp.t.make_sum(V(unit, size=10), sym),
    "sum_float_ordered": lambda: dp.t.make_sized_bounded_float_ordered_sum(10, (0.0, 10.0)),
    "sum_float_unsized": lambda: dp.t.make_bounded_float_checked_sum(10, (0.0, 10.0)),
    "sum_int_ordered": lambda: dp.t.make_bounded_int_ordered_sum((-3, 8)),
    "sum_int_split": lambda: dp.t.make_bounded_int_split_sum((-3, 8)),
    "sum_int_monotonic": lambda: dp.t.make_bounded_int_monotonic_sum((0, 8)),
    "sum_int_sized_split": lambda: dp.t.make_sized_bounded_int_split_sum(5, (-3, 8)),
    "sum_int_sized_ordered": lambda: dp.t.make_sized_bounded_int_ordered_sum(5, (-3, 8)),
    "mean": lambda: dp.t.make_mean(V(unit, size=10), sym),
    "variance": lambda: dp.t.make_variance(V(unit, size=10), sym),
    "quantile_scores": lambda: dp.t.make_quantile_score_candidates(
        V(whole), sym, candidates=[1, 3, 5], alpha=0.5
    ),
    "quantile_scores_sized": lambda: dp.t.make_quantile_score_candidates(
        V(whole, size=5), sym, candidates=[1, 3, 5], alpha=0.25
    ),
    "lipschitz": lambda: dp.t.make_lipschitz_float_mul(
        A(bounds=(-10.0, 10.0), nan=False), dp.absolute_distance(T=float), 0.1, (-10.0, 10.0)
    ),
    "clamped_sum": lambda: dp.t.make_clamp(V(whole), sym, (0, 3)) >> dp.t.then_sum(),
    "cast_clamped_sum": lambda: (
        dp.t.make_cast_default(V(words), sym, TOA="i32") >> dp.t.then_clamp((0, 3)) >> dp.t.then_sum()
    ),
    "resized_mean": lambda: (
        dp.t.make_clamp(V(real), sym, (0.0, 5.0))
        >> dp.t.then_resize(size=4, constant=1.0)
        >> dp.t.then_mean()
    ),
    "np_clamp": lambda: dp.numpy.make_np_clamp(dp.numpy.array2_domain(T=float, num_columns=2), sym, 1.0, 2),
    "np_sum": lambda: __import__("opendp.extras.numpy._make_np_sum", fromlist=["_"]).make_np_sum(
        dp.numpy.array2_domain(T=float, num_columns=2, norm=1.0, p=2, nan=False), sym
    ),
    "np_count": lambda: __import__("opendp.extras.numpy._make_np_count", fromlist=["_"]).make_np_count(
        dp.numpy.array2_domain(T=float, num_columns=2), sym
    ),
    "laplace": lambda: dp.m.make_laplace(whole, dp.absolute_distance(T=int), 1.0),
    "laplace_float": lambda: dp.m.make_laplace(real, dp.absolute_distance(T=float), 1.0),
    "laplace_vector": lambda: dp.m.make_laplace(V(whole, size=2), dp.l1_distance(T=int), 1.0),
    "gaussian": lambda: dp.m.make_gaussian(whole, dp.absolute_distance(T=int), 1.0),
    "gaussian_float": lambda: dp.m.make_gaussian(V(real, size=2), dp.l2_distance(T=float), 1.0),
    "geometric": lambda: dp.m.make_geometric(whole, dp.absolute_distance(T=int), 1.0, (0, 20)),
    "response_bool": lambda: dp.m.make_randomized_response_bool(0.75),
    "response": lambda: dp.m.make_randomized_response(["a", "b", "c"], 0.6),
    "noisy_max": lambda: dp.m.make_noisy_max(V(whole), dp.linf_distance(T=int), dp.max_divergence(), 1.0),
    "count_laplace": lambda: dp.t.make_count(V(whole), sym) >> dp.m.then_laplace(1.0),
    "sum_laplace": lambda: dp.t.make_sum(V(small), sym) >> dp.m.then_laplace(10.0),
    "threshold": lambda: (
        dp.t.make_count_by(V(words), sym) >> dp.m.then_laplace_threshold(scale=1.0, threshold=8)
    ),
}
globals().update(SOUND)
