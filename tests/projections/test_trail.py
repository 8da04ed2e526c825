"""The trail: every filter finds exactly the events that it names, and the trail contains acts as well as play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from databases import copy_of
from leagues import (
    SMALL_LEAGUE,
    announced,
    at,
    at_once,
    catch_up,
    caught_up_digest,
    digest,
    domino,
    league_at,
    opened,
    played,
    reading,
    rebuild,
    revised,
    send,
)

from league.application import storing
from league.application.bootstrap import League
from league.domain.audit_trail import ReplayStarted, RowsExported, TokenMade, TokenRevoked
from league.domain.league import SeasonClosed
from league.domain.match import HandRecorded, MatchForfeited, MatchOpened, OpenMatch, VoidMatch
from league.domain.player import ErasePlayer, RenamePlayer
from league.domain.refusals import InvalidInput
from league.eventlog.codec import NAMES, decode_body
from league.eventlog.records import AppendRequest, LoggedEvent
from league.infra.database import connect
from league.photos.domain.photo import PhotoUploaded
from league.projections.queries.log import StoredEvent
from league.projections.queries.pages import PageRequest, read_page
from league.projections.queries.trail import TrailFilter, every_entry, kinds, order_of, trail
from league.projections.replays.replay import ReplayPeriod, replay
from league.tables.domain.commands_and_events import SeatHandedOver, TilePlayed
from league.tournaments.domain.events import FixtureOpened
from league.wording.matches import EventContext
from league.wording.trail import words

TRICKY = 'o"brien {}, "source":\\ ñ, "played_at":'
"""An actor who looks like the document in which the log keeps actors."""
BRACED = 'b"}}1'
"""A match whose id looks like the end of a document."""
GOLDEN = Path(__file__).parent.parent / "eventlog" / "golden"


@pytest.fixture(scope="module")
def league(embedded_server: str) -> Iterator[League]:
    """A league with matches alone and in pairs, open, voided and casual ones, by several actors, and with acts."""
    with copy_of(embedded_server, SMALL_LEAGUE) as url, league_at(url) as made:
        send(made, announced("a1", ("ana", "bea"), 1), announced("a2", ("cira", "ana"), 3))
        made.dispatcher.send_all(played("p1", ("ana", "dora", "bea", "eva"), 5, domino(0, 0, 90, 0, 80)), TRICKY)
        made.dispatcher.send(opened("o1", ("ana", "flor"), 7), "kim", source="live")
        made.dispatcher.send(OpenMatch("now", "cuban-150", "1v1", "casual", ("bea", "ana")), "kim", source="live")
        made.dispatcher.send(announced(BRACED, ("flor", "cira"), 8)[0], TRICKY, key='form-{1} "body":{"match":"a1"}}')
        made.dispatcher.send(VoidMatch("a2", "played twice"), "ana", key="k1")
        made.dispatcher.send(RenamePlayer("ana", "Ana María"), "ana")
        clerk = AppendRequest("clerk", "manual")
        storing.record(made.store, TokenMade("t1", "ana", ("player",), at(1)), clerk)
        storing.record(made.store, TokenMade("t2", "ana maria", ("admin",), at(1)), clerk)
        storing.record(made.store, TokenRevoked("t1"), AppendRequest(TRICKY, "manual"))
        storing.record(made.store, RowsExported("changes", "csv", 1), clerk)
        send(made, ErasePlayer("eva"))
        catch_up(made)
        yield made


def in_log(league: League) -> list[LoggedEvent]:
    return league.store.read_after(0, 10_000)


def about(league: League, player: str) -> Callable[[LoggedEvent], bool]:
    """Whether an event is about a player, by reading all of the log."""
    seats = {e.stream: e.event.seats for e in in_log(league) if isinstance(e.event, MatchOpened)}

    def is_about(e: LoggedEvent) -> bool:
        kind, *ids = e.stream.replace("+", ":").split(":")
        made_for = isinstance(e.event, TokenMade) and e.event.sub == player
        return made_for or player in seats.get(e.stream, ()) or (kind in ("player", "series") and player in ids)

    return is_about


def time_of(e: LoggedEvent) -> datetime:
    return e.played_at or e.recorded_at


def played_within(e: LoggedEvent, start: datetime, end: datetime) -> bool:
    return start <= time_of(e) < end


def found(league: League, wanted: TrailFilter) -> list[int]:
    with reading(league.database.url) as snapshot:
        order = order_of(wanted, latest_first=False)
        return [
            row.position for row in read_page(snapshot.conn, StoredEvent, trail(wanted), order, PageRequest(1_000)).rows
        ]


def expected(league: League, is_wanted: Callable[[LoggedEvent], bool]) -> list[int]:
    positions = [e.position for e in in_log(league) if is_wanted(e)]
    assert positions, "a filter that leaves nothing shows nothing"
    return positions


@pytest.mark.parametrize("player", ["ana", "bea", "eva", "flor"])
def test_a_players_trail(league: League, player: str) -> None:
    """A player's trail has their own events, their matches even if open or voided, their series, and their tokens."""
    assert found(league, TrailFilter(player=player)) == expected(league, about(league, player))


@pytest.mark.parametrize("match", ["a2", "o1", "p1", BRACED])
def test_a_matchs_trail(league: League, match: str) -> None:
    """A match's trail has its events and its entry into the series."""
    positions = expected(
        league, lambda e: e.stream == f"match:{match}" or (e.name == "match-entered/1" and e.event.match == match)
    )
    assert found(league, TrailFilter(match=match)) == positions


@pytest.mark.parametrize("actor", ["test", "kim", "ana", "clerk", TRICKY])
def test_an_actors_trail(league: League, actor: str) -> None:
    """Exactly that actor, whatever characters they are called by."""
    assert found(league, TrailFilter(actor=actor)) == expected(league, lambda e: e.actor == actor)


def test_by_door_kind_and_stream(league: League) -> None:
    """Filters by source, by kind of event and by stream."""
    assert found(league, TrailFilter(source="live")) == expected(league, lambda e: e.source == "live")
    assert found(league, TrailFilter(stream="trail")) == expected(league, lambda e: e.stream == "trail")
    for kind in ("match-opened", "match-voided", "token-made", "player-erased"):
        assert found(league, TrailFilter(kind=kind)) == expected(league, lambda e, k=kind: e.name == f"{k}/1")  # type: ignore[misc]
    with pytest.raises(InvalidInput, match="there are match-voided"):
        trail(TrailFilter(kind="match-void"))


def test_spans_of_both_times(league: League) -> None:
    """A span filters by time of recording, or by time of play (else of recording); its end is exclusive."""
    log = in_log(league)
    start, end = log[5].recorded_at, log[20].recorded_at
    within = TrailFilter(recorded_from=start, recorded_before=end)
    assert found(league, within) == [e.position for e in log[5:20]]
    for span in ((at(2), at(6)), (at(2), datetime(2100, 1, 1, tzinfo=UTC))):
        within = TrailFilter(played_from=span[0], played_before=span[1])
        wanted = expected(league, lambda e, s=span: played_within(e, *s))  # type: ignore[misc]
        assert found(league, within) == sorted(wanted, key=lambda position: (time_of(log[position - 1]), position))


def test_what_cannot_be_read_was_played_when_it_was_recorded(league: League) -> None:
    """A tampered event is still in its index, so that it can be found, checked and repaired."""
    recorded = datetime(2026, 5, 1, tzinfo=UTC)
    with connect(league.database.url) as conn:
        for said in (b"", b"null", b'"2026-02-30T00:00:00Z"', b'"\xff"', b"7", b'"', b',"body":'):
            state = b'{"key":null,"played_at":' + said + b',"body":{}}'
            assert conn.execute("SELECT played_at(%s, %s)", (state, recorded)).fetchone() == (recorded,), said
        state = b'{"key":null,"played_at":"2026-02-03T04:00:00-05:00","body":{}}'
        assert conn.execute("SELECT played_at(%s, %s)", (state, recorded)).fetchone() == (
            datetime(2026, 2, 3, 9, tzinfo=UTC),
        )


@pytest.mark.parametrize(
    "wanted",
    [
        TrailFilter(player="ana", actor="kim", source="live"),
        TrailFilter(player="ana", actor="test", played_from=at(0)),
    ],
    ids=["by position", "by time of play"],
)
def test_filters_are_met_together_in_either_order_and_page_by_page(league: League, wanted: TrailFilter) -> None:
    """Pages put together are the whole, however small they are."""

    def is_in_span(e: LoggedEvent) -> bool:
        return wanted.played_from is None or time_of(e) >= wanted.played_from

    both, positions = about(league, "ana"), found(league, wanted)
    assert sorted(positions) == expected(league, lambda e: both(e) and e.actor == wanted.actor and is_in_span(e))
    for latest_first, whole in ((False, positions), (True, positions[::-1])):
        order = order_of(wanted, latest_first=latest_first)
        paged: list[int] = []
        after: str | None = None
        with reading(league.database.url) as snapshot:
            while (page := read_page(snapshot.conn, StoredEvent, trail(wanted), order, PageRequest(2, after))).rows:
                paged += [row.position for row in page.rows]
                after = page.cursors[-1]
        assert paged == whole


def test_an_entry_is_what_the_store_reads_without_what_is_sealed(league: League) -> None:
    """Envelope and event as the store has them; a name is not opened, whether its player was erased or not."""
    with reading(league.database.url) as snapshot:
        entries = list(every_entry(snapshot.conn, TrailFilter()))
    for entry, stored in zip(entries, in_log(league), strict=True):
        log = entry.log
        assert (entry.kind, entry.version) == (stored.name[:-2], 1)
        assert (log.position, log.stream, log.name, log.recorded_at) == (
            stored.position, stored.stream, stored.name, stored.recorded_at,
        )  # fmt: skip
        assert (log.played_at, log.actor, log.source, log.key) == (
            stored.played_at, stored.actor, stored.source, stored.key,
        )  # fmt: skip
        if stored.name in ("player-registered/1", "player-renamed/1"):
            assert entry.event.name is None
        else:
            assert entry.event == stored.event


@pytest.mark.parametrize("name", NAMES)
def test_every_event_has_words(name: str) -> None:
    """Every event has a sentence, with the player whom it is about."""
    for body in msgspec.json.decode((GOLDEN / (name.replace("/", "-") + ".json")).read_bytes()):
        event = decode_body(name, msgspec.json.encode(body))
        kind = name.partition("-")[0]
        stream = {
            "player": "night:2026-03-06" if name.startswith(("player-came", "player-left")) else "player:p017",
            "match": "series:1v1:2026-03:a:b" if "entered" in name else "match:m",
            "hand": "match:m", "bonus": "match:m", "result": "match:m", "dispute": "match:m", "table": "table:t",
            "photo": "photo:f", "member": "member:k", "access": "member:k", "tournament": "tournament:c",
            "review": "consent:p017" if "consent" in name else "review:m",
        }.get(kind, "league")  # fmt: skip
        said = words(stream, event, EventContext({"p017": "Yolanda"}))
        assert "None" not in said.split()
        assert "Yolanda" in said or "p017" not in stream + str(event)
        assert "p017" not in said
        assert kinds().count(name.partition("/")[0]) == 1


def test_a_match_is_told_with_the_names_of_its_players() -> None:
    """Seats and sides by who sits there, times in the league's zone; without a match by their numbers, in UTC."""
    names, seats = {"a": "Ana", "b": "Bea", "c": "Cira"}, ("a", "b", "c", "d")
    told = EventContext(names, "2v2", seats, ZoneInfo("America/Havana"))
    recorded = HandRecorded(2, None, "domino", 2, (None,) * 4, None, None, False, False, stated_winner=0)
    sides = "Ana & Cira"
    assert words("match:m", recorded, told) == (
        f"Match m: hand 2 recorded: Cira went out; the sheet says that {sides} won it"
    )
    assert "seat 2 went out; the sheet says that side 0 won it" in words("match:m", recorded, EventContext(names))
    played = TilePlayed(1, 4, 1, (6, 3), "left", "clock")
    assert words("table:m", played, told) == ("Table m: hand 1, turn 4: Bea played [6, 3] since the time ran out")
    assert words("table:m", SeatHandedOver(2, "left"), told) == "Table m: an AI plays for Cira: the player left"
    assert (
        words("table:m", SeatHandedOver(2, "left"), EventContext())
        == "Table m: an AI plays for seat 2: the player left"
    )
    photo = PhotoUploaded("m", 1, 0, None, "ab", 9, "image/jpeg", 1, 1)
    assert words("photo:p", photo, told) == "Photo p: uploaded, of hand 1 of match m, tiles of Ana; SHA-256: ab"
    assert words("match:m", MatchForfeited(1), told) == "Match m: Bea & d gave up"
    closed = SeasonClosed("s1", datetime(2026, 3, 1, 2, tzinfo=UTC))
    assert words("league", closed, told) == "Season “s1” was closed at 2026-02-28 21:00 America/Havana"
    in_summer = EventContext(seasons={"s1": "Summer"})
    assert words("league", closed, in_summer) == "Season “Summer” was closed at 2026-03-01 02:00 UTC"
    all_known = EventContext({**names, "d": "Ana"}, "2v2", seats)
    forfeited = words("match:m", MatchForfeited(1), all_known)
    assert forfeited == "Match of Ana (a) and Cira against Bea and Ana (d): Bea & Ana (d) gave up"


@pytest.mark.heavy
def test_acts_change_no_fold(league_url: str) -> None:
    """The digest stays, a rebuild gives it again, and the same replay requested twice has one run."""
    with league_at(league_url) as league:
        send(league, announced("a1", ("ana", "bea"), 1))
        before = caught_up_digest(league)
        candidate = revised("[rating.k]\nprovisional = 32\n")
        first = replay(league_url, candidate, ReplayPeriod())
        started: Any = ReplayStarted(1, None, None, None, None)
        head = storing.record(league.store, started, AppendRequest("kim", "manual"))
        assert caught_up_digest(league) == before
        assert rebuild(league) == before
        assert replay(league_url, candidate, ReplayPeriod()) == first
        send(league, announced("a2", ("ana", "cira"), 3))
        assert league.store.head() > head
        assert caught_up_digest(league) != before
        assert replay(league_url, candidate, ReplayPeriod()) != first
        assert digest(league_url, first) != digest(league_url)


def test_an_act_that_is_asked_for_twice_is_written_once(league_url: str) -> None:
    """A repeated act under a key is written once; without a key, or by other actors, each is written."""
    with league_at(league_url) as league:
        keyed = AppendRequest("kim", "manual", "key", "hash")
        assert storing.record(league.store, TokenRevoked("t"), keyed) == storing.record(
            league.store, TokenRevoked("t"), keyed
        )
        at_once(*[lambda: storing.record(league.store, TokenRevoked("u"), AppendRequest("kim", "manual"))] * 6)
        assert len(league.store.load("trail")) == 7


def test_titles_stand_where_they_are_known() -> None:
    """A ruleset and a tournament by their titles, a match by who plays it; without titles by name and id."""
    names, seats = {"a": "Ana", "b": "Bea"}, ("a", "b")
    known = EventContext(names, "1v1", seats, rulesets={"cuban-150": "Cuban, 150"}, title="Copa de mayo")
    opened = MatchOpened("cuban-150", "1v1", "casual", seats, None)
    told = "opened, casual 1v1 by {ruleset}; seats: Ana, Bea"
    assert words("match:m", opened, known) == f"Match of Ana against Bea: {told.format(ruleset='Cuban, 150')}"
    assert words("match:m", opened, EventContext(names)) == f"Match m: {told.format(ruleset='cuban-150')}"
    began = FixtureOpened(2, 3, "m")
    assert words("tournament:c", began, known) == (
        "Tournament Copa de mayo: play began at table 3 of round 2: match Ana against Bea"
    )
    assert words("tournament:c", began, EventContext()) == ("Tournament c: play began at table 3 of round 2: match m")
