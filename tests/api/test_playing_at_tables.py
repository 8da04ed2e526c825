"""Live tables over the API: from an open table to the end of a match."""

from __future__ import annotations

import random
from typing import Any

import pytest
from api_server import Served
from table_clients import begin, deal, play_hand
from waiting import wait_until

pytestmark = pytest.mark.heavy


def test_two_players_play_a_match_to_its_end(small: Served) -> None:
    """The hands come to the match, which is rated like any other, and each can be read turn by turn."""
    seated = begin(small, "friday", "ana", "bea")
    choose = random.Random(1)
    view = seated[0].look()
    while view["phase"] != "CLOSED":
        assert view["phase"] == "PLAYING", view
        view = play_hand(seated, choose)
        if view["phase"] == "SHUFFLING":
            deal(seated)
            view = seated[0].look()
    assert view["closed"] == "FINISHED"
    hands = "hands { number points transcript { dealt turns { number seat tile where by at } } }"
    asked = f'{{ match(id: "friday") {{ status score ratingChanges {{ after }} {hands} table {{ tableId phase }} }} }}'
    match = wait_until(lambda: _completed(small.ask(asked)["match"]))
    assert match["score"] == view["score"]
    assert len(match["ratingChanges"]) == 2
    assert match["table"] == {"tableId": "friday", "phase": "CLOSED"}
    for hand, finished in zip(match["hands"], view["finishedHands"], strict=True):
        assert hand["points"] == finished["points"]
        assert hand["transcript"]["dealt"] == finished["dealt"]
        turns = [
            {name: turn[name] for name in ("number", "seat", "tile", "where", "by", "at")} for turn in finished["turns"]
        ]
        assert hand["transcript"]["turns"] == turns


def _completed(match: Any) -> Any:
    return match if match and match["status"] == "COMPLETED" else None
