"""Lower bounds on ε from samples: does a mechanism keep the (ε, δ) that it claims on neighbouring datasets?

`audit_privacy` is the whole of it; `each` and `unseeded` wrap mechanisms of another shape.
"""

from __future__ import annotations

from audits.bridge_worker import unseeded
from audits.privacy.audit import audit_privacy
from audits.privacy.draw.draws import Stopped, each
from audits.privacy.result import AuditResult, Look, Resolution

__all__ = ["AuditResult", "Look", "Resolution", "Stopped", "audit_privacy", "each", "unseeded"]
