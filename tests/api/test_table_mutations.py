"""What live tables refuse, each with a typed error, and what is not repeated; the table is unchanged."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from api_server import Served, token
from table_clients import AtTable, begin, play_hand

AT_A_TABLE: list[tuple[str, dict[str, Any]]] = [
    ("takeSeat", {"seat": 0}),
    ("takeSeat", {"seat": 9}),
    ("seatAi", {"seat": 0}),
    ("leaveSeat", {}),
    ("sayReady", {}),
    ("contributeSeed", {"hand": 1, "contribution": "0" * 64}),
    ("acceptReshuffle", {"hand": 1}),
    ("declineReshuffle", {"hand": 1}),
    ("playTile", {"hand": 1, "turn": 1, "tile": [0, 0]}),
    ("sayPhrase", {"phrase": "HELLO"}),
    ("mutePlayer", {"player": "flor"}),
    ("unmutePlayer", {"player": "flor"}),
    ("closeTable", {}),
]


def outcome(answer: Any) -> Any:
    """The code of a refusal, or the name of the success."""
    return answer.get("code", answer["__typename"])


def move_of(player: AtTable) -> dict[str, Any]:
    """A move that a player may make now."""
    hand = player.look()["hand"]
    return {"hand": hand["number"], "turn": hand["turn"], **hand["legalPlays"][0]}


@pytest.mark.heavy
def test_a_bad_move_is_refused_with_its_reason(small: Served) -> None:
    """A move is refused out of turn, with a tile not held or not fitting, and for a missing turn or hand."""
    seated = begin(small, "bad-moves", "ana", "bea")
    mover = seated[0].look()["hand"]["toMove"]
    player, other = seated[mover], seated[1 - mover]
    own, foreign = (one.look()["hand"]["ownTiles"] for one in (player, other))
    before = player.look()
    first = {"hand": 1, "turn": 1}
    refused = other.do("playTile", **first, tile=foreign[0])
    assert (outcome(refused), refused["seat"], refused["toMove"]) == ("NOT_YOUR_TURN", 1 - mover, mover)
    refused = player.do("playTile", **first, tile=foreign[0])
    assert (outcome(refused), refused["tile"]) == ("TILE_NOT_HELD", foreign[0])
    assert outcome(player.do("playTile", **first, tile=[12, 0])) == "TILE_NOT_HELD"
    refused = player.do("playTile", **first, tile=own[0], end="LEFT")
    assert (outcome(refused), refused["field"], refused["shows"]) == ("TILE_DOES_NOT_FIT", ["end"], None)
    for wrong, at in (
        ({"hand": 2, "turn": 1}, "hand"),
        ({"hand": 0, "turn": 1}, "hand"),
        ({"hand": 1, "turn": 2}, "turn"),
    ):
        refused = player.do("playTile", **wrong, tile=own[0])
        assert (outcome(refused), refused["field"]) == ("INVALID", [at])
    assert player.look() == before
    tile = next(tile for tile in own if tile[0] != tile[1])
    assert outcome(player.do("playTile", **first, tile=tile)) == "TableSuccess"
    misfit = next(two for two in foreign if tile[0] not in two)
    if other.look()["hand"]["turn"] == 2:
        refused = other.do("playTile", hand=1, turn=2, tile=misfit, end="LEFT")
        assert (outcome(refused), refused["shows"]) == ("TILE_DOES_NOT_FIT", tile[0])


def test_who_does_not_sit_at_the_table_cannot_act(small: Served) -> None:
    """Spectators cannot act, even in charge of the league; unknown tables and others' seats are refused too."""
    begin(small, "watched", "ana", "bea", competition="CASUAL")
    eva = AtTable(small, "watched", "eva")
    assert outcome(eva.do("playTile", hand=1, turn=1, tile=[1, 1])) == "NOT_SEATED"
    for mutation, more in (
        ("contributeSeed", {"hand": 1, "contribution": "0" * 64}),
        ("acceptReshuffle", {"hand": 1}),
        ("leaveSeat", {}),
        ("sayReady", {}),
    ):
        assert outcome(eva.do(mutation, **more)) == "NOT_SEATED", mutation
    assert outcome(AtTable(small, "watched", "ana", "admin").do("playTile", hand=1, turn=1, tile=[1, 1])) == "FORBIDDEN"
    assert outcome(AtTable(small, "nowhere", "eva").do("playTile", hand=1, turn=1, tile=[1, 1])) == "NOT_FOUND"
    table = AtTable(small, "seats", "eva")
    table.open()
    assert outcome(table.sit(0)) == "TableSuccess"
    assert outcome(AtTable(small, "seats", "flor").do("takeSeat", seat=0)) == "SEAT_OCCUPIED"
    assert outcome(AtTable(small, "seats", "flor").do("takeSeat", seat=2)) == "INVALID"
    assert outcome(AtTable(small, "seats", "flor").do("seatAi", seat=1)) == "FORBIDDEN"
    assert outcome(table.open()) == "ALREADY_EXISTS"


def test_an_invitation_is_needed_at_a_table_that_is_not_listed(small: Served) -> None:
    """Only the opener and invited players see the table and may sit down."""
    table = AtTable(small, "invited", "eva")
    table.open(listed=False, invited=["flor"])
    flor, dora = AtTable(small, "invited", "flor"), AtTable(small, "invited", "dora")
    assert dora.look() is None
    for mutation, more in AT_A_TABLE:
        input_type = f"{mutation[0].upper()}{mutation[1:]}Input!"
        error = "... on UserError { code message field } ... on NotFoundError { kind key }"
        text = f"mutation ($input: {input_type}) {{ it: {mutation}(input: $input) {{ __typename {error} }} }}"
        refused, unknown = (
            small.ask(text, dora.token, input={"table": table, **more})["it"] for table in ("invited", "nowhere")
        )
        assert json.loads(json.dumps(refused).replace("invited", "nowhere")) == unknown, mutation
        assert refused["code"] == ("FORBIDDEN" if mutation in ("seatAi", "closeTable") else "NOT_FOUND"), mutation
    keeper = AtTable(small, "invited", "dora", "player", "scorekeeper")
    assert (keeper.look()["phase"], outcome(keeper.do("takeSeat", seat=0))) == ("OPEN", "NOT_INVITED")
    assert outcome(flor.do("takeSeat", seat=0)) == "TableSuccess"
    assert flor.look()["viewerSeat"] == 0
    id_ = flor.look()["id"]
    asked = "query ($id: ID!) { node(id: $id) { id ... on Table { tableId } } }"
    assert small.ask(asked, flor.token, id=id_)["node"] == {"id": id_, "tableId": "invited"}
    for seeing in (dora.token, None):
        assert small.ask("query ($id: ID!) { node(id: $id) { id } }", seeing, id=id_)["node"] is None


def test_the_same_move_gets_the_first_answer_and_another_one_hears_why(small: Served) -> None:
    """A repeated move gets its first answer, with and without a key; of two moves at once, one wins."""
    seated = begin(small, "twice", "cira", "dora")
    player = seated[seated[0].look()["hand"]["toMove"]]
    tiles = player.look()["hand"]["ownTiles"]
    with ThreadPoolExecutor(2) as devices:
        moves = [{"hand": 1, "turn": 1, "tile": tile} for tile in tiles[:2]]
        answers = list(devices.map(lambda move: player.do("playTile", **move), moves))
    assert sorted(map(outcome, answers)) == ["TURN_TAKEN", "TableSuccess"]
    [lost] = [answer for answer in answers if "code" in answer]
    [won] = [answer for answer in answers if "code" not in answer]
    assert (lost["hand"], lost["turn"], lost["field"]) == (1, 1, ["turn"])
    assert "played" in lost["what"]
    again = player.do("playTile", **moves[answers.index(won)])
    assert (outcome(again), again["position"] <= won["position"]) == ("TableSuccess", True)
    turn = player.look()["hand"]["turn"]
    keyed = player.do("playTile", **moves[answers.index(won)], idempotencyKey="move-1")
    assert outcome(keyed) == "TableSuccess"
    assert player.look()["hand"]["turn"] == turn


@pytest.mark.heavy
def test_a_hand_that_has_ended_takes_no_moves(small: Served) -> None:
    """A finished hand takes no moves and no contributions."""
    seated = begin(small, "over", "eva", "flor", competition="CASUAL")
    tile = seated[0].look()["hand"]["ownTiles"][0]
    play_hand(seated)
    refused = seated[0].do("playTile", hand=1, turn=90, tile=tile, end="LEFT")
    assert (outcome(refused), refused["hand"]) == ("HAND_OVER", 1)
    assert outcome(seated[0].do("contributeSeed", hand=1, contribution="0" * 64)) == "HAND_OVER"


@pytest.mark.parametrize("contribution", ["", "00", "zz" * 32, "0" * 63, "0" * 65, "\x00" * 64, "AB" * 32])
def test_a_contribution_is_32_bytes_in_hexadecimal(small: Served, contribution: str) -> None:
    """Any other contribution is an invalid input, and the hand still waits."""
    seated = [AtTable(small, "hex", player) for player in ("ana", "bea")]
    if seated[0].look() is None:
        seated[0].open(competition="CASUAL")
        for seat, player in enumerate(seated):
            player.sit(seat)
    refused = seated[0].do("contributeSeed", hand=1, contribution=contribution)
    assert (outcome(refused), refused["field"]) == ("INVALID", ["contribution"])
    assert seated[0].look()["phase"] == "SHUFFLING"


def test_while_a_table_plays_its_match_is_not_recorded_by_hand(small: Served) -> None:
    """A match in play cannot be recorded by hand. Voiding it closes the table."""
    begin(small, "guarded", "cira", "eva", competition="CASUAL")
    facts: Any = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 20}]}
    keeper = token("scorekeeper")
    refused = small.do("recordHand", keeper, "... on TableInPlayError { tableId }", match="guarded", facts=facts)
    assert (refused["code"], refused["tableId"]) == ("TABLE_IN_PLAY", "guarded")
    assert "position" in small.do("voidMatch", keeper, match="guarded", reason="a test")
    view = AtTable(small, "guarded").look()
    assert (view["phase"], view["closed"], view["hand"]) == ("CLOSED", "VOIDED", None)
    cira = AtTable(small, "guarded", "cira")
    for mutation, more in (
        ("playTile", {"hand": 1, "turn": 1, "tile": [0, 0]}),
        ("contributeSeed", {"hand": 1, "contribution": "0" * 64}),
        ("sayReady", {}),
        ("takeSeat", {"seat": 0}),
    ):
        refused = cira.do(mutation, **more)
        assert (outcome(refused), "closed" in refused["message"]) == ("TABLE_CLOSED", True), refused


def test_the_field_of_a_refusal_is_one_of_the_input(small: Served) -> None:
    """A refusal names a field of the input, also for a generated table id and an unknown player."""
    assert AtTable(small, "a b", "ana").open()["field"] == ["tableId"]
    assert outcome(AtTable(small, "", "ana").open()) == "INVALID"
    assert AtTable(small, "fields", "ana").open(invited=["bea", "zzz"])["field"] == ["invited", "1"]
    refused = AtTable(small, "fields", "zzz").open()
    assert (outcome(refused), refused["field"]) == ("NOT_FOUND", None)
    AtTable(small, "fields", "ana").open()
    refused = AtTable(small, "fields", "zzz").do("takeSeat", seat=0)
    assert (outcome(refused), refused["field"]) == ("NOT_FOUND", None)


def test_a_table_cannot_have_the_id_of_a_match(small: Served) -> None:
    """The refusal says what has the id."""
    match = {"matchId": "taken", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL"}
    small.do("openMatch", token("scorekeeper"), **match, seats=["ana", "bea"])
    refused = AtTable(small, "taken", "ana").open()
    assert (outcome(refused), refused["message"]) == ("ALREADY_EXISTS", "Match 'taken' already exists.")


def test_a_table_with_an_ai_is_for_practice(small: Served) -> None:
    """A table with an AI is a practice table and makes no match. Scorekeepers may seat an AI too."""
    table = AtTable(small, "practice", "dora")
    table.open()
    table.do("takeSeat", seat=0)
    assert (
        outcome(AtTable(small, "practice", "kim", "scorekeeper").do("seatAi", seat=1, level="RANDOM")) == "TableSuccess"
    )
    view = table.do("sayReady")["table"]
    assert (view["practice"], view["phase"], view["seats"][1]["aiLevel"]) == (True, "SHUFFLING", "RANDOM")
    assert table.contribute()["table"]["phase"] in ("PLAYING", "OFFERING")
    assert small.ask('{ match(id: "practice") { id } }')["match"] is None


def test_a_table_is_closed_by_who_opened_it(small: Served) -> None:
    """The opener and those in charge of the league may close a table, only before play begins."""
    table = AtTable(small, "closing", "ana")
    table.open()
    assert outcome(AtTable(small, "closing", "bea").do("closeTable")) == "FORBIDDEN"
    closed = table.do("closeTable")
    assert closed["table"]["closed"] == "ABANDONED"
    assert outcome(table.do("takeSeat", seat=0)) == "TABLE_CLOSED"


def test_no_answer_about_a_table_is_cached(small: Served) -> None:
    """Answers about tables are never cached, even if they need no token or come from `node`."""
    table = AtTable(small, "fresh", "bea")
    table.open(competition="CASUAL")
    asked = f'{{ node(id: "{table.look()["id"]}") {{ ... on Table {{ phase seats {{ playerId }} }} }} }}'
    assert [small.ask(asked)["node"]["seats"][0] for _ in range(2)] == [{"playerId": None}] * 2
    table.do("takeSeat", seat=0)
    assert small.ask(asked)["node"]["seats"][0] == {"playerId": "bea"}
    table.do("closeTable")
    assert small.ask(asked)["node"]["phase"] == "CLOSED"
