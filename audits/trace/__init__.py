"""The grey box: what a program draws, from which line, at which distance, and what was never noised."""

from audits.trace.audit import assert_ledger, trace_privacy
from audits.trace.result import Finding, Line, Lost, TraceResult

__all__ = ["Finding", "Line", "Lost", "TraceResult", "assert_ledger", "trace_privacy"]
