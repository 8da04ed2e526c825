"""The part of the bench that plays hands, at a size that takes no time."""

from __future__ import annotations

from random import Random

import pytest

from bench import hands
from bench.hands import PLAYED, bench_hands, played
from league.rulebook import shipped_edition


def test_the_bench_of_hands_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each game that is played, and one for the peer."""
    monkeypatch.setattr(hands, "TIMES", 1)
    monkeypatch.setattr(hands, "HANDS", 3)
    bench_hands()
    assert len(capsys.readouterr().out.strip().splitlines()) == 1 + len(PLAYED) + 1


def test_every_turn_of_a_hand_is_an_event() -> None:
    """Numbered from 1, in order; the tiles that are played are those that nobody holds at the end."""
    ruleset = shipped_edition(1).rulesets["doscientos-200"]
    events, facts = played(Random(5), ruleset, 2)
    assert [event.turn for event in events] == [*range(1, len(events) + 1)]
    laid = [event for event in events if isinstance(event, hands.TilePlayed)]
    drawn = [event for event in events if isinstance(event, hands.TileDrawn)]
    assert len(laid) + sum(map(len, facts.leftover)) == 2 * ruleset.tiles_each + len(drawn)
