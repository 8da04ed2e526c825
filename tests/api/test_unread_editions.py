"""Editions that no process has read yet, such as those of replays never promoted, change no answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, served
from databases import copy_of
from leagues import SIXTY_MATCHES, revised

from league.projections import display_rules
from league.projections.replays.replay import Period, replay

OTHER_RULES = "rating.k.provisional = 32\nboards.active_days = 1\nseries.limit = 2"


@pytest.fixture(autouse=True)
def _has_read_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process remembers no edition."""
    monkeypatch.setattr(display_rules, "_rulebooks", {})


@pytest.fixture(scope="module")
def with_a_replay(embedded_server: str) -> Iterator[Served]:
    """The first 60 matches of the recorded season, and a replay of them under other rules that was not promoted."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        replay(url, revised(OTHER_RULES), Period())
        with served(url) as server:
            yield server


K = '{ ratingChange(match: "c-0001", of: "p005") { explanation { terms { name settings { key value } } } } }'
OPPONENTS = '{ player(id: "p004") { series { opponents(first: 1) { totalCount } } } }'


def provisional_k(server: Served) -> list[object]:
    """The setting as the explanation of a rating change names it."""
    terms = server.ask(K)["ratingChange"]["explanation"]["terms"]
    return [s["value"] for term in terms for s in term["settings"] if s["key"] == "rating.k.provisional"]


@pytest.mark.parametrize("first", ["explanation", "opponents"])
def test_reading_opponents_does_not_exchange_the_rules(with_a_replay: Served, first: str) -> None:
    """An explanation names the rules of its own edition before and after, also if it is not what is read first."""
    if first == "explanation":
        assert provisional_k(with_a_replay) == ["40"]
    assert with_a_replay.ask(OPPONENTS)["player"]["series"]["opponents"]["totalCount"] > 0
    assert provisional_k(with_a_replay) == ["40"]
