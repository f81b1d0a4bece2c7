"""Planted bugs, one TOML file an algorithm; `claims.harness.mutation.named` says what a file holds."""
