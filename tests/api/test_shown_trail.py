"""The trail over the API: for auditors and admins only, with every act that the API itself does."""

from __future__ import annotations

import json
import re
from typing import Any

import jwt
import pytest
from api_server import SECRET, Served, token
from leagues import REVISED
from table_clients import begin
from waiting import wait_until

from league.api.auth.reach import ROLES
from league.eventlog.recorder import Within
from league.eventlog.store import EventStore

TRAIL = """query ($filter: TrailFilterInput, $first: Int, $after: String, $order: TrailOrder! = LATEST_FIRST) {
  trail(filter: $filter, first: $first, after: $after, orderBy: $order) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { kind text body event { position stream actor source idempotencyKey } } } }"""


def trail(small: Served, role: str = "auditor", **variables: Any) -> list[Any]:
    """The entries that a reader is given."""
    nodes: list[Any] = small.ask(TRAIL, token(role), **variables)["trail"]["nodes"]
    return nodes


def act(small: Served, mutation: str, fields: str = "", **given: Any) -> Any:
    """The answer to an admin of a mutation without a position."""
    kind = mutation[0].upper() + mutation[1:]
    text = (
        f"mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input) "
        f"{{ ... on UserError {{ code }} {fields} }} }}"
    )
    return small.ask(text, token("admin", sub="root"), input=given)["it"]


@pytest.mark.parametrize("role", [*ROLES, None])
def test_only_admins_and_auditors_read_it(small: Served, role: str | None) -> None:
    """Other roles get the code FORBIDDEN; without a token the code is UNAUTHENTICATED."""
    if role in ("admin", "auditor"):
        assert trail(small, role)
        return
    error = small.error(TRAIL, None if role is None else token(role))
    code = "UNAUTHENTICATED" if role is None else "FORBIDDEN"
    assert error["extensions"] == {"code": code, "needs": ["ADMIN", "AUDITOR"]}


def test_what_the_api_does_to_the_league_stands_in_it(small: Served) -> None:
    """A token taken back (once), a replay started under a key and cancelled (once), by whom."""
    admin = token("admin", sub="root")
    taken = jwt.decode(token("player"), SECRET, algorithms=["HS256"])["jti"]
    document = REVISED.read_text(encoding="utf-8")
    for _ in range(2):
        act(small, "revokeToken", tokenId=taken)
        text = "... on ReplaySuccess { replay { number } }"
        number = act(small, "startReplay", text, document=document, idempotencyKey="r1")["replay"]["number"]
        act(small, "cancelReplay", replay=number)
    found = trail(small, filter={"stream": "trail"}, order="OLDEST_FIRST")
    assert [entry["kind"] for entry in found] == ["token-revoked", "replay-started", "replay-cancelled"]
    assert [entry["event"]["actor"] for entry in found] == ["root"] * 3
    assert [entry["event"]["idempotencyKey"] for entry in found] == [None, "r1", None]
    assert json.loads(found[0]["body"]) == {"token": taken}
    assert found[2]["text"] == f"Replay {number} was cancelled"
    error = small.do("registerPlayer", admin, playerId="gil", name="Gil", idempotencyKey="r1")
    assert error["code"] == "KEY_REUSED"


def test_a_key_of_another_request_starts_no_replay(small: Served) -> None:
    """The answer says so, and nothing is folded."""
    admin = token("admin", sub="root")
    small.do("movePlayer", admin, player="flor", region="Granma", idempotencyKey="m1")
    before = small.ask("{ replays { totalCount } }", admin)
    document = REVISED.read_text(encoding="utf-8")
    assert act(small, "startReplay", document=document, idempotencyKey="m1")["code"] == "KEY_REUSED"
    assert small.ask("{ replays { totalCount } }", admin) == before


def test_an_act_that_cannot_be_written_down_is_not_done(small: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log refuses it at the last moment: the token is good, no replay is there, or it waits as before."""
    bearer = token("player")
    jti = jwt.decode(bearer, SECRET, algorithms=["HS256"])["jti"]
    document = REVISED.read_text(encoding="utf-8")
    number = act(small, "startReplay", "... on ReplaySuccess { replay { number } }", document=document)["replay"]
    replays = "{ replays { nodes { number state } } }"
    head, before, append = small.league.store.head(), small.ask(replays, token("auditor")), EventStore.append

    def killed_before_the_commit(store: EventStore, appends: Any, request: Any, within: Within | None = None) -> int:
        def die(*arguments: Any) -> None:
            if within is not None:
                within(*arguments)
            raise RuntimeError("killed")

        return append(store, appends, request, die)

    monkeypatch.setattr(EventStore, "append", killed_before_the_commit)
    for mutation, given in (
        ("revokeToken", {"tokenId": jti}),
        ("startReplay", {"document": document}),
        ("cancelReplay", {"replay": number["number"]}),
    ):
        with pytest.raises(AssertionError, match="INTERNAL"):
            act(small, mutation, **given)
    assert small.league.store.head() == head
    assert small.ask("{ viewer { sub } }", bearer) == {"viewer": {"sub": "kim"}}
    assert small.ask(replays, token("auditor")) == before


def test_filters_words_and_pages(small: Served) -> None:
    """Filters take global ids or the league's own; players have their current names; a page knows of the next one."""
    keeper = token("scorekeeper", sub="kai")
    given = {"matchId": "t1", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["bea", "cira"]}
    position = small.do("openMatch", keeper, **given)["position"]
    bea = small.ask(f'query @readFrom(afterPosition: {position}) {{ player(id: "bea") {{ id }} }}')["player"]["id"]
    found = trail(small, filter={"player": bea, "match": "t1", "actor": "kai", "kind": "match-opened"})
    [entry] = found
    assert entry["text"] == "Match of Bea against Cira: opened, competitive 1v1 by Cuban, 150; seats: Bea, Cira"
    assert entry["event"]["source"] == "MANUAL"
    [registered] = trail(small, filter={"player": "dora"})
    assert json.loads(registered["body"]) == {"name": None, "region": "Granma"}
    assert registered["text"] == "Dora joined, of Granma"
    page = small.ask(TRAIL, token("auditor"), first=1, order="OLDEST_FIRST")["trail"]
    assert page["totalCount"] > 8
    assert page["pageInfo"]["hasNextPage"]
    after = page["pageInfo"]["endCursor"]
    [second] = trail(small, first=1, after=after, order="OLDEST_FIRST")
    assert second["event"]["position"] == "2"


def test_a_kind_that_there_is_not_is_told_from_one_that_has_not_happened(small: Served) -> None:
    """The first is an error that lists what there is."""
    error = small.error(TRAIL, token("auditor"), filter={"kind": "match-void"})
    assert error["extensions"] == {"code": "BAD_REQUEST"}
    assert "there are match-voided" in error["message"]
    assert trail(small, filter={"kind": "match-voided"}) == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"player": "nobody"}, "there is no player 'nobody'"),
        ({"match": "c-9999"}, "there is no match 'c-9999'"),
        ({"recordedFrom": "2026-03-02T00:00Z", "recordedBefore": "2026-03-01T00:00Z"}, "the end of the span"),
        ({"playedFrom": "2026-03-02T00:00Z", "playedBefore": "2026-03-02T00:00Z"}, "the end of the span"),
    ],
)
def test_a_filter_that_can_leave_nothing_is_an_error(small: Served, given: Any, says: str) -> None:
    """A filter that can match nothing is refused; an empty trail means that nothing happened."""
    error = small.error(TRAIL, token("auditor"), filter=given)
    unknown = [name for name in ("player", "match") if name in given]
    expected = {"code": "UNKNOWN_ID", "argument": f"filter.{unknown[0]}"} if unknown else {"code": "BAD_REQUEST"}
    assert error["extensions"] == expected
    assert says in error["message"]


def test_what_happens_at_a_table_names_who_sits_there(small: Served) -> None:
    """Not only the number of the seat, once its match has begun."""
    begin(small, "told", "dora", "eva", competition="CASUAL")
    wanted = {"stream": "table:told"}
    dora = r"Dora( \(dora\))?"  # with the id if the league has another Dora
    added = re.compile(f"Table of {dora} against Eva: {dora} added to the seed of hand 1")
    wait_until(lambda: any(added.fullmatch(entry["text"]) for entry in trail(small, filter=wanted)))


def test_a_tournament_and_a_ruleset_are_told_by_their_titles(small: Served) -> None:
    """People read a title where there is one; the stream of the event still has the id."""
    keeper, plan = token("scorekeeper", sub="titles"), {"format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150"}
    planned = {"name": "Copa de mayo", "rounds": 2, **plan}
    position = small.do("planTournament", keeper, tournamentId="titled", plan=planned)["position"]
    small.follow(position)
    [told] = trail(small, filter={"actor": "titles"})
    assert told["text"].startswith("Tournament Copa de mayo: ")
    assert told["event"]["stream"] == "tournament:titled"
    given = {"mode": "ONE_ON_ONE", "seats": ["ana", "bea"], "competition": "CASUAL", "ruleset": "cuban-150"}
    small.follow(small.do("openMatch", keeper, **given)["position"])
    [told, _] = trail(small, filter={"actor": "titles"})
    assert "casual 1v1 by Cuban, 150; seats: " in told["text"]
