"""Erasing a player over the API: who may, what is answered, and what is refused afterwards."""

from __future__ import annotations

from typing import Any

from api_server import Served, token

from league.domain.player import pseudonym

PLAYER = "... on PlayerSuccess { player { playerId name displayName region } }"


def player(small: Served, id_: str) -> Any:
    """How a player shows to everybody."""
    return small.ask("query ($id: ID!) { player(id: $id) { name displayName } }", id=id_)["player"]


def test_an_erased_player_shows_under_a_pseudonym(small: Served) -> None:
    """The answer shows it already; a retry under the same key is answered, not refused."""
    assert player(small, "ana") == {"name": "Ana", "displayName": "Ana"}
    said = small.do("erasePlayer", token("admin"), PLAYER, player="ana", idempotencyKey="form-9")
    shown = {"name": None, "displayName": pseudonym("ana")}
    assert said["player"] == {"playerId": "ana", "region": "Matanzas", **shown}
    assert player(small, "ana") == shown
    assert small.do("erasePlayer", token("admin"), PLAYER, player="ana", idempotencyKey="form-9") == said


def test_players_may_erase_themselves(small: Served) -> None:
    """Other players may not erase them, even players of the same match."""
    bea = token("player", sub="bea")
    assert small.do("erasePlayer", bea, player="cira")["code"] == "FORBIDDEN"
    assert small.do("erasePlayer", bea, PLAYER, player="bea")["player"]["name"] is None
    assert player(small, "cira")["name"] == "Cira"


def test_a_key_whose_input_was_erased_gives_its_first_answer(small: Served) -> None:
    """Any input with a name gets it: the erasure destroyed what tells the first input from others."""
    admin = token("admin")
    for fields in ({"playerId": "xenia"}, {}):  # an id of the client's, and one that follows from the key
        given = {"name": "Xenia", "idempotencyKey": f"form-{len(fields)}", **fields}
        first = small.do("registerPlayer", admin, "... on PlayerSuccess { playerId }", **given)
        reused = small.do("registerPlayer", admin, **{**given, "name": "Yara"})
        assert reused["code"] == "KEY_REUSED"
        small.do("erasePlayer", admin, player=first["playerId"])
        for again in (given, {**given, "name": "Yara"}, {**given, "playerId": "yara"}):
            assert small.do("registerPlayer", admin, "... on PlayerSuccess { playerId }", **again) == first
        match = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["eva", "flor"]}
        opened = small.do("openMatch", admin, idempotencyKey=given["idempotencyKey"], **match)
        assert opened["code"] == "KEY_REUSED"  # an input without a name was certainly not the first one
    assert player(small, "yara") is None
    other = small.do("registerPlayer", admin, name="Yara", playerId="yara", idempotencyKey="form-of-yara")
    assert "position" in other
    again = small.do("renamePlayer", admin, name="Y", player="yara", idempotencyKey="form-of-yara")
    assert again["code"] == "KEY_REUSED"


def test_what_is_refused_of_an_erased_player_is_refused_as_data(small: Served) -> None:
    """Each mutation says that the player is erased, in a type of its union."""
    admin = token("admin")
    small.do("erasePlayer", admin, player="dora")
    match = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["eva", "dora"]}
    for mutation, given in (
        ("erasePlayer", {"player": "dora"}),
        ("renamePlayer", {"player": "dora", "name": "Dora"}),
        ("movePlayer", {"player": "dora", "region": "Holguín"}),
        ("openMatch", match),
    ):
        said = small.do(mutation, admin, **given)
        assert (said["__typename"], said["code"]) == ("WrongStateError", "PLAYER_ERASED"), mutation
        assert "'dora' is erased" in said["message"]
    said = small.do("registerPlayer", admin, playerId="dora", name="Dora")
    assert (said["code"], said["field"]) == ("ALREADY_EXISTS", ["playerId"])
    assert small.do("erasePlayer", admin, player="nobody")["code"] == "NOT_FOUND"
