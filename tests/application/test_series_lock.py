"""The lock of the series on a real log: a fifth game is refused when it is opened, and two tables never both pass."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from leagues import adopt, announced, at, at_once, block, domino, found, mode_for, opened, played, send, start_anew

from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher
from league.domain.league import ChangeSettings, CloseMonth
from league.domain.match import CorrectHand, EndMatch, OpenMatch, RecordResult, ReopenMatch, VoidMatch
from league.domain.match_refusals import SeriesLocked
from league.domain.refusals import WrongState
from league.domain.result import AnnouncedResult
from league.eventlog import codec
from league.eventlog.store import EventStore

ANA_BEA = ("ana", "bea")
MARCH_ENDS = datetime(2026, 4, 1, 4, tzinfo=UTC)
"""Where the league is, in Havana."""


def meet(league: League, results: str, seats: Sequence[str] = ANA_BEA) -> None:
    """Matches of two, a letter each: won by side 0 (`a`) or 1 (`b`), or still open (`o`)."""
    for number, letter in enumerate(results):
        match = f"{seats[0]}-{number}"
        score = (150, 100) if letter == "a" else (100, 150)
        send(league, opened(match, seats, number) if letter == "o" else announced(match, seats, number, score))


def is_free(league: League, seats: Sequence[str], began_at: datetime) -> bool:
    """Whether they may begin a competitive match. The attempt is voided afterwards."""
    match = f"attempt-{league.store.head()}"
    try:
        send(league, OpenMatch(match, "cuban-150", mode_for(seats), "competitive", tuple(seats), None, began_at))
    except SeriesLocked:
        return False
    send(league, VoidMatch(match, "only tried"))
    return True


# ---------------------------------------------------------------- refused, and what is not


def test_a_locked_pair_is_refused_with_all_that_one_wants_to_know(league: League) -> None:
    """The refusal has the two, the month, their games, and when they may meet again; nothing is stored."""
    meet(league, "abaaa")
    head = league.store.head()
    with pytest.raises(SeriesLocked) as refused:
        send(league, opened("m9", ("bea", "ana"), 100))
    assert refused.value == SeriesLocked("competition", "ana", "bea", "1v1", "2026-03", 4, 1, 0, True, MARCH_ENDS)
    assert league.store.head() == head


def test_open_matches_take_their_places(league: League) -> None:
    """With three open games a fourth may begin, but no fifth."""
    meet(league, "ooo")
    send(league, opened("m9", ANA_BEA, 100))
    with pytest.raises(SeriesLocked) as refused:
        send(league, opened("m10", ANA_BEA, 101))
    assert (refused.value.a_wins, refused.value.b_wins, refused.value.open_matches) == (0, 0, 4)


def test_a_match_that_ends_gives_a_place_back_when_it_leaves_one(league: League) -> None:
    """Four open matches of which two pairs of results cancel out: the larger of the wins counts, not their sum."""
    meet(league, "oooo")
    send(league, RecordResult("ana-0", AnnouncedResult(0, (150, 90)), at(5)))
    assert not is_free(league, ANA_BEA, at(9))
    send(league, RecordResult("ana-1", AnnouncedResult(1, (90, 150)), at(6)))
    assert is_free(league, ANA_BEA, at(9))


def test_the_same_match_may_be_played_casually(league: League) -> None:
    """A casual match of a locked pair is accepted, and takes no place; a special one is refused like any other."""
    meet(league, "aaaa")
    send(league, opened("m9", ANA_BEA, 100, "casual"))
    with pytest.raises(SeriesLocked):
        send(league, opened("m10", ANA_BEA, 101, "special"))
    meet(league, "aaa", ("cira", "dora"))
    for number in range(4):
        send(league, opened(f"casual-{number}", ("cira", "dora"), number, "casual"))
    assert is_free(league, ("cira", "dora"), at(100))


def test_individuals_are_never_locked(league: League) -> None:
    """A match of three, each for themselves, is no game between two competitors."""
    for number in range(6):
        seats = ("ana", "bea", "cira")
        send(league, OpenMatch(f"m{number}", "doscientos-100", "individuals", "competitive", seats, None, at(number)))
    assert [e for e in league.store.read_after(0, 1_000) if e.stream.startswith("series:")] == []


def test_a_void_frees_the_place(league: League) -> None:
    """Voiding an open or a decided match frees it; a reopened match still takes its place."""
    meet(league, "aaao")
    assert not is_free(league, ANA_BEA, at(50))
    send(league, VoidMatch("ana-3", "they did not play"))
    assert is_free(league, ANA_BEA, at(50))
    send(league, announced("m9", ANA_BEA, 20))
    assert not is_free(league, ANA_BEA, at(50))
    send(league, VoidMatch("ana-0", "it was another pair"))
    assert is_free(league, ANA_BEA, at(50))
    send(league, announced("m10", ANA_BEA, 21), ReopenMatch("m10", "it goes on"))
    assert not is_free(league, ANA_BEA, at(50))


def test_a_match_that_ended_without_counting_frees_its_place(league: League) -> None:
    """It ended, and its only hand was corrected to a block that cannot be judged; reopened, it takes a place."""
    meet(league, "aaa")
    send(league, played("m9", ANA_BEA, 10, domino(0, 0, 100)), EndMatch("m9", None, at(12)))
    assert not is_free(league, ANA_BEA, at(50))
    send(league, CorrectHand("m9", 1, block(None, None, None), "not recorded"))
    assert is_free(league, ANA_BEA, at(50))
    send(league, ReopenMatch("m9", "it goes on"))
    assert not is_free(league, ANA_BEA, at(50))


def test_a_pair_is_the_same_however_it_sits(league: League) -> None:
    """Sides the other way round and partners swapped; with another partner it is another pair."""
    seatings = [
        ("ana", "cira", "bea", "dora"),
        ("bea", "dora", "ana", "cira"),
        ("cira", "bea", "dora", "ana"),
        ("dora", "ana", "cira", "bea"),
    ]
    for number, seats in enumerate(seatings):
        # Ana and Bea win wherever they sit.
        score = (150, 50) if seats[0] in ("ana", "bea") else (50, 150)
        send(league, announced(f"m{number}", seats, number, score))
    for seats in seatings:
        with pytest.raises(SeriesLocked) as refused:
            send(league, opened("m9", seats, 50))
        assert (refused.value.a, refused.value.b, refused.value.mode) == ("ana+bea", "cira+dora", "2v2")
        assert (refused.value.a_wins, refused.value.b_wins) == (4, 0)
    assert is_free(league, ("ana", "bea", "cira", "dora"), at(50))
    assert is_free(league, ("ana", "cira"), at(50))


# ---------------------------------------------------------------- the competitions that count


def entered(league: League) -> list[str]:
    """The matches in the stream of ana and bea in March."""
    return [stored.event.match for stored in league.store.load("series:1v1:2026-03:ana:bea")]


def test_the_edition_says_which_competitions_are_entered(league: League) -> None:
    """Under an edition that counts casual matches and no special ones, where that edition holds."""
    adopt(league, 'series.competitions = ["casual", "competitive"]', at(24))
    send(league, opened("early-casual", ANA_BEA, 1, "casual"), opened("early-special", ANA_BEA, 2, "special"))
    send(league, opened("casual", ANA_BEA, 30, "casual"), opened("special", ANA_BEA, 31, "special"))
    assert entered(league) == ["early-special", "casual"]


def test_casual_matches_that_count_are_locked_too(league: League) -> None:
    """A locked pair cannot play casually either, and the refusal does not offer it."""
    adopt(league, 'series.competitions = ["casual"]')
    for number in range(4):
        send(league, announced(f"m{number}", ANA_BEA, number, competition="casual"))
    with pytest.raises(SeriesLocked) as refused:
        send(league, opened("m9", ANA_BEA, 50, "casual"))
    assert refused.value.casual_counts
    assert "casually" not in refused.value.message
    send(league, opened("m10", ANA_BEA, 51), opened("m11", ANA_BEA, 52, "special"))


def test_a_later_adoption_enters_nothing_and_takes_nothing_out(league: League) -> None:
    """A match is entered under the edition that holds when it is opened; what is adopted later changes folds only."""
    send(league, announced("casual", ANA_BEA, 0, competition="casual"))
    for number in range(4):
        send(league, announced(f"special-{number}", ANA_BEA, 1 + number, competition="special"))
    before = entered(league)
    adopt(league, 'series.competitions = ["casual", "competitive"]')
    assert entered(league) == before == [f"special-{number}" for number in range(4)]
    with pytest.raises(SeriesLocked):
        send(league, opened("m9", ANA_BEA, 50))


# ---------------------------------------------------------------- months


def test_the_next_month_is_free_from_its_first_moment(league: League) -> None:
    """In the league's time zone: at midnight in Havana, four hours later than in UTC."""
    meet(league, "bbbb")
    assert not is_free(league, ANA_BEA, datetime(2026, 4, 1, 3, 59, 59, 999_999, tzinfo=UTC))
    assert is_free(league, ANA_BEA, MARCH_ENDS)
    assert is_free(league, ANA_BEA, datetime(2026, 3, 1, 4, 59, tzinfo=UTC))


def test_a_match_counts_in_the_month_in_which_it_starts(league: League) -> None:
    """Four games that begin on the last evening of March and end in April lock March and leave April free."""
    began, ended = datetime(2026, 4, 1, 3, 30, tzinfo=UTC), datetime(2026, 4, 1, 6, tzinfo=UTC)
    for number in range(4):
        send(
            league,
            OpenMatch(f"m{number}", "cuban-150", "1v1", "competitive", ANA_BEA, None, began),
            RecordResult(f"m{number}", AnnouncedResult(0, (150, 100)), ended),
        )
    assert not is_free(league, ANA_BEA, began)
    assert is_free(league, ANA_BEA, ended)


def test_a_live_match_is_of_the_month_of_its_opening(league: League) -> None:
    """Without a time of play the clock says which month it is."""
    midnight = datetime(2026, 11, 1, 4, tzinfo=UTC)
    for now, month in ((midnight.replace(hour=3, minute=59), "2026-10"), (midnight, "2026-11")):
        match = f"live-{month}"
        command = OpenMatch(match, "cuban-150", "1v1", "competitive", ANA_BEA)
        Dispatcher(league.store, lambda now=now: now).send(command, "test")
        (entered,) = league.store.load(f"series:1v1:{month}:ana:bea")
        assert entered.event.match == match


def test_the_edition_of_a_match_says_how_many_games_count(league: League) -> None:
    """Under an edition with a lower limit the pair is locked earlier, where that edition holds."""
    adopt(league, "series.limit = 2", at(24))
    meet(league, "aa")
    assert is_free(league, ANA_BEA, at(23))
    assert not is_free(league, ANA_BEA, at(24))


def test_the_lock_goes_by_the_months_of_the_present_time_zone(league: League) -> None:
    """Games of an evening that is March in Havana and April in Tokyo lock March before the move and April after it."""
    evening = (datetime(2026, 3, 31, 20, tzinfo=UTC) - at(0)) / timedelta(hours=1)
    for number in range(4):
        send(league, announced(f"m{number}", ANA_BEA, evening))
    assert not is_free(league, ANA_BEA, at(1))
    assert is_free(league, ANA_BEA, datetime(2026, 4, 20, tzinfo=UTC))
    send(league, ChangeSettings(time_zone="Asia/Tokyo"))
    assert is_free(league, ANA_BEA, at(1))
    assert not is_free(league, ANA_BEA, datetime(2026, 4, 20, tzinfo=UTC))
    send(league, ChangeSettings(time_zone="America/Havana"))
    assert not is_free(league, ANA_BEA, at(1))
    assert is_free(league, ANA_BEA, datetime(2026, 4, 20, tzinfo=UTC))


def test_a_move_to_the_west_takes_matches_to_the_month_before(league: League) -> None:
    """Also over the turn of a year."""
    send(league, ChangeSettings(time_zone="Asia/Tokyo"))
    newyear = datetime(2025, 12, 31, 20, tzinfo=UTC)
    meet(league, "aaaa", ("cira", "dora"))
    for number in range(4):
        send(league, announced(f"m{number}", ANA_BEA, (newyear - at(0)) / timedelta(hours=1)))
    send(league, ChangeSettings(time_zone="America/Havana"))
    assert not is_free(league, ANA_BEA, datetime(2025, 12, 5, tzinfo=UTC))
    assert is_free(league, ANA_BEA, datetime(2026, 1, 5, tzinfo=UTC))
    assert not is_free(league, ("cira", "dora"), at(50))


# ---------------------------------------------------------------- in the log


def test_a_match_enters_in_the_same_save_as_it_opens(league: League) -> None:
    """Right behind its opening, with the same actor, key and time of play; only the id is kept."""
    league.dispatcher.send(opened("m1", ("bea", "ana"), 0), "kim", key="k1")
    opening, entering = league.store.read_after(league.store.head() - 2, 10)
    assert (opening.name, entering.name) == ("match-opened/1", "match-entered/1")
    assert entering.stream == "series:1v1:2026-03:ana:bea"
    assert (entering.actor, entering.key, entering.played_at) == ("kim", "k1", at(0))
    assert entering.event.match == "m1"


def test_opening_again_under_the_same_key_is_answered_also_when_the_pair_is_locked(league: League) -> None:
    """A request that was carried out is not refused when it is sent again."""
    meet(league, "aaa")
    first = league.dispatcher.send(opened("m9", ANA_BEA, 50), "kim", key="k1")
    assert league.dispatcher.send(opened("m9", ANA_BEA, 50), "kim", key="k1") == first


def test_matches_of_one_request_see_each_other(league: League) -> None:
    """Five in one request are refused together, and none of them is stored."""
    head = league.store.head()
    with pytest.raises(SeriesLocked):
        send(league, [opened(f"m{number}", ANA_BEA, number) for number in range(5)])
    assert league.store.head() == head


# ---------------------------------------------------------------- at the same moment


@pytest.mark.heavy
def test_two_tables_that_open_the_last_game_at_once_cannot_both_pass(league: League) -> None:
    """Exactly one of three writers with their own connections passes, however often it is tried."""
    url = league.database.url
    tables = {table: EventStore(url, codec) for table in ("t1", "t2", "t3")}

    def open_last(table: str) -> int:
        seats = ("bea", "ana") if table == "t2" else ANA_BEA
        return Dispatcher(tables[table], clock).send(opened(table, seats, 50), "test")

    try:
        for results in ("aaa", "ababab", "oob", "bbo"):
            start_anew(url)
            found(league)
            meet(league, results)
            answers = at_once(*(partial(open_last, table) for table in tables))
            assert sorted(type(answer).__name__ for answer in answers) == ["SeriesLocked", "SeriesLocked", "int"]
            assert len(league.store.load("series:1v1:2026-03:ana:bea")) == len(results) + 1
    finally:
        for store in tables.values():
            store.close()


# ---------------------------------------------------------------- closing


def test_a_month_is_closed_once_and_when_it_is_over(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last moment still belongs to it; a second closing stores nothing."""
    meet(league, "o")
    monkeypatch.setattr(EventStore, "time_reached", lambda _: datetime(2026, 4, 1, 3, 59, tzinfo=UTC))
    with pytest.raises(WrongState, match="not over"):
        send(league, CloseMonth("2026-03"))
    monkeypatch.setattr(EventStore, "time_reached", lambda _: MARCH_ENDS)
    head = send(league, CloseMonth("2026-03"))
    with pytest.raises(WrongState, match="closed"):
        send(league, CloseMonth("2026-03"))
    assert league.store.head() == head


def test_a_month_without_competitive_matches_is_not_closed(league: League) -> None:
    """Such as one that was mistyped; a match of the same request is enough, also when it is voided."""
    send(league, opened("casual", ANA_BEA, 0, "casual"), opened("april", ANA_BEA, 24 * 40))
    for month in ("1999-01", "2026-03", "2026-02"):
        with pytest.raises(WrongState, match="has no competitive match"):
            send(league, CloseMonth(month))
    send(league, opened("march", ANA_BEA, 1), VoidMatch("march", "never played"), CloseMonth("2026-03"))
    send(league, CloseMonth("2026-04"))


def test_a_month_that_took_matches_from_its_neighbour_can_be_closed(league: League) -> None:
    """After a change of the time zone they are still entered under the name of the other month."""
    send(league, opened("m1", ANA_BEA, 30 * 24 + 8), ChangeSettings(time_zone="Asia/Tokyo"))
    with pytest.raises(WrongState, match="has no competitive match"):
        send(league, CloseMonth("2026-05"))
    send(league, CloseMonth("2026-04"))


def test_a_closed_month_still_takes_late_matches(league: League) -> None:
    """Only the published list is closed; the log goes on, under the same limit."""
    meet(league, "aaa")
    send(league, CloseMonth("2026-03"))
    send(league, announced("m9", ANA_BEA, 50))
    assert not is_free(league, ANA_BEA, at(60))
