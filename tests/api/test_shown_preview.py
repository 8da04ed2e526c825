"""The preview of commands over HTTP: it tells what they would do, to those who may send them."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token
from leagues import announced, send

from league.domain.league import CloseMonth

KEEPER = token("scorekeeper", sub="kim")

PREVIEW = """
    query ($input: PreviewInput!) {
        preview(input: $input) {
            __typename
            ... on Preview {
                position playersMoved teamsMoved matchesRatedAnew badgesGained badgesLost ranksChanged
                moves { competitorId mode before after change competitor { id } }
                results { matchId before { winner status } after { winner status } }
                hands { matchId number before { points } after { points } }
                badges { competitorId badge fate }
                places { board competitorId rankBefore rankAfter }
                months { month mode standingsChanged closed }
                notJudgedInMatches { matchId notJudged { rule hand message } }
            }
            ... on UserError { code field }
        }
    }
"""
ADMIN = token("admin", sub="boss")
IN_ZONE = """
    query ($zone: String!) {
        previewTimeZone(timeZone: $zone) {
            __typename
            ... on TimeZonePreview {
                matches closedMonths
                changes { position matchesRatedAnew results { matchId } months { month mode standingsChanged closed } }
            }
            ... on UserError { code field }
        }
    }
"""
HAND = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"pips": 0}, {"pips": 150}]}


def previewed(small: Served, *commands: Any, by: str | None = KEEPER) -> Any:
    return small.ask(PREVIEW, by, input={"commands": list(commands)})["preview"]


def read(small: Served, position: int) -> None:
    """Wait until the read side is there."""
    small.ask('query ($at: BigInt) @readFrom(afterPosition: $at) { match(id: "none") { id } }', at=str(position))


@pytest.mark.heavy
def test_a_void_is_previewed_and_then_does_what_was_said(small: Served) -> None:
    """With the very input of the mutation; nothing is stored before that."""
    read(small, send(small.league, announced("p1", ("ana", "bea"), 1), announced("p2", ("bea", "cira"), 2)))
    given, head = {"match": "p1", "reason": "never played"}, small.league.store.head()
    seen = previewed(small, {"voidMatch": given})
    assert small.league.store.head() == head == int(seen["position"])
    assert (seen["playersMoved"], seen["teamsMoved"], seen["matchesRatedAnew"]) == (3, 0, 2)
    assert seen["results"] == [
        {"matchId": "p1", "before": {"winner": 0, "status": "ANNOUNCED"}, "after": {"winner": None, "status": "VOIDED"}}
    ]
    assert seen["months"] == [{"month": "2026-03", "mode": "ONE_ON_ONE", "standingsChanged": 3, "closed": False}]
    (cira,) = [m for m in seen["moves"] if m["competitorId"] == "cira" and m["mode"] == "ONE_ON_ONE"]
    read(small, int(small.do("voidMatch", KEEPER, **given)["position"]))
    rated = small.ask('{ player(id: "cira") { ratings { mode value } } }')["player"]["ratings"]
    assert {"mode": "ONE_ON_ONE", "value": cira["after"]} in rated


def test_a_late_match_is_previewed_by_the_commands_that_record_it(small: Served) -> None:
    """Each on top of those before it; the names of its hands and players can be read."""
    opened = {"matchId": "late", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["eva", "flor"],
              "competition": "CASUAL", "playedAt": "2026-02-01T12:00:00Z"}  # fmt: skip
    played = {"match": "late", "facts": HAND, "playedAt": "2026-02-01T13:00:00Z"}
    seen = previewed(small, {"openMatch": opened}, {"recordHand": played})
    assert seen["hands"] == [{"matchId": "late", "number": 1, "before": None, "after": {"points": [150, 0]}}]
    assert seen["results"][0]["after"] == {"winner": 0, "status": "COMPLETED"}
    [found] = seen["notJudgedInMatches"]
    assert (found["matchId"], found["notJudged"]["rule"], found["notJudged"]["hand"]) == ("late", "CAPICUA", 1)
    assert small.ask('{ match(id: "late") { id } }')["match"] is None


def test_a_preview_is_refused_as_its_command_would_be(small: Served) -> None:
    """The field says which command; only one may be said at a time, and only by those who may send it."""
    void = {"voidMatch": {"match": "none", "reason": "r"}}
    unknown = previewed(small, void)
    assert (unknown["__typename"], unknown["field"]) == ("NotFoundError", ["commands", "0", "voidMatch", "match"])
    assert previewed(small)["field"] == ["commands"]
    refused = small.error(PREVIEW, token("player", sub="ana"), input={"commands": [void]})
    assert refused["extensions"]["code"] == "FORBIDDEN"
    two = {**void, "endMatch": {"match": "none"}}
    assert "errors" in small.post(PREVIEW, KEEPER, input={"commands": [two]}).json()


def test_another_time_zone_is_previewed_with_the_closed_months_that_it_changes(small: Served) -> None:
    """A match late on the last evening of February counts in March then, and February is closed; nothing is stored."""
    head = send(
        small.league,
        announced("eve", ("dora", "eva"), -9),  # 22:00 in Havana on the last of February
        announced("next", ("eva", "dora"), 30),
        CloseMonth("2026-02"),
    )
    read(small, head)
    seen = small.ask(IN_ZONE, ADMIN, zone="UTC")["previewTimeZone"]
    assert (seen["__typename"], seen["matches"], seen["closedMonths"]) == ("TimeZonePreview", 1, ["2026-02"])
    changes = seen["changes"]
    assert (changes["position"], changes["matchesRatedAnew"], changes["results"]) == (str(head), 0, [])
    assert {(one["month"], one["mode"], one["closed"]) for one in changes["months"]} == {
        ("2026-02", "ONE_ON_ONE", True), ("2026-03", "ONE_ON_ONE", False),
    }  # fmt: skip
    assert small.league.store.head() == head
    unmoved = small.ask(IN_ZONE, ADMIN, zone="America/Caracas")["previewTimeZone"]
    assert (unmoved["matches"], unmoved["closedMonths"], unmoved["changes"]["months"]) == (0, [], [])


def test_another_time_zone_is_previewed_for_admins_only(small: Served) -> None:
    """As the settings are theirs to change; what is no time zone is named by its field."""
    assert small.error(IN_ZONE, KEEPER, zone="UTC")["extensions"] == {"code": "FORBIDDEN", "needs": ["ADMIN"]}
    assert small.error(IN_ZONE, zone="UTC")["extensions"]["code"] == "UNAUTHENTICATED"
    refused = small.ask(IN_ZONE, ADMIN, zone="Mars/Olympus")["previewTimeZone"]
    assert (refused["__typename"], refused["code"]) == ("InvalidInputError", "INVALID")
    assert refused["field"] == ["timeZone"]
