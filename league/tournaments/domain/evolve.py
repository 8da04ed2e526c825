"""Folds the events of a tournament into its state."""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import SeedCommitment, SeedContribution, SeedPromise, asked, placed
from league.tournaments.domain.plan import but_rounds, plan_hash
from league.tournaments.domain.state import CompetitorEntry, RoundState, TableOfRound, TournamentState, not_drawn


def evolve(  # noqa: C901, PLR0911, PLR0912  # one return for each event
    state: TournamentState, event: Any, when: datetime
) -> TournamentState:
    """The state after an event that was recorded at `when`."""
    state = replace(state, version=state.version + 1)
    match event:
        case e.TournamentPlanned() | e.PlanChanged():
            return replace(state, plan=event.plan)
        case e.CompetitorEntered():
            entry = CompetitorEntry(
                event.competitor, event.players, when, event.region, event.fixed_table, event.replaces
            )
            return _with_entry(state, entry)
        case e.CompetitorCheckedIn():
            return _with_entry(state, replace(state.entries[event.competitor], checked_in=True))
        case e.CompetitorWithdrew():
            return _with_entry(state, replace(state.entries[event.competitor], withdrawn_at=when))
        case e.CompetitorReturned():
            return _with_entry(state, replace(state.entries[event.competitor], withdrawn_at=None))
        case e.ByeRequested():
            return _with_entry(state, _asking(state.entries[event.competitor], event.round))
        case e.ByeTakenBack():
            return _with_entry(state, _playing(state.entries[event.competitor], event.round))
        case e.SeedCommitted():
            mine = (*state.promises.get(event.competitor, ()), SeedPromise(event.commitment, state.drawings))
            promises = {**state.promises, event.competitor: mine}
            return replace(state, promises=promises, committed=state.committed | {event.commitment})
        case e.SeedContributed():
            return _with_round(state, _contributed(_round(state, event.round), event))
        case e.RoundDrawn():
            return _drawn(state, event, when)
        case e.RoundPaired():
            return _with_round(state, _paired(_round(state, event.round), event))
        case e.RoundPublished():
            return _with_round(state, _published(_round(state, event.round), event, when))
        case e.RoundWithdrawn():
            return _with_round(state, _withdrawn(_round(state, event.round), event))
        case e.FixtureOpened():
            return _with_match(state, event.round, event.table, event.match)
        case e.GameOpened():
            return _with_match(state, event.round, event.table, event.match, event.game)
        case e.PairingsChanged():
            return _with_round(state, _changed(_round(state, event.round), event))
        case e.AbsenceClaimed():
            of = _round(state, event.round)
            table = _table(of, event.table)
            claimed = tuple(sorted({*table.claimed, event.side}))
            return _with_round(state, _with_table(of, replace(table, claimed=claimed)))
        case e.AbsenceRecorded():
            of = _round(state, event.round)
            table = _table(of, event.table)
            games = table.games if table.best_of is None else _without(table.games, event.game)
            table = replace(table, absent=event.sides, claimed=(), games=games)
            return _with_round(state, _with_table(of, table))
        case e.MatchReplaced():
            return _with_match(state, event.round, event.table, event.match, event.game)
        case e.RoundClosed():
            return _with_round(state, replace(_round(state, event.round), status="closed"))
        case e.TournamentEnded():
            return replace(state, ended=True)
    raise TypeError(event)


def _asking(entry: CompetitorEntry, number: int) -> CompetitorEntry:
    return replace(entry, requested_byes=tuple(sorted({*entry.requested_byes, number})))


def _playing(entry: CompetitorEntry, number: int) -> CompetitorEntry:
    return replace(entry, requested_byes=tuple(one for one in entry.requested_byes if one != number))


def _drawn(state: TournamentState, event: e.RoundDrawn, when: datetime) -> TournamentState:
    """The state after a drawing, which spends the commitments that count in it: it asks for their bytes."""
    before, ids = state.round(event.round), (one.id for one in event.competitors)
    found, left = asked(state.promises, ids, state.drawings, again=before is not None)
    drawn = RoundState(
        event.round,
        1 if before is None else before.drawings + 1,
        "drawn",
        event,
        plan_hash(but_rounds(state.known_plan)),
        requested=event.requested,
        left=event.left,
        day=event.day,
        until=event.until,
        commitments=tuple(SeedCommitment(id_, None, promise.commitment) for id_, promise in found.items()),
        asked_at=when,
    )
    former = state.former if before is None else (*state.former, _former(before, event))
    return _with_round(replace(state, promises=left, former=former), drawn)


def _former(before: RoundState, event: e.RoundDrawn) -> RoundState:
    """An earlier drawing of a round that is drawn again, without what nobody needs of it any more."""
    if before.status == "withdrawn":
        return replace(before, order=())
    return replace(
        before, status="dropped", drawing=None, order=(), tables=(), byes=(), relaxed=(), asked_at=None,
        reason=event.again,
    )  # fmt: skip


def _contributed(of: RoundState, event: e.SeedContributed) -> RoundState:
    given = (*of.contributions, SeedContribution(event.competitor, event.contribution))
    return replace(of, contributions=tuple(sorted(given, key=lambda one: one.id.encode())))


def _paired(of: RoundState, event: e.RoundPaired) -> RoundState:
    assert of.drawing is not None, "it is drawn"
    order = tuple(one.id for one in placed(of.drawing.competitors, event.seed))
    tables = tuple(
        TableOfRound(
            table.number,
            table.sides,
            table.relaxed,
            absent=not_drawn(table.sides, order),
            group=table.group,
            best_of=table.best_of,
            third_place=table.third_place,
        )
        for table in event.tables
    )
    return replace(
        of,
        position=event.position,
        root=event.root,
        signed=event.signed,
        seed=event.seed,
        order=order,
        tables=tables,
        byes=event.byes,
        relaxed=event.relaxed,
        groups=event.groups,
        bracket=event.bracket,
        third_place_bye=event.third_place_bye,
        commitments=event.commitments,
        contributions=event.contributions,
        asked_at=None,
    )


def _published(of: RoundState, event: e.RoundPublished, when: datetime) -> RoundState:
    matches = {opened.table: opened.match for opened in event.matches}
    tables = tuple(
        replace(table, games=((matches[table.number],),)) if table.number in matches else table for table in of.tables
    )
    return replace(of, status="published", drawing=None, tables=tables, published_at=when)


def _withdrawn(of: RoundState, event: e.RoundWithdrawn) -> RoundState:
    tables = tuple(replace(table, withdrawn=True) for table in of.tables)
    return replace(of, status="withdrawn", tables=tables, reason=event.reason)


def _changed(of: RoundState, event: e.PairingsChanged) -> RoundState:
    for changed in event.tables:
        before = _table(of, changed.table)
        games = before.games if changed.match is None else ((*before.matches, changed.match),)
        of = _with_table(
            of, TableOfRound(changed.table, changed.sides, changed.relaxed, games, by_hand=True, group=before.group)
        )
    return replace(of, byes=event.byes)


def _round(state: TournamentState, number: int) -> RoundState:
    return state.rounds[number - 1]


def _table(of: RoundState, number: int) -> TableOfRound:
    table = of.table(number)
    assert table is not None, "the decider knew the table"
    return table


def _with_entry(state: TournamentState, entry: CompetitorEntry) -> TournamentState:
    return replace(state, entries={**state.entries, entry.id: entry})


def _with_round(state: TournamentState, changed: RoundState) -> TournamentState:
    at = changed.number - 1
    return replace(state, rounds=(*state.rounds[:at], changed, *state.rounds[at + 1 :]))


def _with_table(of: RoundState, changed: TableOfRound) -> RoundState:
    return replace(
        of, tables=tuple(changed if table.number == changed.number else table for table in of.tables)
    )  # fmt: skip


def _without(games: tuple[tuple[str, ...], ...], game: int) -> tuple[tuple[str, ...], ...]:
    """The matches of the games of a tie, without those of a game that is lost without play."""
    later = games[game:]
    return (*games[: game - 1], (), *later) if later else games[: game - 1]


def _with_match(state: TournamentState, number: int, table: int, match: str, game: int = 1) -> TournamentState:
    """The state after a match was opened at a table, for the first time in its game or in place of another one."""
    of = _round(state, number)
    now = _table(of, table)
    had = now.games[game - 1] if len(now.games) >= game else ()
    before = (*now.games[: game - 1], *[()] * (game - 1 - len(now.games)))
    games = (*before, (*had, match), *now.games[game:])
    return _with_round(state, _with_table(of, replace(now, games=games, absent=(), claimed=())))
