"""Two competitors in a month of the series, before play: read at a moment of the month, or when it is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest
from leagues import (
    adopt,
    announced,
    at,
    block,
    catch_up,
    domino,
    found,
    league_at,
    opened,
    own_database,
    played,
    reading,
    send,
)

from league.domain.match import CorrectHand, EndMatch
from league.domain.player import ErasePlayer, RegisterPlayer
from league.projections.queries import encounters as reads
from league.projections.queries.encounters import EncounterRow, MonthOutlook
from league.projections.queries.pages import PageRequest, read_page
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot

IN_MARCH, AFTER_MARCH = datetime(2026, 3, 20, tzinfo=UTC), datetime(2026, 4, 1, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def march(embedded_server: str) -> Iterator[Snapshot]:
    """Ana leads Bea 3-0 and is locked with Cira at 4-0; Eva and Flor have one open match; two pairs met once.

    Gina has never played, and Hilda was erased.
    """
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, RegisterPlayer("gina", "Gina", None), RegisterPlayer("hilda", "Hilda", None))
            send(league, ErasePlayer("hilda"))
            for number in range(3):
                send(league, announced(f"ab{number}", ("ana", "bea"), number))
            for number in range(4):
                send(league, announced(f"ac{number}", ("ana", "cira"), 10 + number))
            send(league, opened("ef", ("eva", "flor"), 20))
            unknown = CorrectHand("ef2", 1, block(None, None, None), "not recorded")
            send(league, played("ef2", ("eva", "flor"), 22, domino(0, 0, 100)), EndMatch("ef2", None, at(24)), unknown)
            send(league, announced("pairs", ("ana", "cira", "bea", "dora"), 30))
            send(league, announced("casual", ("dora", "eva", "ana", "flor"), 40, competition="casual"))
            catch_up(league)
        with reading(url) as snapshot:
            yield snapshot


def outlook(march: Snapshot, own: str, other: str, now: datetime = IN_MARCH) -> MonthOutlook:
    """The two in March."""
    mode = "2v2" if "+" in own else "1v1"
    return reads.outlook(march, month_named(march, mode, "2026-03"), own, other, now)


def opponents(march: Snapshot, own: str, now: datetime = IN_MARCH) -> Sequence[str]:
    """Whom they can still meet in March, in order."""
    month = month_named(march, "2v2" if "+" in own else "1v1", "2026-03")
    rules, waiting = reads.rules_at(march, month, now), reads.open_matches(march, month, [own])[own]
    query = reads.opponents(march.run, month, own, rules, waiting, now)
    return [
        row.id
        for row in read_page(
            march.conn, reads.OpponentGamesRow, query, reads.MOST_AT_STAKE_FIRST, PageRequest(100)
        ).rows
    ]


def test_a_match_that_ended_without_a_winner_is_no_open_one(march: Snapshot) -> None:
    """Eva and Flor have one open match, and one whose only hand cannot be judged."""
    assert outlook(march, "eva", "flor").open_matches == 1


def test_before_play_both_see_what_a_game_would_change(march: Snapshot) -> None:
    """At 3-0 a win adds the last five points and locks the pair, a loss takes fifteen."""
    seen = outlook(march, "ana", "bea")
    assert (seen.wins, seen.losses, seen.locked, seen.may_meet, seen.next_counts) == (3, 0, False, True, True)
    assert (seen.holding(), seen.holding(more_wins=1), seen.holding(more_losses=1)) == ((20, 15), (20, 20), (10, 10))
    assert outlook(march, "bea", "ana").holding(more_wins=1) == (-10, -10)


def test_a_locked_pair_has_nothing_left(march: Snapshot) -> None:
    """A match that would not count is not opened."""
    seen = outlook(march, "cira", "ana")
    assert (seen.locked, seen.may_meet, seen.next_counts) == (True, False, False)


def test_open_matches_are_those_of_the_same_two(march: Snapshot) -> None:
    """Open matches between two players do not count for their pairs, nor the reverse."""
    assert outlook(march, "eva", "flor").open_matches == 1
    assert outlook(march, "eva+flor", "ana+bea").open_matches == 0


def test_a_month_that_is_over_has_no_next_game(march: Snapshot) -> None:
    """A month that is over has no next game, but keeps its games."""
    seen = outlook(march, "ana", "bea", AFTER_MARCH)
    assert (seen.wins, seen.over, seen.locked, seen.may_meet, seen.next_counts) == (3, True, False, False, False)
    assert opponents(march, "bea", AFTER_MARCH) == []


def test_a_player_can_play_everybody_registered(march: Snapshot) -> None:
    """The second game decides most; not who is locked or erased, nor oneself; who never played too."""
    assert opponents(march, "bea") == ["ana", "cira", "dora", "eva", "flor", "gina"]
    assert opponents(march, "ana") == ["bea", "dora", "eva", "flor", "gina"]


def test_a_pair_can_play_every_known_pair_of_others(march: Snapshot) -> None:
    """A pair can meet every pair of other players with a rating, even from a casual match."""
    assert opponents(march, "ana+bea") == ["cira+dora", "eva+flor"]
    assert opponents(march, "cira+flor") == ["ana+bea", "ana+dora"]


def test_open_matches_are_those_that_count(league_url: str) -> None:
    """The edition of an open match decides whether it takes a place: a casual match does if casual matches count."""
    with league_at(league_url) as league:
        adopt(league, 'series.competitions = ["casual", "competitive"]', at(24))
        for number, competition in enumerate(("casual", "special", "competitive")):
            send(league, opened(f"before-{number}", ("ana", "bea"), number, competition))
            send(league, opened(f"after-{number}", ("cira", "dora"), 24 + number, competition))
        send(league, announced("decided", ("ana", "flor"), 40))
        catch_up(league)
    with reading(league_url) as snapshot:
        month = month_named(snapshot, "1v1", "2026-03")
        assert reads.open_matches(snapshot, month, ["ana"]) == {"ana": {"bea": 2}}
        assert reads.open_matches(snapshot, month, ["cira"]) == {"cira": {"dora": 2}}


def all_encounters(
    march: Snapshot, mode: str, may_meet: bool | None, now: datetime = IN_MARCH
) -> Sequence[EncounterRow]:
    """Every two of the standings of March."""
    month = month_named(march, mode, "2026-03")
    rules, waiting = reads.rules_at(march, month, now), reads.all_open_matches(march, month)
    query = reads.encounters(march.run, month, 100, rules, waiting, now, may_meet=may_meet)
    return read_page(march.conn, EncounterRow, query, reads.BY_IDS, PageRequest(100)).rows


@pytest.mark.parametrize("now", [IN_MARCH, AFTER_MARCH])
@pytest.mark.parametrize("mode", ["1v1", "2v2"])
def test_every_encounter_of_a_month_is_that_of_the_two(march: Snapshot, mode: str, now: datetime) -> None:
    """Wins, losses, open matches and whether they may meet, as the two see them one by one."""
    rows = all_encounters(march, mode, None, now)
    seen = {(row.a, row.b): outlook(march, row.a, row.b, now) for row in rows}
    assert rows
    assert [(o.wins, o.losses, o.ignored, o.open_matches) for o in seen.values()] == [row[2:] for row in rows]
    for may_meet in (True, False):
        filtered = [(row.a, row.b) for row in all_encounters(march, mode, may_meet, now)]
        assert filtered == [two for two, it in seen.items() if it.may_meet is may_meet]


def test_open_matches_of_a_month_are_those_of_each_two(march: Snapshot) -> None:
    """One statement for all finds what each competitor has."""
    month = month_named(march, "1v1", "2026-03")
    assert reads.all_open_matches(march, month) == {("eva", "flor"): 1}
    assert reads.open_matches(march, month, ["ana", "flor"]) == {"ana": {}, "flor": {"eva": 1}}
