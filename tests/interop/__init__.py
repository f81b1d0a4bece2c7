"""Adapters and cases on the libraries themselves, which the extra `interop` installs; see `.ci/run`."""
