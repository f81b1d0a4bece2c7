"""Released libraries, audited as shipped: `python -m benchmarks.wild`."""
