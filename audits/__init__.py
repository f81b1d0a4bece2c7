"""Instruments: they measure privacy, rates, bounds and lower bounds, and know no paper.

SciPy and statsmodels take most of a second: each name is loaded from where it stands when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from implementations.lazy import lazy

__distribution__ = "dpclaims"

if TYPE_CHECKING:
    from audits.assertions import PrivacyAssertions as PrivacyAssertions
    from audits.assertions import assert_law as assert_law
    from audits.assertions import assert_ledger as assert_ledger
    from audits.assertions import assert_map as assert_map
    from audits.assertions import assert_private as assert_private
    from audits.assertions import assert_rate as assert_rate
    from audits.bridge import remote as remote
    from audits.canaries import audit_canaries as audit_canaries
    from audits.conformity import check_law as check_law
    from audits.divergence import hockey_stick as hockey_stick
    from audits.evidence import Evidence as Evidence
    from audits.evidence import Side as Side
    from audits.evidence import Verdict as Verdict
    from audits.laws import Finite as Finite
    from audits.laws import Gaussian as Gaussian
    from audits.laws import Laplace as Laplace
    from audits.laws import Mixture as Mixture
    from audits.maps import check_map as check_map
    from audits.privacy import audit_privacy as audit_privacy
    from audits.privacy import each as each
    from audits.privacy import unseeded as unseeded
    from audits.privacy.claims import Approximate as Approximate
    from audits.privacy.claims import ApproximateZeroConcentrated as ApproximateZeroConcentrated
    from audits.privacy.claims import Curve as Curve
    from audits.privacy.claims import GaussianDP as GaussianDP
    from audits.privacy.claims import Pure as Pure
    from audits.privacy.claims import Renyi as Renyi
    from audits.privacy.claims import ZeroConcentrated as ZeroConcentrated
    from audits.rates import fit_rate as fit_rate
    from audits.trace import trace_privacy as trace_privacy
else:
    HOMES, __all__, __getattr__ = lazy(__name__, __file__)
