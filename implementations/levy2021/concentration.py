"""What Algorithm 2 is told of the values that it averages (Definition 3), and how often it may fail."""

from __future__ import annotations

from dataclasses import dataclass

from implementations.checks import positive, probability, unit_interval


@dataclass(frozen=True, slots=True)
class Concentration:
    """The users' values lie within τ of one point, except with probability γ, and never beyond a bound.

    tau      radius, in Euclidean norm.
    bound    every coordinate lies in [−bound, bound].
    gamma    probability that the values are not concentrated; 0 where they always are.
    failure  the greatest probability of failure of one private mean that the caller accepts (β of
             Theorem 2); None accepts any.

    Raises ValueError for a tau or bound that is not positive, gamma outside [0, 1], failure outside (0, 1).
    """

    tau: float
    bound: float
    gamma: float = 0.0
    failure: float | None = None

    def __post_init__(self) -> None:
        positive(tau=self.tau, bound=self.bound)
        unit_interval(gamma=self.gamma)
        if self.failure is not None:
            probability(failure=self.failure)
