"""Commands on a real log: stored once per key, in one order for all senders, all of a request or nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from leagues import adopt, at, at_once, domino, league_at, opened, played, revised, send
from msgspec.structs import replace

from league.application import dispatch, storing
from league.application.bootstrap import League, clock
from league.application.decisions import DecidedEvents
from league.application.dispatch import Dispatcher, decide, store_decided
from league.application.stream_states import StreamStates
from league.domain.league import ChangeSettings, CreateLeague, OpenSeason
from league.domain.match import (
    CorrectHand,
    EndMatch,
    ForfeitMatch,
    OpenMatch,
    RecordHand,
    RecordResult,
    ReopenMatch,
    VoidMatch,
)
from league.domain.match_refusals import MatchOver, WrongHand
from league.domain.player import MergePlayers, MovePlayer, PlayerRenamed, RegisterPlayer, RenamePlayer
from league.domain.refusals import (
    AlreadyExists,
    Conflict,
    InTheFuture,
    InvalidInput,
    KeyReused,
    NotFound,
    Refusal,
    WrongState,
)
from league.domain.result import AnnouncedResult
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.eventlog import codec
from league.eventlog.records import AppendRequest, Overtaken
from league.eventlog.store import EventStore

# ---------------------------------------------------------------- once


def test_the_same_key_stores_once(league: League) -> None:
    """A repeated command with its key gives the first position and stores nothing."""
    do = league.dispatcher
    first = do.send(MovePlayer("ana", "Holguín"), "clerk", key="k1")
    assert do.send(MovePlayer("bea", "Holguín"), "clerk", key="k2") == first + 1
    assert do.send(MovePlayer("ana", "Holguín"), "clerk", key="k1") == first
    assert league.store.head() == first + 1


def test_a_key_answers_also_when_the_command_would_be_refused_now(league: League) -> None:
    """A command that was carried out is not refused when its key is sent again."""
    do = league.dispatcher
    first = do.send(RegisterPlayer("gabi", "Gabi"), "clerk", key="k1")
    with pytest.raises(AlreadyExists):
        do.send(RegisterPlayer("gabi", "Gabi"), "clerk")
    assert do.send(RegisterPlayer("gabi", "Gabi"), "clerk", key="k1") == first


def test_the_same_key_with_another_input_is_refused(league: League) -> None:
    """A key belongs to the input that it first came with."""
    do = league.dispatcher
    do.send(MovePlayer("ana", "Holguín"), "clerk", key="k1")
    head = league.store.head()
    for other in (MovePlayer("ana", "Granma"), RenamePlayer("ana", "Holguín")):
        with pytest.raises(KeyReused):
            do.send(other, "clerk", key="k1")
    assert league.store.head() == head


def test_keys_are_per_actor(league: League) -> None:
    """Two actors may use the same key for different requests."""
    do = league.dispatcher
    first = do.send(MovePlayer("ana", "Holguín"), "clerk", key="k1")
    assert do.send(MovePlayer("ana", "Granma"), "another", key="k1") == first + 1


def test_one_key_sent_twice_at_once_is_carried_out_once(league: League) -> None:
    """All who send one request at the same moment get the same position."""
    head = league.store.head()
    commands = [lambda: league.dispatcher.send(RegisterPlayer("gabi", "Gabi"), "clerk", key="k1")] * 6
    assert at_once(*commands) == [head + 1] * 6
    assert league.store.head() == head + 1


def test_a_request_that_is_overtaken_by_itself_gets_its_answer(league: League) -> None:
    """A repeated request that comes in while the first is being carried out is answered, not refused."""
    command, answers = RegisterPlayer("gabi", "Gabi"), []

    def overtaken() -> datetime:
        # The clock is read between the look at the key and the decision.
        if not answers:
            answers.append(0)
            answers[0] = league.dispatcher.send(command, "clerk", key="k1")
        return clock()

    late = Dispatcher(league.store, overtaken)
    assert late.send(command, "clerk", key="k1") == league.dispatcher.send(command, "clerk", key="k1") == answers[0]


def test_every_event_says_who_and_how(league: League) -> None:
    """Each event of a request has its actor, source, key and time of play."""
    match = played("m1", ("ana", "bea"), 0, domino(0, 0, 60, both=True))
    league.dispatcher.send_all(match, "clerk", "photo", "k1")
    stored = league.store.load("match:m1")
    assert [event.name for event in stored] == ["match-opened/1", "bonus-recorded/1", "hand-recorded/1"]
    assert {(event.actor, event.source, event.key) for event in stored} == {("clerk", "photo", "k1")}
    assert [event.played_at for event in stored] == [at(0), at(1), at(1)]


# ---------------------------------------------------------------- two writers


def test_hands_of_two_writers_are_recorded_one_after_the_other(league: League) -> None:
    """Two writers on one match never lose a hand: the log has both, in the order of their positions."""
    send(league, opened("m1", ("ana", "bea"), 0))
    other = Dispatcher(league.store, clock)
    pips = [[10, 11, 12, 13], [20, 21, 22, 23]]

    def record(dispatcher: Dispatcher, values: list[int]) -> Callable[[], list[int]]:
        return lambda: [dispatcher.send(RecordHand("m1", domino(0, 0, held)), "clerk") for held in values]

    first, second = at_once(record(league.dispatcher, pips[0]), record(other, pips[1]))
    stored = [event for event in league.store.load("match:m1") if event.name == "hand-recorded/1"]
    assert [event.event.hand for event in stored] == list(range(1, 9))
    by_position = {event.position: event.event.leftover[1] for event in stored}
    assert [by_position[position] for position in first] == pips[0]
    assert [by_position[position] for position in second] == pips[1]


def test_a_writer_decides_again_on_what_the_other_has_done(league: League) -> None:
    """The slower writer is judged by the new state: of two hands that would end the match one is refused."""
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90)))
    hand = domino(0, 0, 80)
    answers = at_once(*[lambda: league.dispatcher.send(RecordHand("m1", hand, None, at(1)), "clerk")] * 4)
    assert sorted(type(answer).__name__ for answer in answers) == ["MatchOver", "MatchOver", "MatchOver", "int"]
    assert [event.name for event in league.store.load("match:m1")].count("hand-recorded/1") == 2


def test_of_two_who_record_the_same_hand_at_once_one_is_refused(league: League) -> None:
    """Who gives the number of the hand learns that someone else has recorded it, and which one is next."""
    send(league, opened("m1", ("ana", "bea"), 0))
    fifth = RecordHand("m1", domino(0, 0, 5), hand=1)
    answers = at_once(*[lambda: league.dispatcher.send(fifth, "clerk")] * 2)
    assert [answer for answer in answers if not isinstance(answer, int)] == [WrongHand("m1", 1, 2)]
    assert len(league.store.load("match:m1")) == 2


def test_a_refusal_by_streams_of_different_moments_is_decided_again(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command met a player who was not merged yet, and a merge: no moment had both."""
    merged = iter([lambda: send(league, MergePlayers("cira", "dora"))])

    def decided(command: RenamePlayer, states: StreamStates) -> list[DecidedEvents]:
        read = [states.version("merges"), states.version("player:cira")]
        for merge in merged:
            merge()
        if read[0] < league.store.version("merges"):
            raise WrongState("player 'cira'", "of two moments", "it is read before a merge, and judged after it")
        return [DecidedEvents("player:cira", [PlayerRenamed(command.name)])]

    monkeypatch.setitem(dispatch.HANDLERS, RenamePlayer, decided)
    send(league, RenamePlayer("cira", "Cira María"))
    assert league.store.load("player:cira")[-1].event == PlayerRenamed("Cira María")


@pytest.mark.parametrize(
    "meanwhile",
    [AdoptEdition(2), ChangeSettings(confirmation=True)],
    ids=["another target", "results are confirmed"],
)
def test_a_hand_is_decided_again_where_other_rules_are_adopted(league: League, meanwhile: Any) -> None:
    """It may end the match then, or leave it to be confirmed."""
    send(league, PublishEdition(revised("rulesets.cuban-150.target = 80")), opened("m1", ("ana", "bea"), 0))
    hand = RecordHand("m1", domino(0, 0, 90), None, at(1))
    if isinstance(meanwhile, ChangeSettings):
        send(league, hand)
    states = StreamStates(league.store, clock())
    appends = decide([hand], states)
    send(league, meanwhile)
    with pytest.raises(Overtaken):
        store_decided(appends, states, AppendRequest("test", "manual"))


def test_a_writer_who_is_always_too_late_gets_a_conflict(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """When others change the stream before each attempt, the command ends as a typed conflict and stores nothing."""
    monkeypatch.setattr(storing, "PATIENCE", 0.0)
    regions = iter(range(100))

    class Busy(EventStore):
        """Another writer is faster each time."""

        def append(self, *arguments: Any, **more: Any) -> int:
            league.dispatcher.send(MovePlayer("ana", f"region {next(regions)}"), "another")
            return super().append(*arguments, **more)

    with Busy(league.database.url, codec) as store, pytest.raises(Conflict) as refused:
        Dispatcher(store, clock).send(RenamePlayer("ana", "Ana María"), "clerk")
    assert refused.value.stream == "player:ana"
    assert "player-renamed/1" not in [event.name for event in league.store.load("player:ana")]


# ---------------------------------------------------------------- all or nothing


def test_a_request_is_carried_out_whole_or_not_at_all(league: League) -> None:
    """One refused command, and nothing of the request is stored."""
    head = league.store.head()
    with pytest.raises(NotFound):
        send(league, opened("m1", ("ana", "bea"), 0), opened("m2", ("ana", "nobody"), 1))
    assert league.store.head() == head
    assert league.store.load("match:m1") == []


def test_commands_of_a_request_build_on_each_other(league: League) -> None:
    """A later command sees what the earlier ones of the same request did."""
    position = send(league, RegisterPlayer("gabi", "Gabi"), played("m1", ("gabi", "ana"), 0, domino(0, 0, 99)))
    assert league.store.head() == position
    with pytest.raises(AlreadyExists):
        send(league, RegisterPlayer("hilda", "Hilda"), RegisterPlayer("hilda", "Hilda"))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "command",
    [
        RecordHand("m9", domino(0, 0, 10)),
        CorrectHand("m9", 1, domino(0, 0, 10), "misread"),
        EndMatch("m9"),
        ReopenMatch("m9", "goes on"),
        VoidMatch("m9", "never played"),
        RenamePlayer("nobody", "Nobody"),
        MovePlayer("nobody", None),
        opened("m1", ("ana", "nobody"), 0),
        OpenMatch("m1", "no-rules", "1v1", "competitive", ("ana", "bea")),
        AdoptEdition(7),
    ],
    ids=lambda command: type(command).__name__,
)
def test_what_the_league_does_not_know_is_refused(league: League, command: Any) -> None:
    """A command about an unknown match, player, ruleset or edition is refused as not found."""
    head = league.store.head()
    with pytest.raises(NotFound):
        send(league, command)
    assert league.store.head() == head


@pytest.mark.parametrize(
    "command",
    [
        RegisterPlayer("ana", "Ana"),
        RecordHand("m1", domino(0, 0, 10)),
        opened("m1", ("ana", "bea"), 0),
        PublishEdition(revised("rating.cap = false")),
        OpenSeason("s1", "Spring", at(0)),
        AdoptEdition(1),
    ],
    ids=lambda command: type(command).__name__,
)
def test_without_a_league_nothing_can_be_done(database_url: str, command: Any) -> None:
    """Before the league is created every command but that is refused."""
    with league_at(database_url) as league:
        with pytest.raises(Refusal):
            send(league, command)
        assert league.store.head() == 0


def test_a_league_is_created_once(league: League) -> None:
    """A second league cannot be created in the same database."""
    with pytest.raises(AlreadyExists):
        send(league, CreateLeague("Another"))


def test_a_hand_after_the_end_is_refused(league: League) -> None:
    """A match that has ended takes no further hand."""
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90), domino(0, 0, 80)))
    with pytest.raises(MatchOver) as refused:
        send(league, RecordHand("m1", domino(0, 0, 10)))
    assert (refused.value.hand, refused.value.ended_at) == (2, at(1))


def test_a_voided_match_is_left_alone(league: League) -> None:
    """Nothing more can be done with a voided match."""
    send(league, opened("m1", ("ana", "bea"), 0), VoidMatch("m1", "never played"))
    with pytest.raises(WrongState):
        send(league, VoidMatch("m1", "never played"))


def test_a_time_that_has_not_come_is_refused(league: League) -> None:
    """A match cannot begin in the future."""
    tomorrow = clock() + timedelta(days=1)
    with pytest.raises(InTheFuture):
        send(league, OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, tomorrow))


def test_a_time_by_a_clock_that_is_a_little_ahead_means_now(league: League) -> None:
    """This holds for all commands with a time of play, so nothing stored is in the future."""
    now = clock()
    ours, theirs, beyond = Dispatcher(league.store, lambda: now), *(now + timedelta(seconds=s) for s in (30, 30.001))
    for number, (kind, more) in enumerate(
        ((EndMatch, ()), (ForfeitMatch, (1,)), (RecordResult, (AnnouncedResult(0),)), (RecordHand, (domino(0, 0, 90),)))
    ):
        match_id = f"m{number}"
        opening = OpenMatch(match_id, "cuban-150", "1v1", "casual", ("ana", "bea"), None, theirs)
        with pytest.raises(InTheFuture):
            ours.send(replace(opening, played_at=beyond), "clerk")
        position = ours.send(opening, "clerk", key=match_id)
        assert ours.send(opening, "clerk", key=match_id) == position
        if kind is EndMatch:
            ours.send(RecordHand(match_id, domino(0, 0, 90)), "clerk")
        command = kind(match_id, *more)
        with pytest.raises(InTheFuture):
            ours.send(replace(command, played_at=beyond), "clerk")
        ours.send(replace(command, played_at=theirs), "clerk")
        opened_at, *_, last = (stored.played_at for stored in league.store.load(f"match:{match_id}"))
        assert (opened_at, last) == (now, None), kind


def test_a_time_without_an_offset_is_refused(league: League) -> None:
    """A time of play needs its offset from UTC, also where several editions hold one after the other."""
    adopt(league, "rating.cap = false", at(10))
    naive = at(0).replace(tzinfo=None)
    with pytest.raises(InvalidInput) as refused:
        send(league, OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, naive))
    assert refused.value.at == "played_at"


@pytest.mark.parametrize("bad", ["a\x00b", "a\ud800", "a b", "a:b", "a+b", "", "x" * 65])
def test_an_id_that_cannot_be_is_refused(league: League, bad: str) -> None:
    """An id with an invalid character is refused in any field, and never causes a failure of the database."""
    for command in (
        RegisterPlayer(bad, "Name"),
        RenamePlayer(bad, "Name"),
        opened(bad, ("ana", "bea"), 0),
        opened("m1", ("ana", bad), 0),
        RecordHand(bad, domino(0, 0, 10)),
    ):
        with pytest.raises((InvalidInput, NotFound)):
            send(league, command)


def test_a_match_is_decided_under_the_edition_of_its_beginning(league: League) -> None:
    """The edition that held when the match began decides whether a hand ends it."""
    adopt(league, "rulesets.cuban-150.target = 80", at(10))
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90)))
    send(league, played("m2", ("ana", "bea"), 10, domino(0, 0, 90)))
    assert [event.name for event in league.store.load("match:m1")][-1] == "hand-recorded/1"
    assert [event.name for event in league.store.load("match:m2")][-1] == "match-ended/1"
