"""Every public draw of the libraries that are watched: its law, and the role of each of its arguments.

A line is the name of a draw, its law, and its arguments in their order, as `argument=parameter:default`:
the parameter has the name that NumPy gives it, "loc" for what the noise is added to, and the argument where
nothing else is said. "-" is an argument that is no parameter. A draw that is in no table is LOST.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np


class Role(NamedTuple):
    """An argument of a draw: its name, the parameter of the law that it is, and its value where it is not
    given."""

    argument: str
    parameter: str
    default: Optional[float]


class Drawn(NamedTuple):
    """A law, and the roles of the arguments of a draw."""

    law: str
    roles: Tuple[Role, ...]

    def parameters(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Dict[str, Any]:
        """The parameters of a call by their names, those of the standard law where nothing is given."""
        given = {role.argument: value for role, value in zip(self.roles, args)}
        given.update(kwargs)
        found: Dict[str, Any] = dict(STANDARD.get(self.law, {}))
        for argument, parameter, default in self.roles:
            value = given.get(argument, default)
            if argument != "-" and (value is not None or parameter not in found):
                found[parameter] = value
        if self.law == "exponential" and "rate" in found:
            rate = found.pop("rate")
            found["scale"] = 1.0 if rate is None else 1.0 / np.asarray(rate)[()]
        return found


STANDARD: Dict[str, Dict[str, float]] = {
    "normal": {"loc": 0.0, "scale": 1.0},
    "laplace": {"loc": 0.0, "scale": 1.0},
    "gumbel": {"loc": 0.0, "scale": 1.0},
    "logistic": {"loc": 0.0, "scale": 1.0},
    "uniform": {"low": 0.0, "high": 1.0},
    "exponential": {"scale": 1.0},
    "gamma": {"scale": 1.0},
    "rayleigh": {"scale": 1.0},
    "lognormal": {"mean": 0.0, "sigma": 1.0},
    "cauchy": {"loc": 0.0, "scale": 1.0},
}
"""Parameters of laws where none are given."""


def _table(text: str) -> Dict[str, Drawn]:
    found: Dict[str, Drawn] = {}
    for line in text.strip().splitlines():
        name, law, *words = line.split()
        roles = []
        for word in words:
            word, _, default = word.partition(":")
            argument, _, parameter = word.partition("=")
            roles.append(Role(argument, parameter or argument, float(default) if default else None))
        found[name] = Drawn(law, tuple(roles))
    return found


NUMPY = _table("""
    normal               normal               loc scale
    standard_normal      normal
    randn                normal
    laplace              laplace              loc scale
    gumbel               gumbel               loc scale
    logistic             logistic             loc scale
    multivariate_normal  multivariate_normal  mean=loc cov
    vonmises             vonmises             mu=loc kappa
    uniform              uniform              low high
    random               uniform
    random_sample        uniform
    rand                 uniform
    exponential          exponential          scale
    standard_exponential exponential
    gamma                gamma                shape scale
    standard_gamma       gamma                shape
    standard_cauchy      standard_cauchy
    standard_t           standard_t           df
    beta                 beta                 a b
    chisquare            chisquare            df
    noncentral_chisquare noncentral_chisquare df nonc
    f                    f                    dfnum dfden
    noncentral_f         noncentral_f         dfnum dfden nonc
    binomial             binomial             n p
    negative_binomial    negative_binomial    n p
    geometric            geometric            p
    hypergeometric       hypergeometric       ngood nbad nsample
    poisson              poisson              lam
    logseries            logseries            p
    zipf                 zipf                 a
    lognormal            lognormal            mean sigma
    pareto               pareto               a
    power                power                a
    rayleigh             rayleigh             scale
    weibull              weibull              a
    triangular           triangular           left mode right
    wald                 wald                 mean scale
    dirichlet            dirichlet            alpha
    multinomial          multinomial          n pvals
""")
"""Methods of both generators of NumPy, and functions of `numpy.random`."""
PYTHON = _table("""
    random          uniform
    uniform         uniform         a=low b=high
    gauss           normal          mu=loc sigma=scale
    normalvariate   normal          mu=loc sigma=scale
    expovariate     exponential     lambd=rate
    betavariate     beta            alpha=a beta=b
    gammavariate    gamma           alpha=shape beta=scale
    lognormvariate  lognormal       mu=mean sigma
    vonmisesvariate vonmises        mu=loc kappa
    paretovariate   paretovariate   alpha=a
    weibullvariate  weibullvariate  alpha=scale beta=a
    triangular      triangular      low=left:0 high=right:1 mode
""")
"""Functions of `random`, and methods of its classes."""
TORCH = _table("""
    randn           normal
    randn_like      normal
    rand            uniform
    rand_like       uniform
    normal          normal      mean=loc std=scale
    bernoulli       binomial    input=p
    binomial        binomial    count=n prob=p
    poisson         poisson     input=lam
    _standard_gamma gamma       input=shape
    multinomial     choice      input=p - replacement=replace:0
    randint         integers    low:0 high
    randint_like    integers    - low high
    randperm        permutation n=x
""")
"""Functions of `torch`; the last four draw places."""
TENSOR = _table("""
    normal_      normal      mean=loc std=scale
    uniform_     uniform     from=low to=high
    exponential_ exponential lambd=rate
    cauchy_      cauchy      median=loc sigma=scale
    log_normal_  lognormal   mean:1 std=sigma:2
    geometric_   geometric   p
    bernoulli_   binomial    p:0.5
    random_      integers    from=low:0 to=high
""")
"""Methods of tensors that fill them."""
SCIPY = {
    "norm": "normal",
    "laplace": "laplace",
    "uniform": "uniform",
    "expon": "exponential",
    "gumbel_r": "gumbel",
    "logistic": "logistic",
    "cauchy": "cauchy",
}
"""Distributions of SciPy with a location and a scale that NumPy has, too; others are called "scipy." and
their name, and all their parameters are compared."""
PLACES = {
    "numpy": ("integers", "randint", "choice", "permutation", "shuffle"),
    "random": ("randint", "randrange", "choice", "choices", "sample", "getrandbits", "randbytes", "shuffle"),
    "secrets": ("choice", "randbelow", "randbits", "token_bytes", "token_hex", "token_urlsafe"),
}
"""Draws that are used as they are: places, orders, bytes; `sources` knows what each is given."""
RAW = ("bytes", "tomaxint")
"""Draws of NumPy of bits without a parameter but their number."""
NO_DRAWS = {
    "numpy": ("bit_generator", "spawn", "get_state", "seed", "get_bit_generator", "set_bit_generator"),
    "random": ("seed", "getstate"),
    "jax": (
        *("PRNGKey", "key", "split", "fold_in", "clone", "key_data", "wrap_key_data", "key_impl"),
        *("default_prng_impl", "KeyArray", "PRNGKeyArray", "random_gamma_p"),
    ),
}
"""Public names that draw nothing; those that start a generator note its seed."""
LOST = {
    "numpy": ("multivariate_hypergeometric", "permuted", "random_integers", "set_state"),
    "random": ("binomialvariate", "setstate"),
    "torch": (
        *("dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout", "feature_dropout_"),
        *("feature_alpha_dropout", "feature_alpha_dropout_", "native_dropout", "rrelu", "rrelu_"),
        *("_sample_dirichlet", "_fused_dropout", "set_rng_state"),
    ),
}
"""Draws that are not followed, and what makes a generator draw again what it drew before."""
