"""Fixtures that several tests share."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def dpclaims(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process: ``status, stdout, stderr = dpclaims("list", "--json")``."""

    def call(*arguments: str) -> tuple[int, str, str]:
        from dpclaims import main

        monkeypatch.setattr(sys, "argv", ["dpclaims", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call
