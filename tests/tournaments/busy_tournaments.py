"""Tournaments in the middle of something, what organisers do there, and what must hold whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leagues import catch_up
from played_tournaments import ACTOR, drawn, finish, planned, published, register, state_of

from league.application.bootstrap import League
from league.cli.verify import verify_league
from league.domain.match import MatchEnded, MatchOpened, MatchVoided, RecordHand, RecordResult, ReopenMatch
from league.domain.result import AnnouncedResult
from league.tournaments.domain import commands as c
from league.tournaments.domain.state import TableOfRound
from league.tournaments.drawing import draw_round, publish_round
from tests.leagues import domino

# ---------------------------------------------------------------- where a tournament is


def _competition(league: League, count: int, **plan: Any) -> None:
    planned(league, [[id_] for id_ in register(league, count)], **{"mode": "1v1", "rounds": None, **plan})


def in_tie(league: League) -> None:
    """A final of three games, of which side 0 has won the first."""
    _competition(league, 2, format="knockout", best_of=3)
    published(league)
    carry_out(league, record(1, 0)(league))


def in_quarter_finals(league: League) -> None:
    """The quarter-finals are played."""
    _competition(league, 8, format="knockout")
    published(league)
    finish(league)


def before_semi_finals(league: League) -> None:
    """The semi-finals are drawn."""
    in_quarter_finals(league)
    drawn(league)


def in_semi_finals(league: League) -> None:
    """The semi-finals are published."""
    before_semi_finals(league)
    publish_round(league, c.PublishRound("copa", 2), ACTOR)


def before_bracket(league: League) -> None:
    """Two groups of three are played, and their semi-finals are drawn."""
    _competition(league, 6, format="groups", groups=2)
    for _ in range(3):
        published(league)
        finish(league)
    drawn(league)


def in_round_robin(league: League) -> None:
    """The second round of a round robin of five is to be drawn. Somebody has left."""
    _competition(league, 5, format="round_robin")
    published(league)
    finish(league)
    carry_out(league, leave("p05")(league))


def in_swiss(league: League) -> None:
    """The first round of four is published."""
    _competition(league, 4, format="swiss", rounds=3)
    published(league)


# ---------------------------------------------------------------- what organisers do

Act = Callable[[League], list[Any]]
"""What somebody asks for who sees the league as it is now: commands of one request."""


def carry_out(league: League, commands: list[Any], key: str | None = None) -> None:
    """Act as a server that gets these commands in one request. Raises Refusal."""
    match commands:
        case [c.DrawRound() as command]:
            draw_round(league, command, ACTOR, key=key)
        case [c.PublishRound() as command]:
            publish_round(league, command, ACTOR, key=key)
        case _:
            league.dispatcher.send_all(commands, ACTOR, key=key)


def simply(*commands: Any) -> Act:
    """Commands that do not depend on what the organiser sees."""
    return lambda _league: [*commands]


def table_of(league: League, number: int, of: int = -1) -> TableOfRound:
    """A table of a round, by default of the last one."""
    found = state_of(league).rounds[of].table(number)
    assert found is not None
    return found


def _match_at(league: League, number: int, of: int = -1) -> str:
    match = table_of(league, number, of).match
    assert match is not None
    return match


def record(number: int, side: int) -> Act:
    """Record the result of the match that is played at a table."""
    score = (150, 40) if side == 0 else (40, 150)
    return lambda league: [RecordResult(_match_at(league, number), AnnouncedResult(side, score))]


def correct(of: int = -1) -> Act:
    """Turn the result of table 1 of a round: side 1 has won."""

    def turned(league: League) -> list[Any]:
        match = _match_at(league, 1, of)
        return [ReopenMatch(match, "wrong side"), RecordResult(match, AnnouncedResult(1, (40, 150)))]

    return turned


def play_hand(league: League) -> list[Any]:
    """Record the first hand at table 1."""
    return [RecordHand(_match_at(league, 1), domino(0, None, 30))]


def leave(player: str) -> Act:
    """Let a player withdraw."""
    return simply(c.Withdraw("copa", player))


def leave_drawn(league: League) -> list[Any]:
    """Let the first competitor of the round that is drawn withdraw."""
    return [c.Withdraw("copa", state_of(league).rounds[-1].order[0])]


def leave_table(league: League) -> list[Any]:
    """Let side 1 of table 1 withdraw."""
    return [c.Withdraw("copa", table_of(league, 1).sides[1][0])]


def absent(*sides: int) -> Act:
    """Record that sides of table 1 did not come."""
    return simply(c.RecordAbsence("copa", 1, 1, sides))


def publish(number: int) -> Act:
    """Publish a round."""
    return simply(c.PublishRound("copa", number))


DRAW = simply(c.DrawRound("copa"))
COME_BACK = simply(c.Return("copa", "p05"))
WITHDRAW_ROUND = simply(c.WithdrawRound("copa", 1, "wrong names"))

# ---------------------------------------------------------------- what must hold


def check(league: League) -> None:
    """Every match of the tournament is opened once, and is that of one table; `verify` finds nothing."""
    state = state_of(league)
    matches = [match for of in (*state.former, *state.rounds) for one in of.tables for match in one.matches]
    assert len(matches) == len({*matches})
    for match in matches:
        assert _count(league, match, MatchOpened) == 1, match
        assert _count(league, match, MatchVoided) <= 1, match
    catch_up(league)
    assert verify_league(league, [], [], rebuild=True).faults == []


def times_ended(league: League, match: str) -> int:
    """How many results of a match are stored."""
    return _count(league, match, MatchEnded)


def _count(league: League, match: str, kind: type[object]) -> int:
    return sum(isinstance(stored.event, kind) for stored in league.store.load(f"match:{match}"))
