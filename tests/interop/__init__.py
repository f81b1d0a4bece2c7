"""Adapters and documents on the libraries themselves, which the extra `interop` installs: `make interop`."""
