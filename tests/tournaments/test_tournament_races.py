"""Two organisers act at once, each on a server of their own: nothing is doubled, lost or half stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from busy_tournaments import (
    COME_BACK,
    DRAW,
    WITHDRAW_ROUND,
    Act,
    absent,
    before_bracket,
    before_semi_finals,
    carry_out,
    check,
    correct,
    in_quarter_finals,
    in_round_robin,
    in_semi_finals,
    in_swiss,
    in_tie,
    leave_drawn,
    leave_table,
    play_hand,
    publish,
    record,
    times_ended,
)
from leagues import league_at
from played_tournaments import planned, published, register, state_of
from processes import started
from waiting import LIMIT

from league.application.bootstrap import League
from league.domain.refusals import Refusal

pytestmark = pytest.mark.heavy


Codes = tuple[str | None, str | None]


class Race(NamedTuple):
    """What two ask for at once. For each: the code of its refusal if it comes second; None if it is stored."""

    before: Callable[[League], None]
    one: Act
    one_late: str | None
    other: Act
    other_late: str | None


RACES = {
    "two keepers record a game": Race(in_tie, record(1, 0), "MATCH_OVER", record(1, 1), "MATCH_OVER"),
    "two tables end": Race(in_swiss, record(1, 0), None, record(2, 1), None),
    "a game ends, a side leaves": Race(in_tie, record(1, 1), "MATCH_VOIDED", leave_table, None),
    "a tie ends, a side leaves": Race(in_tie, record(1, 0), "MATCH_VOIDED", leave_table, None),
    "a hand is played, a side leaves": Race(in_tie, play_hand, "MATCH_VOIDED", leave_table, None),
    "a hand is played, a side is absent": Race(in_swiss, play_hand, "MATCH_VOIDED", absent(0), "TABLE_BEGUN"),
    "each side is said to be absent": Race(in_swiss, absent(0), None, absent(1), None),
    "both are absent, one leaves": Race(in_tie, absent(0, 1), None, leave_table, None),
    "a match ends, its round is withdrawn": Race(in_swiss, record(1, 0), "MATCH_VOIDED", WITHDRAW_ROUND, "ROUND_BEGUN"),
    "a walkover, its round is withdrawn": Race(in_swiss, absent(0), "ROUND_WITHDRAWN", WITHDRAW_ROUND, "ROUND_BEGUN"),
    "a side leaves, its round is withdrawn": Race(in_swiss, leave_table, None, WITHDRAW_ROUND, None),
    "two withdraw a round": Race(in_swiss, WITHDRAW_ROUND, "ROUND_WITHDRAWN", WITHDRAW_ROUND, "ROUND_WITHDRAWN"),
    "two publish a bracket": Race(before_bracket, publish(4), "ROUND_PUBLISHED", publish(4), "ROUND_PUBLISHED"),
    "a group is corrected, its bracket published": Race(before_bracket, correct(0), None, publish(4), "DRAW_IT_AGAIN"),
    "who is through leaves": Race(before_bracket, leave_drawn, None, publish(4), "DRAW_IT_AGAIN"),
    "a quarter-final is corrected late": Race(before_semi_finals, correct(0), None, publish(2), "DRAW_IT_AGAIN"),
    "a quarter-final is corrected later": Race(in_semi_finals, correct(0), None, record(1, 0), None),
    "a quarter-final is corrected in time": Race(in_quarter_finals, correct(), None, DRAW, None),
    "two draw a round": Race(in_round_robin, DRAW, "ROUND_DRAWN", DRAW, "ROUND_DRAWN"),
    "who left returns": Race(in_round_robin, COME_BACK, None, DRAW, None),
    "two let one return": Race(in_round_robin, COME_BACK, "NOT_WITHDRAWN", COME_BACK, "NOT_WITHDRAWN"),
}


@pytest.fixture
def servers(league_url: str) -> Iterator[tuple[League, League]]:
    """Two servers of one league, each with its own connections and caches."""
    with league_at(league_url) as one, league_at(league_url) as other:
        yield one, other


def met(league: League, act: Act) -> str | None:
    """The code of the refusal that an act meets; None if it is stored."""
    try:
        carry_out(league, act(league))
    except Refusal as refusal:
        return refusal.code
    return None


def overtaken(slow: tuple[League, Act], fast: tuple[League, Act], patch: pytest.MonkeyPatch) -> Codes:
    """Let the slow server decide, the fast one decide and store, and the slow one go on. What each of them met."""
    league, act = slow
    append, overtakes = league.store.append, [fast]
    found: list[str | None] = []

    def stored(*given: Any, **named: Any) -> int:
        if overtakes:
            found.append(met(*overtakes.pop()))
        return append(*given, **named)

    patch.setattr(league.store, "append", stored)
    code = met(league, act)
    [other_code] = found
    return code, other_code


IN_BOTH_ORDERS = [
    pytest.param(race, is_swapped, id=f"{name}-{'swapped' if is_swapped else 'in-order'}")
    for name, race in RACES.items()
    for is_swapped in (False, True)
    if not is_swapped or race.one is not race.other
]


@pytest.mark.parametrize(("race", "is_swapped"), IN_BOTH_ORDERS)
def test_the_second_of_two_is_decided_on_what_the_first_has_stored(
    servers: tuple[League, League], race: Race, is_swapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stored on top of that, or refused because of it. Each match is at one table, and `verify` finds nothing."""
    one, other = servers
    race.before(one)
    if is_swapped:
        assert overtaken((one, race.one), (other, race.other), monkeypatch) == (race.one_late, None)
    else:
        assert overtaken((other, race.other), (one, race.one), monkeypatch) == (race.other_late, None)
    check(one)


TIES, MOST_GAMES = 4, 3


def record_all(url: str, side: int) -> None:
    """Act as a server whose keeper records each game of the round."""
    with league_at(url) as league:
        for number in [*range(1, TIES + 1)] * MOST_GAMES:
            with suppress(Refusal):  # the other server has recorded this game, or the tie is over
                carry_out(league, record(number, side)(league))


def test_two_servers_record_a_round_at_once(league_url: str) -> None:
    """Two processes record all games of four ties, with other winners: each game has one result, each tie a winner."""
    with league_at(league_url) as league:
        entries = [[id_] for id_ in register(league, 2 * TIES)]
        planned(league, entries, format="knockout", mode="1v1", rounds=None, best_of=MOST_GAMES)
        published(league)
        servers = [started(record_all, league_url, side) for side in (0, 1)]
        for server in servers:
            server.join(LIMIT)
            assert server.exitcode == 0
        tables = state_of(league).rounds[0].tables
        assert {times_ended(league, match) for table in tables for match in table.matches} == {1}
        assert all(2 <= len(table.games) <= 3 for table in tables)
        published(league)
        check(league)
