"""The part of the bench that answers board pages beside PostGraphile, for a moment."""

from __future__ import annotations

import os
import shutil

import pytest

from bench import beside_postgraphile
from bench.beside_postgraphile import bench_postgraphile

pytestmark = [pytest.mark.heavy, pytest.mark.slow]


def test_the_bench_beside_postgraphile_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both give the same page, and a line tells what each costs; without npm a sentence says what is missing."""
    for name, value in {"SECONDS": 0.1, "ROUNDS": 1}.items():
        monkeypatch.setattr(beside_postgraphile, name, value)
    bench_postgraphile(hands=1_000, players=200)
    printed = capsys.readouterr().out
    if shutil.which("npm") is not None or os.environ.get("CI") == "true":
        assert "the API" in printed
        assert "to PostGraphile:" in printed
    else:
        assert "it needs npm" in printed
