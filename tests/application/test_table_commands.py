"""Live tables on a real log: matches by commands, races, repeats, and a restore without the key."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from databases import lent, pool_of
from leagues import adopt, at_once, caught_up_digest, domino, found, league_at, rebuild, revised, send
from live_tables import alive
from msgspec.structs import replace
from waiting import LIMIT, wait_until

from league.application.bootstrap import League, clock
from league.application.dispatch import decide, store_decided
from league.application.stream_states import StateCache, StreamStates
from league.domain.match import (
    CorrectHand,
    EndMatch,
    ForfeitMatch,
    MatchState,
    OpenMatch,
    RecordHand,
    RecordResult,
    ReopenMatch,
    VoidMatch,
)
from league.domain.match_refusals import SeriesLocked
from league.domain.player import ErasePlayer, MergePlayers, UndoMerge
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, WrongState
from league.domain.result import AnnouncedResult, result_of
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.domain.rules import Mode
from league.eventlog.records import AppendRequest, Overtaken
from league.projections.queries.trail import TrailFilter, every_entry
from league.tables.application.clock_keeper import keep_clock
from league.tables.application.live_rows import stored_table, write_missing_rows
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    CloseTable,
    ContributeSeed,
    LeaveSeat,
    MeetDeadline,
    OpenTable,
    OpenTableOfMatch,
    PlayAsAI,
    PlayTile,
    SayReady,
    SeatAI,
    ShuffleCommitted,
    TableClosed,
    TakeSeat,
    TilePlayed,
)
from league.tables.domain.refusals import (
    HandIsOver,
    NothingDue,
    NotSeated,
    SeatOccupied,
    TableInPlay,
    TooManyTables,
    TurnTaken,
)
from league.tables.domain.seats import MOST_TABLES
from league.tables.domain.state import TableState, ai_to_act, due_of

SECRET = "a secret of the tables of this league"  # noqa: S105  # of a test


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    """A league of six players, with live tables."""
    with league_at(league_url, table_secret=SECRET) as league:
        alive(league, days=1)
        yield league


def state_of(league: League, table: str = "t") -> TableState:
    return stored_table(league.dispatcher.state_cache, table)


def do(league: League, *sent: Any) -> int:
    position = 0
    for command in sent:
        position = league.dispatcher.send(command, "somebody", "live")
    return position


def begun(league: League, *players: str, ruleset: str = "cuban-150", mode: Mode = "1v1", table: str = "t") -> None:
    """A table at which all sit and are ready."""
    do(league, OpenTable(table, ruleset, mode, "competitive", len(players)))
    do(league, *(TakeSeat(table, seat, player) for seat, player in enumerate(players)))
    do(league, *(SayReady(table, player) for player in players))


def go_on(league: League, table: str = "t") -> None:
    """Do the next thing for which the table waits."""
    state = state_of(league, table)
    for seat in state.awaited:
        do(league, ContributeSeed(table, state.seats[seat].player or "", state.hand, "ab" * 32))
    for seat in state.offers:
        do(league, AnswerReshuffle(table, state.seats[seat].player or "", state.hand, False))
    if state.phase == "playing":
        do(league, a_move(state))


def a_move(state: TableState, choice: int = 0) -> Any:
    """A legal play of the seat to move."""
    assert state.play is not None
    tile, end = state.play.legal_plays()[choice]
    if (act := ai_to_act(state)) is not None:
        return PlayAsAI(state.table, act.seat, state.hand, state.turn, tile, end)
    player = state.seats[state.play.to_move].player or ""
    return PlayTile(state.table, player, state.hand, state.turn, tile, end)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("ruleset", "mode", "seats"),
    [("cuban-150", "1v1", 2), ("partnership-6", "2v2", 4), ("doscientos-100", "individuals", 3)],
)
def test_a_match_is_played_by_commands(league: League, ruleset: str, mode: Mode, seats: int) -> None:
    """Its hands arrive in the match, which ends with the table, and rates like any other match."""
    players = ("ana", "bea", "cira", "dora")[:seats]
    adopt(league, "[rulesets.partnership-6]\ntarget = 2")  # to six, with a score that is reset, took fifty hands
    begun(league, *players, ruleset=ruleset, mode=mode)
    while (state := state_of(league)).phase != "closed":
        go_on(league)
    played = match_of(league).played
    assert played is not None
    assert state.played is not None
    assert played.hands == state.played.hands
    result = result_of(played, state.ruleset)
    assert result.status == "completed"
    folded = caught_up_digest(league)
    with lent(league.database.url) as conn:
        rows = conn.execute("SELECT status, winner, score FROM matches WHERE match_id = 't'").fetchall()
        rated = {player for (player,) in conn.execute("SELECT id FROM changes WHERE subject = 'player'")}
    assert rows == [("completed", result.winner, result.score and list(result.score))]
    assert rated == (set(players) if mode != "individuals" else set())
    assert rebuild(league) == folded


def test_the_events_of_a_move_are_one_save(league: League) -> None:
    """The hand, its facts in the match and the next shuffle come from one request, at dense positions."""
    begun(league, "ana", "bea")
    before = 0
    while state_of(league).hand == 1:
        before = league.store.head()
        go_on(league)
    stored = league.store.read_after(before, 100)
    streams = [event.stream for event in stored]
    assert "match:t" in streams
    assert stored[0].name == "table-tile-played/1"
    assert [event.name for event in stored][-1].startswith("hand-recorded")
    assert len({event.recorded_at.replace(microsecond=0) for event in stored}) <= 2
    assert {event.source for event in stored} == {"live"}


def test_the_match_opens_with_the_first_deal(league: League) -> None:
    """At the time at which play began, with the deciding draw; and it is entered in the series of its month."""
    begun(league, "ana", "bea")
    assert match_of(league).played is None
    go_on(league)
    match, state = match_of(league), state_of(league)
    assert match.live
    assert match.played is not None
    assert state.began is not None
    assert (match.played.seats, match.played.began_at) == (("ana", "bea"), state.began.at)
    assert match.played.starting_draw == state.drawn
    month = f"{match.played.began_at:%Y-%m}"
    assert league.store.has_stream(f"series:1v1:{month}:ana:bea") or league.store.has_stream("series:1v1:")


def test_practice_makes_no_match(league: League) -> None:
    """Nothing of it is in a match or in a series."""
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"), TakeSeat("t", 0, "ana"))
    do(league, SeatAI("t", 1, "random"), SayReady("t", "ana"))
    while state_of(league).phase != "closed":
        go_on(league)
    assert match_of(league).played is None
    assert not league.store.has_stream("series:")


# ---------------------------------------------------------------- once


def test_a_repeated_move_gets_the_first_answer(league: League) -> None:
    """Without an idempotency key too, at any later time; nothing is stored again."""
    begun(league, "ana", "bea")
    go_on(league)
    moves = []
    while state_of(league).closed is None:
        state = state_of(league)
        if state.phase == "playing":
            moves.append((move := a_move(state), do(league, move)))
        else:
            go_on(league)
    head = league.store.head()
    for move, position in (moves[0], moves[3], moves[-1]):
        first = do(league, move)
        assert first <= position
        made = league.store.read_after(first - 1, 1)[0].event
        assert isinstance(made, TilePlayed)
        assert (made.hand, made.turn) == (move.hand, move.turn)
    assert league.store.head() == head
    other = replace(moves[3][0], tile=(9, 9) if moves[3][0].tile != (9, 9) else (8, 8))
    with pytest.raises(HandIsOver):
        do(league, other)


def test_what_is_so_already_is_answered_without_an_event(league: League) -> None:
    """Sitting down twice, being ready twice, contributing twice."""
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"))
    for command in (
        TakeSeat("t", 0, "ana"), SayReady("t", "ana"), TakeSeat("t", 1, "bea"),
        SayReady("t", "bea"), ContributeSeed("t", "ana", 1, "cd" * 32),
    ):  # fmt: skip
        first = do(league, command)
        assert do(league, command) == first == league.store.head()


def test_of_two_devices_one_moves(league: League) -> None:
    """Two different tiles for one turn at once: one is played, the other device hears what happened."""
    begun(league, "ana", "bea")
    go_on(league)
    for _ in range(5):
        while state_of(league).phase != "playing":
            go_on(league)
        state = state_of(league)
        assert state.play is not None
        if len(state.play.legal_plays()) < 2:
            go_on(league)
            continue
        one, two = a_move(state), a_move(state, 1)
        answers = at_once(partial(do, league, one), partial(do, league, two))
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        assert len(refused) == 1
        assert isinstance(refused[0], TurnTaken | HandIsOver)


def test_the_same_move_from_two_devices_is_made_once(league: League) -> None:
    """Both get the answer."""
    begun(league, "ana", "bea")
    while state_of(league).phase != "playing":  # a deal with many doubles is offered to be dealt anew first
        go_on(league)
    move = a_move(state_of(league))
    answers = at_once(*[partial(do, league, move)] * 4)
    assert all(isinstance(answer, int) for answer in answers)
    assert len([e for e in league.store.load("table:t") if isinstance(e.event, TilePlayed)]) == 1


def test_a_move_and_its_deadline_at_once(league: League) -> None:
    """One of them happens."""
    begun(league, "ana", "bea")
    go_on(league)
    go_on(league)
    for _ in range(5):
        while state_of(league).phase != "playing":
            go_on(league)
        state = state_of(league)
        due = due_of(state)
        if due is None:
            break  # after two timeouts an AI plays
        assert state.play is not None
        chosen = state.play.legal_plays()[0] if state.turn == 1 else None
        meet = MeetDeadline("t", due.at, chosen)
        alive(league)
        answers = at_once(partial(do, league, a_move(state)), partial(do, league, meet))
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        assert len(refused) == 1
        assert isinstance(refused[0], TurnTaken | NothingDue | HandIsOver)


def test_two_players_sit_down_at_one_seat(league: League) -> None:
    """One of them gets it."""
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"))
    answers = at_once(*[partial(do, league, TakeSeat("t", 0, player)) for player in ("ana", "bea", "cira")])
    assert sum(isinstance(answer, int) for answer in answers) == 1
    assert {type(answer) for answer in answers} == {int, SeatOccupied}


def test_a_player_has_a_few_tables_at_once(league: League) -> None:
    """Opened or sat at, also where several are opened at the same moment. Scorekeepers and admins open any number."""

    def opened(number: int, by: str | None = "ana") -> OpenTable:
        return OpenTable(f"t{number}", "cuban-150", "1v1", "casual", opened_by=by)

    for number in range(MOST_TABLES):
        do(league, opened(number, None))
    for number in range(MOST_TABLES - 1):
        do(league, TakeSeat(f"t{number}", 0, "ana"))
    answers = at_once(*(partial(do, league, opened(number)) for number in (30, 31, 32)))
    assert sorted(map(str, map(type, answers))) == sorted(map(str, (int, TooManyTables, TooManyTables)))
    with pytest.raises(TooManyTables):
        do(league, TakeSeat(f"t{MOST_TABLES - 1}", 0, "ana"))
    do(league, TakeSeat(f"t{MOST_TABLES - 1}", 0, "bea"))
    do(league, CloseTable("t0"))
    do(league, TakeSeat(f"t{MOST_TABLES - 1}", 1, "ana"))


def test_a_process_that_knows_an_older_state_sees_newer_events(league: League, league_url: str) -> None:
    """Two processes play at one table in turns; each loads what the other has stored."""
    begun(league, "ana", "bea")
    go_on(league)
    with league_at(league_url, table_secret=SECRET) as other:
        for number in range(12):
            go_on((league, other)[number % 2])
        cached = stored_table(other.dispatcher.state_cache, "t")
        assert same(cached, stored_table(StateCache(league.store), "t"))


def test_several_tables_are_loaded_at_one_moment(league: League) -> None:
    """Cached tables, tables with newer events and a missing one are loaded with their positions."""
    states = StateCache(league.store)
    do(league, *(OpenTable(table, "cuban-150", "1v1", "competitive") for table in ("t", "u")))
    stored_table(states, "t"), stored_table(states, "u")
    newest = do(league, TakeSeat("u", 0, "ana"))
    found = states.load_many(["table:t", "table:u", "table:none"])
    assert {id_: (table.state.version, table.position) for id_, table in found.items()} == {
        "table:t": (1, league.store.newest_position("table:t")), "table:u": (2, newest), "table:none": (0, 0)
    }  # fmt: skip
    assert found["table:u"].state.seat_of("ana") == 0


# ---------------------------------------------------------------- beside the table


@pytest.mark.parametrize(
    "command",
    [
        RecordHand("t", domino(0, (), 12)), CorrectHand("t", 1, domino(0, (), 12), "?"), EndMatch("t"),
        RecordResult("t", AnnouncedResult(0, None)), ReopenMatch("t", "?"),
    ],
)  # fmt: skip
def test_a_match_in_play_is_not_changed_by_hand(league: League, command: Any) -> None:
    """The refusal names the table. Other matches do not look for one."""
    begun(league, "ana", "bea")
    go_on(league)
    with pytest.raises(TableInPlay) as refused:
        do(league, command)
    assert refused.value == TableInPlay("t")


def test_a_finished_match_is_corrected_as_any_other(league: League) -> None:
    """It can be corrected once its table is closed."""
    begun(league, "ana", "bea")
    while state_of(league).phase != "closed":
        go_on(league)
    do(league, CorrectHand("t", 1, domino(0, (), 12), "a test"))


@pytest.mark.parametrize(("command", "reason"), [(VoidMatch("t", "?"), "voided"), (ForfeitMatch("t", 0), "forfeited")])
def test_a_match_that_is_ended_from_outside_closes_its_table(league: League, command: Any, reason: str) -> None:
    """In the same save; no move is made after it."""
    begun(league, "ana", "bea")
    go_on(league)
    go_on(league)
    move = a_move(state_of(league)) if state_of(league).phase == "playing" else None
    do(league, command)
    assert state_of(league).closed == reason
    if move is not None:
        with pytest.raises(WrongState):
            do(league, move)
    assert rows(league) == []
    do(league, OpenTable("u", "cuban-150", "1v1", "competitive"))


def test_a_locked_pair_is_told_when_it_sits(league: League) -> None:
    """The last of the two to sit down; casually they may play."""
    for number in range(4):
        send(league, OpenMatch(f"m{number}", "cuban-150", "1v1", "competitive", ("ana", "bea")))
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"), TakeSeat("t", 0, "bea"))
    with pytest.raises(SeriesLocked):
        do(league, TakeSeat("t", 1, "ana"))
    do(league, TakeSeat("t", 1, "cira"))
    do(league, OpenTable("u", "cuban-150", "1v1", "casual"), TakeSeat("u", 0, "bea"))
    do(league, TakeSeat("u", 1, "ana"))


def test_a_pair_that_sits_already_is_not_told_again(league: League) -> None:
    """Taking the own seat once more changes nothing, so it is not refused either."""
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"), TakeSeat("t", 0, "bea"))
    sat = do(league, TakeSeat("t", 1, "ana"))
    for number in range(4):
        send(league, OpenMatch(f"m{number}", "cuban-150", "1v1", "competitive", ("ana", "bea")))
    assert do(league, TakeSeat("t", 1, "ana")) == sat


def test_a_pair_that_is_locked_while_it_shuffles_does_not_play(league: League) -> None:
    """Its last match of the month was opened elsewhere meanwhile: the table closes and says why."""
    begun(league, "ana", "bea")
    for number in range(4):
        send(league, OpenMatch(f"m{number}", "cuban-150", "1v1", "competitive", ("ana", "bea")))
    go_on(league)
    assert state_of(league).closed == "locked"
    assert match_of(league).played is None


def test_the_table_keeps_the_rules_of_its_beginning(league: League) -> None:
    """Another edition is adopted, for all matches, while the table plays."""
    begun(league, "ana", "bea")
    go_on(league)
    adopt(league, "[rulesets.cuban-150]\ntarget = 20\n")
    while state_of(league).phase != "closed":
        go_on(league)
    state = state_of(league)
    assert state.ruleset.target == 150
    played = match_of(league).played
    assert played is not None
    assert max(result_of(played, state.ruleset).score or ()) >= 150


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (TakeSeat("nowhere", 0, "ana"), NotFound), (OpenTable("t t", "cuban-150", "1v1", "casual"),
        InvalidInput), (OpenTable("t", "cuban-150", "1v1", "casual", opened_by="zoe"), NotFound),
        (OpenTable("t", "cuban-150", "1v1", "casual", invited=("zoe",)), NotFound),
        (PlayTile("a b", "ana", 1, 1, (0, 0), None), NotFound),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(league: League, command: Any, kind: type) -> None:
    """Tables and players, and ids that cannot be."""
    with pytest.raises(kind):
        do(league, command)


def test_an_id_is_used_once(league: League) -> None:
    """It is used for a table and for the match that the table plays."""
    do(league, OpenTable("t", "cuban-150", "1v1", "casual"))
    with pytest.raises(AlreadyExists):
        do(league, OpenTable("t", "cuban-150", "1v1", "casual"))
    send(league, OpenMatch("m", "cuban-150", "1v1", "casual", ("ana", "bea")))
    with pytest.raises(AlreadyExists):
        do(league, OpenTable("m", "cuban-150", "1v1", "casual"))


def test_a_player_whom_nobody_knows_does_not_sit_down(league: League) -> None:
    """An erased player does not sit down either."""
    do(league, OpenTable("t", "cuban-150", "1v1", "casual"))
    send(league, ErasePlayer("flor"))
    with pytest.raises(NotFound):
        do(league, TakeSeat("t", 0, "zoe"))
    with pytest.raises(WrongState):
        do(league, TakeSeat("t", 0, "flor"))


def test_a_player_who_is_erased_while_the_table_shuffles_does_not_play(league: League) -> None:
    """The match cannot be opened, so the table closes."""
    begun(league, "ana", "flor")
    send(league, ErasePlayer("flor"))
    go_on(league)
    assert state_of(league).closed == "abandoned"


@pytest.mark.parametrize(
    ("command", "meanwhile"),
    [
        (OpenTable("t2", "cuban-150", "1v1", "casual", opened_by="cira"), ErasePlayer("cira")),
        (OpenTable("t2", "cuban-150", "1v1", "casual", invited=("cira",)), ErasePlayer("cira")),
        (TakeSeat("t1", 1, "bea"), ErasePlayer("bea")),
        (TakeSeat("t1", 1, "bea"), MergePlayers("ana", "bea")),
        (SayReady("t3", "bea"), ErasePlayer("ana")),
        (SayReady("t4", "bea"), ErasePlayer("ana")),
        (SayReady("t3", "bea"), AdoptEdition(2)),
        (OpenMatch("m1", "cuban-150", "1v1", "casual", ("ana", "bea")), AdoptEdition(2)),
        (OpenTableOfMatch("m2", "cira"), VoidMatch("m2", "It was never played.")),
        (
            OpenMatch("t9", "cuban-150", "1v1", "casual", ("ana", "bea")),
            OpenTable("t9", "cuban-150", "1v1", "casual"),
        ),
    ],
    ids=[
        "opened by",
        "invited",
        "erased",
        "merged",
        "both ready",
        "one ready",
        "adopted",
        "match",
        "table of a match",
        "table of its id",
    ],
)
def test_what_players_or_rules_decide_is_decided_again_when_they_change(
    league: League, command: Any, meanwhile: Any
) -> None:
    """A table is not opened for a player who was erased meanwhile, nor played under rules that were replaced."""
    send(league, PublishEdition(revised("rating.k.provisional = 32")))
    for table in ("t1", "t3", "t4"):
        do(league, OpenTable(table, "cuban-150", "1v1", "casual"))
        do(league, TakeSeat(table, 0, "ana"))
    do(league, TakeSeat("t3", 1, "bea"), TakeSeat("t4", 1, "bea"))
    do(league, SayReady("t3", "ana"))
    send(league, OpenMatch("m2", "cuban-150", "1v1", "casual", ("cira", "dora")))
    states = StreamStates(league.store, clock(), league.dispatcher.state_cache)
    appends = decide([command], states)
    if meanwhile == ErasePlayer("ana"):
        do(league, LeaveSeat("t1", "ana"))
    send(league, meanwhile)
    with pytest.raises(Overtaken):
        store_decided(appends, states, AppendRequest("test", "manual"))


def test_a_match_is_not_opened_at_a_table_for_a_player_who_was_erased_meanwhile(league: League) -> None:
    """The deal that opens it is decided again."""
    do(league, OpenTable("t1", "cuban-150", "1v1", "casual"))
    for seat, player in enumerate(("ana", "bea")):
        do(league, TakeSeat("t1", seat, player))
    do(league, SayReady("t1", "ana"), SayReady("t1", "bea"))
    do(league, ContributeSeed("t1", "ana", 1, "5a" * 32))
    states = StreamStates(league.store, clock(), league.dispatcher.state_cache)
    appends = decide([ContributeSeed("t1", "bea", 1, "5a" * 32)], states)
    send(league, ErasePlayer("ana"))
    with pytest.raises(Overtaken):
        store_decided(appends, states, AppendRequest("test", "manual"))


def test_a_table_is_not_closed_for_what_was_undone_meanwhile(league: League) -> None:
    """The two who are one person, and may not play each other, are two again when the table would be closed."""
    do(league, OpenTable("t1", "cuban-150", "1v1", "casual"))
    for seat, player in enumerate(("ana", "bea")):
        do(league, TakeSeat("t1", seat, player))
    do(league, SayReady("t1", "ana"), SayReady("t1", "bea"))
    do(league, ContributeSeed("t1", "ana", 1, "5a" * 32))
    send(league, MergePlayers("ana", "bea"))
    states = StreamStates(league.store, clock(), league.dispatcher.state_cache)
    appends = decide([ContributeSeed("t1", "bea", 1, "5a" * 32)], states)
    assert appends[0].events == (TableClosed("abandoned"),)
    send(league, UndoMerge("ana", "bea"))
    with pytest.raises(Overtaken):
        store_decided(appends, states, AppendRequest("test", "manual"))


def test_a_match_does_not_take_the_id_of_a_table(league: League) -> None:
    """The table could not open its match when play begins."""
    do(league, OpenTable("t", "cuban-150", "1v1", "casual"))
    with pytest.raises(AlreadyExists):
        send(league, OpenMatch("t", "cuban-150", "1v1", "casual", ("ana", "bea")))


def test_a_repeated_answer_to_a_reshuffle_gets_the_first_answer(league: League) -> None:
    """In this hand; the other answer is refused."""
    adopt(league, "[rulesets.cuban-150.live]\nreshuffle_doubles = 1\n")
    begun(league, "ana", "bea")
    for player in ("ana", "bea"):
        do(league, ContributeSeed("t", player, 1, "ab" * 32))
    offers = state_of(league).offers
    assert offers
    player = state_of(league).seats[offers[0]].player or ""
    answer = AnswerReshuffle("t", player, 1, False)
    first = do(league, answer)
    for seat in offers[1:]:
        do(league, AnswerReshuffle("t", state_of(league).seats[seat].player or "", 1, False))
    state = state_of(league)
    assert state.play is not None
    plays = state.play.legal_plays()
    do(
        league, a_move(state, next(n for n, (tile, _end) in enumerate(plays) if tile[0] != tile[1]))
    )  # a double may end it
    assert do(league, answer) == first
    with pytest.raises(WrongState):
        do(league, AnswerReshuffle("t", player, 1, True))


def test_a_player_who_is_erased_while_the_table_gathers_frees_the_seat(league: League) -> None:
    """The table stays open for the others."""
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"))
    do(league, TakeSeat("t", 0, "ana"), TakeSeat("t", 1, "flor"), SayReady("t", "flor"))
    send(league, ErasePlayer("flor"))
    do(league, SayReady("t", "ana"))
    state = state_of(league)
    assert (state.phase, [seat.player for seat in state.seats]) == ("open", ["ana", None])
    do(league, TakeSeat("t", 1, "bea"), SayReady("t", "bea"))
    assert state_of(league).phase == "shuffling"


def test_a_move_of_a_dropped_hand_is_no_answer(league: League, league_url: str) -> None:
    """The hand is dealt again, so the same move is a move of another deal."""
    begun(league, "ana", "bea")
    while state_of(league).turn < 2:
        go_on(league)
    before = state_of(league)
    played = next(move for move in before.moves if isinstance(move, TilePlayed))
    move = PlayTile("t", before.seats[played.seat].player or "", 1, played.turn, played.tile, played.end)
    assert do(league, move) > 0
    other = "another secret of tables, as long as the first one"
    with league_at(league_url, table_secret=other) as restored:
        due = due_of(state_of(restored))
        assert due is not None
        alive(restored)
        do(restored, MeetDeadline("t", due.at))
        with pytest.raises(WrongState):  # it is being shuffled
            do(restored, move)
        while state_of(restored).turn < 2:
            go_on(restored)
        again = state_of(restored).moves[0]
        assert isinstance(again, TilePlayed)
        if again.tile != played.tile:
            with pytest.raises(TurnTaken):
                do(restored, move)


# ---------------------------------------------------------------- the row


def test_the_row_says_what_the_table_waits_for(league: League) -> None:
    """It has the times of the log at each step of a match; a closed table has no row."""
    do(league, OpenTable("t", "cuban-150", "1v1", "competitive"), TakeSeat("t", 0, "ana"))
    do(league, SeatAI("t", 1, "inference"), SayReady("t", "ana"))
    seen = set()
    while (state := state_of(league)).phase != "closed":
        due, act = due_of(state), ai_to_act(state)
        assert rows(league) == [
            ("t", state.version, state.phase, due and due.at, due and due.what, act and act.seat, act and act.level)
        ]
        seen.add((due and due.what, act is None))
        go_on(league)
    assert rows(league) == []
    assert {("contributions", True), ("turn", True), (None, False)} <= seen


def test_a_restored_league_gets_the_rows_of_its_open_tables(league: League) -> None:
    """A backup does not hold them. Rows that are there, and closed tables, are left alone."""
    begun(league, "ana", "bea")
    go_on(league)
    do(league, OpenTable("u", "cuban-150", "1v1", "casual"), CloseTable("u"))
    before = rows(league)
    with lent(league.database.url) as conn:
        conn.execute("DELETE FROM live_tables")
    assert rows(league) == []
    assert write_missing_rows(league.store, league.database.url) == ["t"]
    assert rows(league) == before
    assert write_missing_rows(league.store, league.database.url) == []


def test_the_clock_finds_a_table_without_a_row(league: League) -> None:
    """The table is of a league whose restore was killed before it wrote the rows."""
    begun(league, "ana", "bea")
    with lent(league.database.url) as conn:
        conn.execute("DELETE FROM live_tables")
    ended = threading.Event()
    clock = threading.Thread(target=keep_clock, args=(league, ended))
    clock.start()
    try:
        wait_until(lambda: rows(league) != [])
    finally:
        ended.set()
        clock.join(LIMIT)
    assert not clock.is_alive()


# ---------------------------------------------------------------- the secret


def test_the_secret_of_a_running_hand_is_sealed(league: League) -> None:
    """In no column of the log in clear, nor in what the hand's events say; when the hand has ended it is published."""
    begun(league, "ana", "bea")
    go_on(league)
    secret = state_of(league).secret
    assert secret is not None
    assert secret.encode() not in whole_log(league)
    with pool_of(league.database.url).connect() as conn:
        shown = [entry.event for entry in every_entry(conn, TrailFilter()) if isinstance(entry.event, ShuffleCommitted)]
    assert [event.secret for event in shown] == [None]
    while state_of(league).hand == 1:
        go_on(league)
    assert secret.encode() in whole_log(league)


@pytest.mark.heavy
@pytest.mark.parametrize("other", [None, "another secret of tables, as long as the first one"])
def test_a_hand_that_cannot_be_opened_is_dealt_again(league: League, league_url: str, other: str | None) -> None:
    """After a restore without its key: finished hands stay, the running one counts for nothing."""
    begun(league, "ana", "bea")
    while state_of(league).hand < 3 and state_of(league).phase != "closed":
        go_on(league)
    while state_of(league).turn < 3:
        go_on(league)
    before = state_of(league)
    assert before.played is not None
    move = a_move(before)
    with league_at(league_url, table_secret=other) as restored:
        state = state_of(restored)
        assert (state.unreadable, state.secret, state.play) == (True, None, None)
        assert state.played == before.played
        due = due_of(state)
        assert due is not None
        if other is None:
            with pytest.raises(WrongState):
                do(restored, MeetDeadline("t", due.at))
            return
        with pytest.raises(WrongState):
            do(restored, move)
        assert due.what == "hand"
        alive(restored)
        do(restored, MeetDeadline("t", due.at))
        assert state_of(restored).phase == "shuffling"
        assert state_of(restored).hand == before.hand
        while state_of(restored).phase != "closed":
            go_on(restored)
        played = match_of(restored).played
        assert played is not None
        assert played.hands[: len(before.played.hands)] == before.played.hands


def test_no_table_opens_without_a_secret(database_url: str) -> None:
    """On a server that has none, hands could not be sealed."""
    with league_at(database_url, table_secret=None) as league:
        found(league)
        with pytest.raises(WrongState):
            do(league, OpenTable("t", "cuban-150", "1v1", "casual"))


def match_of(league: League) -> MatchState:
    return StreamStates(league.store, league.dispatcher.clock()).match("t")


def rows(league: League) -> list[tuple[Any, ...]]:
    query = "SELECT table_id, version, phase, due_at, due, ai_seat, ai_level FROM live_tables WHERE table_id = 't'"
    with lent(league.database.url) as conn:
        return list(conn.execute(query))


def whole_log(league: League) -> bytes:
    with lent(league.database.url) as conn:
        return b"".join(bytes(state) for (state,) in conn.execute("SELECT state FROM stored_events"))


def same(one: TableState, other: TableState) -> bool:
    """Whether two states are equal; hands in play are compared by their turns."""
    turns = [state.play and (state.play.held, state.play.turns) for state in (one, other)]
    return replace(one, play=None) == replace(other, play=None) and turns[0] == turns[1]


def test_one_player_sits_at_a_table_once(league: League) -> None:
    """Two merged ids are refused; a table where both sat before the merge opens no match."""
    begun(league, "ana", "bea")
    do(league, OpenTable("t2", "cuban-150", "1v1", "casual"), TakeSeat("t2", 0, "ana"))
    send(league, MergePlayers("ana", "bea"))
    with pytest.raises(WrongState, match="'ana'"):
        do(league, TakeSeat("t2", 1, "bea"))
    go_on(league)
    assert (state_of(league).phase, league.store.load("match:t")) == ("closed", [])


def test_a_merged_player_acts_by_either_id(league: League) -> None:
    """At the seat that one of the ids took, once the two are merged; when the merge is undone, each for itself."""
    begun(league, "ana", "bea")
    contributed = ContributeSeed("t", "cira", 1, "ab" * 32)
    with pytest.raises(NotSeated):
        do(league, contributed)
    send(league, MergePlayers("cira", "ana"))
    do(league, contributed, ContributeSeed("t", "bea", 1, "cd" * 32))
    assert state_of(league).contributions == ("ab" * 32, "cd" * 32)
    do(league, LeaveSeat("t", "cira"))
    assert state_of(league).seats[0].left
    send(league, UndoMerge("cira", "ana"))
    with pytest.raises(NotSeated):
        do(league, LeaveSeat("t", "cira"))
    do(league, TakeSeat("t", 0, "ana"))
    assert not state_of(league).seats[0].left
    assert {seat.player for seat in state_of(league).seats} == {"ana", "bea"}
