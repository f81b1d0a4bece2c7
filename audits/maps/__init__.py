"""The claim that an object carries: its stability map or privacy map, held against outputs of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from implementations.lazy import lazy

if TYPE_CHECKING:
    from audits.assertions import assert_map as assert_map
    from audits.maps.check import check_map as check_map
    from audits.maps.result import MapResult as MapResult
else:
    HOMES, __all__, __getattr__ = lazy(__name__, __file__)
