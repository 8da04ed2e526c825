"""The lock of the series: whether two competitors may begin another competitive match this month."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from given import EDITION
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.match_refusals import SeriesLocked
from league.domain.rules import SeriesRules
from league.domain.seating import competitor_of
from league.domain.series import Encounter, EnteredMatch, MatchEntered, enter_match, games_of, is_entered, months_around

RULES = EDITION.series
BASE = datetime(2026, 3, 2, 12, tzinfo=UTC)
FREE_AT = datetime(2026, 4, 1, 4, tzinfo=UTC)
ANA_BEA = Encounter("1v1", "2026-03", "ana", "bea")


def entered(results: str) -> list[EnteredMatch]:
    """Matches in the order decided, a letter each: won by `a`, won by `b`, or open (`o`)."""
    return [
        EnteredMatch(f"m{number}")
        if letter == "o"
        else EnteredMatch(f"m{number}", BASE + timedelta(hours=number), letter == "a")
        for number, letter in enumerate(results)
    ]


# ---------------------------------------------------------------- who meets whom


def test_a_pair_is_the_same_whatever_its_seats() -> None:
    """Seats the other way round and partners swapped are the same encounter, and so the same stream."""
    zone = ZoneInfo("UTC")
    one = Encounter.of("2v2", (("dora", "ana"), ("cira", "bea")), BASE, zone)
    assert one == Encounter.of("2v2", (("bea", "cira"), ("ana", "dora")), BASE, zone)
    assert one.stream == "series:2v2:2026-03:ana+dora:bea+cira"
    assert Encounter.of("1v1", (("bea",), ("ana",)), BASE, zone).stream == "series:1v1:2026-03:ana:bea"
    assert competitor_of(("eva",)) == "eva"


def test_an_encounter_is_of_the_month_in_which_the_match_begins_where_the_league_is() -> None:
    """An hour before midnight UTC it is still the month before in Havana, an hour later in UTC too."""
    time, sides = datetime(2026, 4, 1, 3, 59, tzinfo=UTC), (("ana",), ("bea",))
    assert Encounter.of("1v1", sides, time, ZoneInfo("America/Havana")).month == "2026-03"
    assert Encounter.of("1v1", sides, time, ZoneInfo("UTC")).month == "2026-04"


def test_what_takes_part_in_the_series() -> None:
    """Competitive and special matches of two players or two pairs; casual ones and individuals do not."""
    assert [is_entered(mode, "competitive", RULES) for mode in ("1v1", "2v2", "individuals")] == [True, True, False]
    assert is_entered("2v2", "special", RULES)
    assert not is_entered("1v1", "casual", RULES)
    casual_only = replace(RULES, competitions=("casual",))
    assert is_entered("1v1", "casual", casual_only)
    assert not is_entered("1v1", "competitive", casual_only)
    assert not is_entered("individuals", "casual", casual_only)


def test_around_a_month_are_its_neighbours_also_over_the_turn_of_a_year() -> None:
    """Their streams are those of the same two."""
    streams = ["series:1v1:2025-12:ana:bea", "series:1v1:2026-01:ana:bea", "series:1v1:2026-02:ana:bea"]
    assert replace(ANA_BEA, month="2026-01").streams_around == streams
    assert months_around("2025-12") == ("2025-11", "2025-12", "2026-01")


# ---------------------------------------------------------------- games


def test_games_count_in_the_order_decided() -> None:
    """The order of entry does not matter; at the same moment the lower id goes first, as bytes."""
    matches = entered("aaaab")
    assert games_of(matches, RULES) == games_of(matches[::-1], RULES) == (4, 0)
    at_once = [EnteredMatch("Z", BASE, a_won=False), EnteredMatch("a", BASE, a_won=True)]
    assert games_of(at_once, replace(RULES, limit=1)) == (0, 1)
    assert games_of(at_once[::-1], replace(RULES, limit=1)) == (0, 1)


def test_games_beyond_the_limit_count_nothing() -> None:
    """A late game after the deciding one changes nothing, regardless of its winner."""
    assert games_of(entered("abbaaabbb"), RULES) == (4, 2)
    assert games_of(entered("bbb"), replace(RULES, limit=2)) == (0, 2)


# ---------------------------------------------------------------- the decision


@pytest.mark.parametrize("results", ["", "ooo", "aaa", "abo", "abab", "aabbo", "ababab"])
def test_a_match_that_may_still_count_is_entered(results: str) -> None:
    """The larger of the wins, plus the open matches, is below the limit."""
    assert enter_match("new", ANA_BEA, entered(results), RULES, FREE_AT) == [MatchEntered("new")]


@pytest.mark.parametrize("results", ["oooo", "aaaa", "bbbb", "aaao", "abbbo", "aaboo", "abababo", "aaaabbb", "ooooo"])
def test_a_match_that_might_not_count_is_refused(results: str) -> None:
    """The larger of the wins, plus the open matches, has reached the limit; which of the two has won is the same."""
    with pytest.raises(SeriesLocked):
        enter_match("new", ANA_BEA, entered(results), RULES, FREE_AT)


def test_the_limit_is_a_setting() -> None:
    """Under a limit of three the third match is the last."""
    three = replace(RULES, limit=3)
    assert enter_match("new", ANA_BEA, entered("ab"), three, FREE_AT)
    with pytest.raises(SeriesLocked):
        enter_match("new", ANA_BEA, entered("abo" + "a"), three, FREE_AT)


def test_a_refusal_says_who_when_how_it_stands_and_until_when() -> None:
    """Its fields say so, and a sentence says what can be done instead."""
    with pytest.raises(SeriesLocked) as refused:
        enter_match("new", ANA_BEA, entered("abaoo"), RULES, FREE_AT)
    assert refused.value == SeriesLocked("competition", "ana", "bea", "1v1", "2026-03", 2, 1, 2, False, FREE_AT)
    assert (refused.value.field, refused.value.code) == ("competition", "SERIES_LOCKED")
    assert refused.value.message == (
        "'ana' and 'bea' stand at 2-1 and 2 still open in 2026-03 (1v1): an open match has to be decided or voided"
        " first; they can meet competitively again from 2026-04-01 04:00:00+00:00 at the latest, and casually at once"
    )


def test_a_refusal_of_a_locked_pair_names_no_open_match_that_would_help() -> None:
    """All games that count are played, whatever becomes of an open one."""
    with pytest.raises(SeriesLocked) as refused:
        enter_match("new", ANA_BEA, entered("aaaao"), RULES, FREE_AT)
    assert refused.value.locked
    assert refused.value.message == (
        "'ana' and 'bea' stand at 4-0 and 1 still open in 2026-03 (1v1):"
        " they can meet competitively again from 2026-04-01 04:00:00+00:00, and casually at once"
    )


def test_a_refusal_counts_only_what_counts() -> None:
    """Late matches beyond the limit do not move the standing that is named."""
    with pytest.raises(SeriesLocked) as refused:
        enter_match("new", ANA_BEA, entered("bbbbbab"), RULES, FREE_AT)
    assert (refused.value.a_wins, refused.value.b_wins, refused.value.open_matches) == (0, 4, 0)
    assert "stand at 0-4 in 2026-03" in refused.value.message


@given(st.text("abo", max_size=9), st.integers(1, 5))
def test_whatever_is_entered_counts_however_the_open_ones_end(results: str, limit: int) -> None:
    """After a match is admitted, it and all open ones count, regardless of their winners."""
    rules = SeriesRules(500, 5, limit, 40, 2)
    before = entered(results)
    try:
        enter_match("new", ANA_BEA, before, rules, FREE_AT)
    except SeriesLocked:
        return
    still_open, late = results.count("o") + 1, BASE + timedelta(days=9)
    for winner in (True, False):
        ended = [m if m.decided_at else EnteredMatch(m.match, late, winner) for m in [*before, EnteredMatch("new")]]
        assert sum(games_of(ended, rules)) == sum(games_of(before, rules)) + still_open
