"""Programs refuse input outside their domain with a ValueError that names the argument.

What is not here is asked by the claims on the programs.
"""

from __future__ import annotations

import math
from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest

from implementations import controls, domains, hadamard, losses, noise, privacy
from implementations.asi2024 import clusters, norm_subgaussian
from implementations.asi2024.above_threshold import AboveThreshold, halting_law
from implementations.asi2024.concentration import concentration_score
from implementations.asi2024.outlier_removal import OutlierRemovingMean, Plan, corrected_plan
from implementations.controls.propose_test_release import distance_to_instability
from implementations.ghazi2023 import certificate, del_output_pert, hard_instances
from implementations.ghazi2023.feasible import Ball, project
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import constants_of
from implementations.levy2021.finite_class import learn_finite_class
from implementations.levy2021.first_order import strongly_convex_sgd
from implementations.levy2021.hard_instances import zero_one_users
from implementations.levy2021.users import SignPopulation
from implementations.levy2021.winsorized_mean_highd import winsorized_mean_highd
from implementations.privacy import PrivacyBudget
from implementations.song2021 import (
    clipped_surrogate,
    hard_instance,
    logistic_instance,
    minibatch_sgd,
    softmax_fields,
    stationary_point,
)

NAN, INF = math.nan, math.inf
RNG = np.random.default_rng(0)


def mean_of(users, value=0.0, **options):
    """Asks the outlier-removing mean of three users about `users` users at `value`."""
    plan = Plan(n=3, queries=1, tau=1.0, budget=1.0, threshold=-1e9, noise=1e-12)
    return OutlierRemovingMean(plan, 1, RNG, **options).answer(np.full((users, 1), value))


def winsorized(x=0.0, epsilon=1.0, delta=0.1, tau=1e-3, bound=10.0, gamma=0.1):
    promise = Concentration(tau, bound, gamma)
    return winsorized_mean_highd(np.full((3, 2), x), PrivacyBudget(epsilon, delta), promise, RNG)


TABLE = [
    # domains, losses, noise, transforms
    (domains.ball, (NAN,), "radius"),
    (domains.box, (np.array([1.0]), np.array([0.0])), "exceed"),
    (domains.box, (np.array([1.0]), np.array([2.0, 3.0])), "shape"),
    *(
        (make, (bad,), str(bad))
        for make in (losses.pinball, losses.hinge, losses.huber, losses.pseudo_huber)
        for bad in (0.0, -1.0, NAN, INF)
    ),
    (losses.pinball, (1.5,), "shallow"),
    (partial(noise.spherical_gamma, coordinates=4), ((1,), 3, 1.0, RNG), "coordinates"),
    (noise.spherical_gamma, ((1,), 3, NAN, RNG), "scale"),
    (hadamard.hadamard_transform, (np.zeros(6),), "power of two, got 6; pad to 8"),
    (hadamard.next_power_of_two, (0,), "d must be a whole number ≥ 1, got 0"),
    # privacy
    (privacy.gaussian_delta, (1.0, -1.0), "mu must be ≥ 0, got -1.0"),
    (privacy.mu_star, (-1.0, 0.1), "epsilon must be ≥ 0, got -1.0"),
    (privacy.mu_star, (1.0, 1.5), r"delta must be in \[0, 1\]"),
    (privacy.gaussian_epsilon, (-0.1, 1.0), r"delta must be in \[0, 1\]"),
    (privacy.group_privacy, (1.0, 0.1, 0), "size must be a whole number ≥ 1, got 0"),
    (privacy.group_privacy, (-1.0, 0.1, 1), "epsilon must be one number ≥ 0, got -1.0"),
    (privacy.amplified_epsilon, (1.0, 0.0), r"q must be one number in \(0, 1\], got 0.0"),
    (privacy.amplified_epsilon, (-1.0, 0.5), "epsilon must be one number ≥ 0, got -1.0"),
    (privacy.composition_delta, (1.0, 0.1, 1.5, 3), r"step_delta must be one number in \[0, 1\], got 1.5"),
    (privacy.composition_delta, (1.0, 0.0, 0.1, 3), "step_epsilon must be one number > 0, got 0.0"),
    (privacy.composition_delta, (1.0, 0.1, 0.1, 2.5), "steps must be a whole number ≥ 1, got 2.5"),
    (privacy.composition_delta, (NAN, 0.1, 0.1, 2), "epsilon must be finite, got nan"),
    (privacy.largest_step_epsilon, (1.0, 0.1, 2, 0.1), "step_delta must be below"),
    (privacy.largest_step_epsilon, (INF, 0.1, 2), "epsilon must be one number > 0, got inf"),
    # controls
    (distance_to_instability, ((0, 1, 2, 3), 1.0), "odd number of records, got 4"),
    (controls.pure_epsilon, (controls.laplace_control().law, controls.laplace_control().pair), "finite"),
    # asi2024
    (AboveThreshold, (0.0, 1.0, 1, RNG), "epsilon must be one number > 0"),
    (AboveThreshold(1.0, 1.0, 1, RNG).answer, (NAN,), "scores must be finite"),
    (halting_law, ([], 0.0, 1.0), "scores must be a list"),
    (concentration_score, (np.zeros((3, 1)), 1.0, [1.0, 0.5, 1.0]), "weights must be 3 numbers"),
    (partial(mean_of, instance="two"), (3,), "instance must be one of"),
    (mean_of, (4,), "must hold 3 users"),
    (mean_of, (3, INF), "values must be finite"),
    (corrected_plan, (100, 1, 1.0, 1e-6, 1.0), "n must be at least"),
    (clusters.fixed_mean, (clusters.as_clusters([[0.0], [9.0]], [11, 9]), 1.0), "for sure"),
    (norm_subgaussian.variance_proxy, ([0.0],), "rates must be positive"),
    # ghazi2023
    (certificate.lemma_factor, (5, 4), "somebody remains"),
    (del_output_pert.parameters, (NAN, 0.1, 1.0), "epsilon"),
    (project, (np.zeros((1, 2)), [Ball(np.zeros(2), 1.0)] * 4), "one to three balls, got 4"),
    (hard_instances.name_and_shame, (np.zeros((14, 3)), 0.05, 1, RNG), "delta must be at least"),
    # levy2021
    (partial(winsorized, epsilon=0.0), (), "epsilon must be one number > 0, got 0"),
    (partial(winsorized, epsilon=NAN), (), "epsilon must be one number > 0, got"),
    (partial(winsorized, delta=0.0), (), r"delta must be one number in \(0, 1\), got 0"),
    (partial(winsorized, delta=1.0), (), "delta must be below 1, got 1"),
    (partial(winsorized, tau=-1.0), (), "tau must be one number > 0"),
    (partial(winsorized, bound=INF), (), "bound must be one number > 0"),
    (partial(winsorized, bound=2.0**70), (), "bound/tau must be at most"),
    (partial(winsorized, gamma=0.0), (), r"gamma must be one number in \(0, 1\)"),
    (winsorized, (NAN,), "x must lie in"),
    (constants_of, ("best",), "constants must be one of"),
    (strongly_convex_sgd, (lambda t: t, 1.0, 2.0, 10), "strong_convexity must be at most smoothness"),
    (learn_finite_class, (np.zeros((9, 3)), 1.0, Concentration(0.02, 1.0), 0.0, 1, RNG), "stop must be"),
    (zero_one_users, (3, 4), "ones must be between 0 and n = 3, got 4"),
    (SignPopulation, (1.0, (1.5,)), r"up must be in \[0, 1\], got 1\.5"),
    (SignPopulation, (1.0, (0.5,), 2.0), "heterogeneity must be one number in"),
    # song2021
    (clipped_surrogate.PiecewiseLinear, ((F(0),), (F(1), F(1))), "slopes"),
    (clipped_surrogate.clip_levels, (clipped_surrogate.PiecewiseLinear((), (F(1),)), F(0)), "bound"),
    (clipped_surrogate.clip, (np.ones((2, 2)), NAN), "bound"),
    *(
        (of_norm, (bad,), "clipping norm")
        for of_norm in (
            logistic_instance.clipped_optimum,
            logistic_instance.lower_kink,
            logistic_instance.upper_kink,
            partial(logistic_instance.clipped_risk, np.zeros(1)),
            partial(logistic_instance.clipped_gradient, np.zeros(1)),
        )
        for bad in (0.25, 0.3, 0.0, NAN)
    ),
    (hard_instance.draw_sample, (np.array([[0.5]]), 1.5, 3, RNG), "alpha"),
    (hard_instance.draw_sample, (np.array([[NAN]]), 0.5, 3, RNG), "p must"),
    (hard_instance.draw_sample, (np.array([[0.5]]), 0.5, 0, RNG), "n must"),
    (hard_instance.size_limit, (1, 5.0, 1.0), "needs d"),
    (minibatch_sgd.Model, ("gamma", 9, NAN), "learning_rate must be one number > 0, got nan"),
    (softmax_fields.coefficients, ([F(1), F(0)],), "positive"),
    (softmax_fields.clipped_curl, ([F(1), F(1), F(1)], F(5), 0, 1), "Θ"),
    (
        partial(stationary_point.selection_scale, epsilon=1.0, n=5, lipschitz=1.0, scale="guess"),
        (),
        "scale",
    ),
]


@pytest.mark.parametrize(("call", "arguments", "words"), TABLE, ids=map(str, range(len(TABLE))))
def test_bad_input_is_named(call, arguments, words):
    with pytest.raises(ValueError, match=words):
        call(*arguments)
