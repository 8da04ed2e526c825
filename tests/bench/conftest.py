"""Leagues of benches on the server of the run: one of their own takes seconds to start, and tests compare no times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from databases import MIGRATED, copy_of
from leagues import league_at

from league.application.bootstrap import League


@pytest.fixture
def open_on_server(embedded_server: str) -> Callable[..., AbstractContextManager[League]]:
    """What a bench calls instead of `open_league`, whatever its settings."""

    @contextmanager
    def opened(_settings: object, *, prepare: bool) -> Iterator[League]:
        assert prepare
        with copy_of(embedded_server, MIGRATED) as url, league_at(url) as league:
            yield league

    return opened
