"""The planted bugs of song2021 that are functions, not a changed text of the reference."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.interfaces import Array, Problem
from implementations.song2021 import (
    clipped_surrogate,
    dp_gd,
    minibatch_sgd,
    softmax_fields,
    stationary_point,
)
from implementations.song2021.hard_instance import Sample, signed

_clip_levels_reference = clipped_surrogate.clip_levels
_draw_noise_reference = minibatch_sgd.draw_noise
_noise_scale_reference = dp_gd.noise_scale
_selection_scale_reference = stationary_point.selection_scale
_stationary_point_reference = stationary_point.stationary_point


def half_noise(**parameters: Any) -> float:
    """The reference for a sensitivity of L/n."""
    return 0.5 * _noise_scale_reference(**parameters)


def less_noise(**parameters: Any) -> float:
    """The reference times 0.85."""
    return 0.85 * _noise_scale_reference(**parameters)


def slow_rate(*, radius: float, lipschitz: float, rank: int, noise: float, steps: int) -> float:
    """The reference with √T left out under the outer root: T^(1/4)."""
    return radius / math.sqrt(math.sqrt(steps) * (lipschitz**2 + rank * noise**2))


def steps_not_rooted(**parameters: Any) -> float:
    """The reference times √T."""
    return math.sqrt(parameters["steps"]) * _noise_scale_reference(**parameters)


def clipped_gradient(problem: Problem, bound: float) -> dp_gd.Gradient:
    """clip((1/n)·Σ gradients): bounded, but one record can still move it by more than 2B/n."""
    gradient = dp_gd.glm_gradient(problem)
    return lambda theta: clipped_surrogate.clip(gradient(theta), bound)


def clip_levels(
    f: clipped_surrogate.PiecewiseLinear, bound: Fraction
) -> tuple[clipped_surrogate.Level, clipped_surrogate.Level]:
    """The reference, with the infimum for the supremum in y₁."""
    y1, y2 = _clip_levels_reference(f, bound)
    return (f.breaks[0] if isinstance(y1, Fraction) else y1), y2


def laplace_signs(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """The signs of s + Laplace(2ε)."""
    return (signed(sample) + rng.laplace(0.0, 2.0 * epsilon, sample.zeros.shape) > 0.0).astype(float)


def draw_noise(models: list[minibatch_sgd.Model], coordinates: int, rng: np.random.Generator) -> Array:
    """The reference with the Gaussian noise multiplied by √d."""
    noise = _draw_noise_reference(models, coordinates, rng)
    scale = [math.sqrt(m.dimension) if m.noise == "gaussian" else 1.0 for m in models]
    return noise * np.array(scale)[:, None]


def clipped_curl(point: softmax_fields.Point, b: Fraction, j: int, k: int) -> softmax_fields.Curl:
    """b·(∂N_j/∂z_k − ∂N_k/∂z_j)/√D with N = (−S, E₂, …, E_K): the derivative of 1/√D is left out."""
    total = sum(point[1:], Fraction(0))

    def slope(a: int, c: int) -> Fraction:
        if c == 0:
            return Fraction(0)
        return -point[c] if a == 0 else point[c] if a == c else Fraction(0)

    return softmax_fields.Curl(slope(j, k) - slope(k, j), float(b) / float(total))


def first_iterate(
    gradient: stationary_point.Gradient, start: Array, rng: np.random.Generator, **parameters: Any
) -> stationary_point.Selected:
    """The reference, with the first candidate reported whatever the others are."""
    found = _stationary_point_reference(gradient, start, rng, **parameters)
    norm = np.linalg.norm(gradient(np.asarray(start, dtype=float)), axis=-1)
    return replace(found, theta=np.array(start), index=np.zeros_like(found.index), norm=norm)


def monotone_selection(**parameters: Any) -> float:
    """Sensitivity over ε, without the factor 2 that scores need which may rise and fall together."""
    scale = _selection_scale_reference(**parameters)
    return 0.5 * scale if parameters["scale"] == "corrected" else scale
