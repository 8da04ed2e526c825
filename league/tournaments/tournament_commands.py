"""Handlers of the commands on tournaments. In the same save they open or void matches of the core.

The rules at the end extend commands of the core: erasing a player, and merging two players.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import psycopg

from league.application.decisions import CommandPart, DecidedEvents, Decision, Handler, Overwritten, is_one_of
from league.application.stream_states import StreamStates
from league.domain import dispute_decider
from league.domain.deciders import Command
from league.domain.disputes import ConfirmResult
from league.domain.match import ForfeitMatch, OpenMatch, VoidMatch
from league.domain.player import MERGES_STREAM, ErasePlayer, MergePlayers
from league.domain.sentences import say
from league.eventlog.records import Append, LoggedEvent, Overtaken
from league.tournaments.domain import commands as c
from league.tournaments.domain import entering, round_tables, rounds
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import match_id, seats
from league.tournaments.domain.events import CompetitorEntered, CompetitorWithdrew
from league.tournaments.domain.inputs import inputs, to_draw
from league.tournaments.domain.plan import WITH_KNOCKOUT, Plan
from league.tournaments.domain.refusals import EnteredTogether
from league.tournaments.domain.results import OPEN, MatchSummary
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState
from league.tournaments.domain.ties import next_game, tie_result
from league.tournaments.events import STREAM
from league.tournaments.tournament_states import (
    are_locked,
    locked_pairs,
    point_rules_in_force,
    prefetch_for_matches,
    ratings_of,
    results_of,
    rows_of,
    tournament_state,
)


class _TournamentCommand(Protocol):
    @property
    def tournament(self) -> str: ...


T = TypeVar("T", bound=_TournamentCommand)

TIE_IS_OVER = say("the tie is over")
"""The reason for which the league voids a game that nobody has to play. Pages show it in their language."""


def _simply(decide: Callable[[T, TournamentState], list[e.TournamentEvent]]) -> Handler[T]:
    """A handler of a command whose decider needs only the state of the tournament."""

    def handle(command: T, states: StreamStates) -> Decision:
        return _on(command, decide(command, tournament_state(states, command.tournament)))

    return handle


def _plan(command: c.PlanTournament, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    return _on(command, entering.plan_tournament(command, state, states.rulebook().at(states.now)))


def _change_plan(command: c.ChangePlan, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    return _on(command, entering.change_plan(command, state, states.rulebook().at(states.now)))


def _plan_of(command: c.ChangePlan) -> Overwritten:
    """The plan, which two organisers may change at once."""
    return f"{STREAM}{command.tournament}", is_one_of(e.TournamentPlanned, e.PlanChanged), say("the plan")


def _enter(command: c.EnterCompetitor, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    known = states.known_players(command.players)
    regions = {player: states.player(player).region for player in known}
    ids_of = {player: states.merges().ids_of(player) for player in command.players}
    return _on(command, entering.enter(command, state, regions, ids_of))


def _draw(command: c.DrawRound, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    plan = entering.open_plan(state)
    results, points = results_of(state.matches(), states), point_rules_in_force(state, states)
    available, number = to_draw(state, results, points), state.next_round
    ranked = inputs(state, number, available, results, points, ratings_of(state, states))
    locked = locked_pairs(plan, available, states)
    return _on(command, rounds.draw_round(command, state, ranked, locked, results, points, states.now))


def _publish(command: c.PublishRound, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    plan = entering.known(state)
    of = rounds.to_publish(command, state)
    results, points = results_of(state.matches(), states), point_rules_in_force(state, states)
    rounds.check_inputs(command, state, of, results, points, ratings_of(state, states))
    if plan.format == "fixtures":
        return _on(command, rounds.publish_round(command, state, []))
    played = [table for table in of.tables if not table.absent]
    states.prefetch(f"match:{match_id(state.id, of.number, table.number, len(table.matches))}" for table in played)
    prefetch_for_matches(plan, [seats(table.sides, of.seed) for table in played], states)
    opening = {table.number: _opening(state, of, table, states) for table in played}
    opened = [e.OpenedAt(number, match.match) for number, match in opening.items()]
    return _on(command, rounds.publish_round(command, state, opened), *opening.values())


def _withdraw_round(command: c.WithdrawRound, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    entering.known(state)
    tables = rounds.known_round(command.round, state).tables
    matches = [match for table in tables for match in table.matches]
    results = {**dict.fromkeys(matches, OPEN), **results_of(matches, states)}
    events = rounds.withdraw_round(command, state, results)
    return _on(command, events, *_voiding([table.match for table in tables], results, command.reason))


def _open_fixture(command: c.OpenFixture, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    table = round_tables.table_of(command.round, command.table, state)
    opening = _opening(state, state.rounds[command.round - 1], table, states)
    return _on(command, round_tables.open_fixture(command, state, opening.match), opening)


def _change_pairings(command: c.ChangePairings, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    plan, of = entering.known(state), rounds.known_round(command.round, state)
    results = _results_at(of.tables, states)
    tables = round_tables.changed_tables(command, state, results)
    voided = _voiding([table.match for table in tables], results, command.reason)
    locked = [table.number for table in tables if not plan.locked_play_casually and _is_locked(plan, of, table, states)]
    opening = {table.number: _opening(state, of, table, states) for table in tables if table.matches}
    matches = {number: match.match for number, match in opening.items()}
    events = round_tables.change_pairings(command, state, results, matches, locked)
    return _on(command, events, *voided, *opening.values())


def _record_absence(command: c.RecordAbsence, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    table = round_tables.table_of(command.round, command.table, state)
    results = _results_at([table], states)
    events = round_tables.record_absence(command, state, results)
    return _on(command, events, *_voiding(round_tables.open_matches(table, results), results, "walkover"))


def _claim_absence(command: c.ClaimAbsence, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    table, _ = round_tables.seat_of(command.competitor, command.round, state)
    return _on(command, round_tables.claim_absence(command, state, _results_at([table], states)))


def _confirm_absence(command: c.ConfirmAbsence, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    table, _ = round_tables.seat_of(command.competitor, command.round, state)
    results = _results_at([table], states)
    events = round_tables.confirm_absence(command, state, results)
    return _on(command, events, *_voiding(round_tables.open_matches(table, results), results, "walkover"))


def _replace_match(command: c.ReplaceMatch, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    table = round_tables.table_of(command.round, command.table, state)
    opening = _opening(state, state.rounds[command.round - 1], table, states)
    events = round_tables.replace_match(command, state, _results_at([table], states), opening.match)
    return _on(command, events, opening)


def _close_round(command: c.CloseRound, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    entering.known(state)
    results = results_of(state.matches(), states)
    return _on(command, rounds.close_round(command, state, results, point_rules_in_force(state, states)))


def _confirm_round(command: c.ConfirmRound, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    results = results_of(state.matches(), states)
    disputed = [match for match in results if states.match(match).review.open_dispute is not None]
    confirmed = rounds.to_confirm(command, state, results, disputed)
    return [
        DecidedEvents(f"match:{match}", dispute_decider.confirm_result(ConfirmResult(match, None), states.match(match)))
        for match in confirmed
    ]


def _end(command: c.EndTournament, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    entering.known(state)
    results, points = results_of(state.matches(), states), point_rules_in_force(state, states)
    return _on(command, entering.end_tournament(state, results, points))


def _on(command: _TournamentCommand, events: list[e.TournamentEvent], *then: Command) -> Decision:
    return [DecidedEvents(f"{STREAM}{command.tournament}", events, then=then)]


def _withdraw(command: c.Withdraw, states: StreamStates) -> Decision:
    state = tournament_state(states, command.tournament)
    return [_leaving(state, entering.withdraw(command, state), [command.competitor], states)]


def _leaving(
    state: TournamentState, events: list[e.TournamentEvent], leavers: Iterable[str], states: StreamStates
) -> DecidedEvents:
    """The events of withdrawals, with what they do to ties in play."""
    events, then = [*events], list[Command]()
    results = _results_at([table for of in state.knockout[-1:] for table in of.tables], states)
    for id_ in leavers:
        left = round_tables.leave_tie(id_, state, results)
        if left is not None:
            events += left.events
            then += [ForfeitMatch(match, left.side) for match in left.forfeited]
            then += [VoidMatch(match, "walkover") for match in left.voided]
    return DecidedEvents(f"{STREAM}{state.id}", events, then=then)


def _open_game(command: c.OpenGame, states: StreamStates) -> Decision:
    """Open the next game of a tie if it has to be played. Nothing happens once the next round is published."""
    state = tournament_state(states, command.tournament)
    of = state.round(command.round)
    table = None if of is None or state.ended or of not in state.knockout[-1:] else of.table(command.table)
    if of is None or table is None:
        return []
    opening = _opening(state, of, table, states)
    events = round_tables.open_game(state, of, table, _results_at([table], states), opening.match)
    opens = any(isinstance(event, e.GameOpened) for event in events)
    return _on(command, events, *([opening] if opens else [])) if events else []


_OF_TABLE = re.compile(r"match:(?P<tournament>.+)-r(?P<round>\d+)-t(?P<table>\d+)(-\d+)?")
"""The stream of a match that was opened at a table."""


def _after_game(append: Append, states: StreamStates) -> list[Command]:
    """What follows from the result of a game: the next one opens, or one that is not needed any more is voided."""
    named = _OF_TABLE.fullmatch(append.stream)
    if named is None:
        return []
    plan = states.state_as_stored(STREAM + named["tournament"]).plan
    if plan is None or plan.format not in WITH_KNOCKOUT:  # its format stays once it has a match
        return []
    state = tournament_state(states, named["tournament"])
    of = state.round(int(named["round"]))
    table = None if of is None else of.table(int(named["table"]))
    match = append.stream.removeprefix("match:")
    if table is None or table.best_of in {None, 1} or match not in table.counting:
        return []
    results = _results_at([table], states)
    game = next_game(table, results)
    if game is not None:
        is_voided_now = table.by_game.get(game) == match  # then its match is to be replaced by hand
        return [] if is_voided_now else [c.OpenGame(state.id, int(named["round"]), table.number)]
    last = len(tie_result(table, results).games)
    spare = [match for number, match in table.by_game.items() if number > last]
    return [
        VoidMatch(match, TIE_IS_OVER.template)
        for match in spare
        if results[match].status == "open" and not results[match].begun
    ]


def _results_at(tables: Iterable[TableOfRound], states: StreamStates) -> Mapping[str, MatchSummary]:
    """The results of the matches at these tables. A match that is not stored yet counts as open."""
    matches = [match for table in tables for match in table.counting]
    return {**dict.fromkeys(matches, OPEN), **results_of(matches, states)}


def _opening(state: TournamentState, of: RoundState, table: TableOfRound, states: StreamStates) -> OpenMatch:
    """The command that opens the match of a table.

    If the series has locked the two sides, the match is casual, provided that the plan allows this or that the two
    cannot be drawn apart any more.
    """
    plan = entering.known(state)
    players, before = seats(table.sides, of.seed), len(table.matches)
    while states.match(id_ := match_id(state.id, of.number, table.number, before)).played is not None:
        before += 1
    can_be_drawn_apart = of.status == "drawn" and not table.is_locked and not table.by_hand
    casual = (plan.locked_play_casually or not can_be_drawn_apart) and _is_locked(plan, of, table, states)
    return OpenMatch(id_, plan.ruleset, plan.mode, "casual" if casual else plan.competition, players)


def _is_locked(plan: Plan, of: RoundState, table: TableOfRound, states: StreamStates) -> bool:
    """Whether the series has locked the two sides of a table."""
    # Other matches of the two in this round are voided, at the latest in this save, except the games of a tie.
    of_round = {match for each in of.tables for match in each.matches}
    games = () if table.best_of is None else table.counting
    return are_locked(plan, seats(table.sides, of.seed), states, voided=of_round.difference(games))


def _voiding(matches: Sequence[str | None], results: Mapping[str, MatchSummary], reason: str) -> list[VoidMatch]:
    """The commands that void these matches, except those that are voided already."""
    return [VoidMatch(match, reason) for match in matches if match is not None and results[match].status != "voided"]


# ---------------------------------------------------------------- rules for commands of the core


ENTERED = ("tournament-competitor-entered/1",)
PAGE = 10_000
"""How many entries are read at a time."""


def withdrawing(handle: Handler[ErasePlayer]) -> Handler[ErasePlayer]:
    """Let the erasure of a player also withdraw them from all tournaments that have not ended."""

    def erasing(command: ErasePlayer, states: StreamStates) -> Decision:
        decision = handle(command, states)
        ids = states.merges().ids_of(command.player)
        _check_entries(f"player:{command.player}", ids, states)
        for tournament in sorted(set(_entered(ids, states))):
            state = tournament_state(states, tournament)
            left = [
                entry.id for entry in state.entries.values() if ids & set(entry.players) and entry.withdrawn_at is None
            ]
            if left and not state.ended:
                decision.append(_leaving(state, [CompetitorWithdrew(id_) for id_ in left], left, states))
        return decision

    return erasing


def not_both(handle: Handler[MergePlayers]) -> Handler[MergePlayers]:
    """Refuse a merge of two players who entered one tournament. Raises EnteredTogether."""

    def merging(command: MergePlayers, states: StreamStates) -> Decision:
        decision = handle(command, states)
        ids = states.merges().ids_of
        _check_entries(MERGES_STREAM, ids(command.keep) | ids(command.drop), states)
        both = set(_entered(ids(command.keep), states)) & set(_entered(ids(command.drop), states))
        if both:
            raise EnteredTogether(
                say("player {player!r}", player=command.drop),
                say("in tournament {tournament!r}", tournament=min(both)),
                say("{keep!r} entered it as well, so they are two people", keep=command.keep),
                "drop",
            )
        return decision

    return merging


def _check_entries(stream: str, players: Collection[str], states: StreamStates) -> None:
    """Start the command on `stream` again if one of these players enters a tournament before it is stored."""
    until = states.store.head()

    def check(conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        # No index tells who entered meanwhile, so read the new entries.
        if any(_is_of(stored, players) for stored in states.store.named_on(conn, until, before, ENTERED)):
            raise Overtaken(stream, "meets an entry that was made meanwhile")

    states.checks.append(check)


def _entered(players: Collection[str], states: StreamStates) -> Iterator[str]:
    """The tournaments that one of these players has entered."""
    position, until = 0, states.store.head()
    while page := states.store.named_after(position, until, ENTERED, PAGE):
        yield from (_tournament(stored) for stored in page if _is_of(stored, players))
        position = page[-1].position
    yield from (_tournament(stored) for stored in states.foreseen() if _is_of(stored, players))


def _is_of(stored: LoggedEvent, players: Collection[str]) -> bool:
    return isinstance(stored.event, CompetitorEntered) and not set(players).isdisjoint(stored.event.players)


def _tournament(stored: LoggedEvent) -> str:
    return stored.stream.removeprefix(STREAM)


COMMANDS = CommandPart(
    handlers={
        c.PlanTournament: _plan,
        c.ChangePlan: _change_plan,
        c.EnterCompetitor: _enter,
        c.CheckIn: _simply(entering.check_in),
        c.Withdraw: _withdraw,
        c.Return: _simply(entering.return_),
        c.RequestBye: _simply(entering.request_bye),
        c.TakeBackBye: _simply(entering.take_back_bye),
        c.CommitSeed: _simply(entering.commit),
        c.ContributeSeed: _simply(rounds.contribute),
        c.DrawRound: _draw,
        c.PairRound: _simply(rounds.pair_round),
        c.PublishRound: _publish,
        c.WithdrawRound: _withdraw_round,
        c.OpenFixture: _open_fixture,
        c.OpenGame: _open_game,
        c.ChangePairings: _change_pairings,
        c.RecordAbsence: _record_absence,
        c.ClaimAbsence: _claim_absence,
        c.ConfirmAbsence: _confirm_absence,
        c.ReplaceMatch: _replace_match,
        c.CloseRound: _close_round,
        c.ConfirmRound: _confirm_round,
        c.EndTournament: _end,
    },
    overwrites={c.ChangePlan: _plan_of},
    rules={ErasePlayer: withdrawing, MergePlayers: not_both},
    rows=rows_of,
    follows=_after_game,
)
