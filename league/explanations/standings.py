"""Why a competitor has its total in the series of a month: the points against each opponent."""

from collections.abc import Iterator, Sequence
from typing import get_args

from league.domain.clauses import SERIES_TERMS
from league.domain.refusals import NotFound
from league.domain.rules import Competition, Rulebook, Series
from league.domain.sentences import say
from league.explanations.explanation import Basis, Explanation, Fact, Term, facts, facts_of, settings_of
from league.explanations.message import MessageKey, message
from league.projections.folds.series import takes_part
from league.projections.queries.editions import read_rulebook
from league.projections.queries.log import entries_by_position
from league.projections.queries.played_series import GameRow, PlayedSeries, played_series
from league.projections.queries.series import Month, standing_of
from league.projections.queries.snapshot import Snapshot

ZERO: tuple[MessageKey, ...] = (*get_args(Competition), "beyond_limit")
"""Why games do not count: their competition, or the limit of a pair."""


def explain_standing(snapshot: Snapshot, month: Month, id_: str) -> Explanation:
    """Why a player, or a pair (two ids joined by `+`), has their total in a month. Raises NotFound."""
    row = standing_of(snapshot, month, id_)
    if row is None:
        raise NotFound("player", say("standing in the series of {month} of", month=month.month), id_)
    played = played_series(snapshot, month, id_)
    entries = entries_by_position(snapshot, [game.position for game in played.games])
    last = [game for game in played.games if takes_part(game.counts_zero)][-1]
    return Explanation(
        kind="standing",
        subject=id_,
        statement=message("standing", subject=id_, total=row.total, month=month.month, mode=month.mode),
        value=row.total,
        unit=say("points"),
        formula=message("sum_is_total"),
        edition=last.edition,
        terms=tuple(_terms(snapshot, played)),
        facts=facts(rank=row.rank, wins=row.wins, losses=row.losses, series_points=row.series_points),
        events=tuple(entry for _, entry in sorted(entries.items())),
    )


def _terms(snapshot: Snapshot, played: PlayedSeries) -> Iterator[Term]:
    against, first = played.games_by_opponent(), played.pairs[0]
    entered = next(game for game in against[first.other] if takes_part(game.counts_zero))
    rules = read_rulebook(snapshot, entered.edition)
    met = facts_of(first.other, opponent=first.other)
    yield _term(rules, "start", first.start, met, _bases([entered]))
    for pair in played.pairs:
        games = [game for game in against[pair.other] if takes_part(game.counts_zero)]
        # Points are recomputed after each game, by the rules of the latest one.
        rules = read_rulebook(snapshot, games[-1].edition)
        counting = _bases([game for game in games if game.counts_zero is None])
        opponent = facts_of(pair.other, opponent=pair.other)
        known = (*opponent, *facts(wins=pair.wins, losses=pair.losses, locked=pair.locked))
        series = (*known, Fact("arithmetic", series_arithmetic(pair.wins, pair.losses, rules.series)))
        yield _term(rules, "series_points", pair.series_points, series, counting)
        moved = (*known, Fact("arithmetic", f"{rules.series.game_points} x ({pair.wins} - {pair.losses})"))
        yield _term(rules, "game_points", pair.game_points, moved, counting)
    for other, games in against.items():
        for reason in ZERO:
            if zero := [game for game in games if game.counts_zero == reason]:
                rules = read_rulebook(snapshot, zero[-1].edition)
                met = (*facts_of(other, opponent=other), *facts(games=len(zero)))
                yield _term(rules, reason, 0, met, _bases(zero))


def series_arithmetic(wins: int, losses: int, rules: Series) -> str:
    """How series points come about, as a sum."""
    if wins + losses < max(1, rules.pool_from_game):
        return say("none before game {pool_from_game}", pool_from_game=rules.pool_from_game)
    return say(
        "{pool} x {wins} / ({wins} + {losses}) - {pool_2:g}, rounded half away from zero",
        pool=rules.pool,
        wins=wins,
        losses=losses,
        pool_2=rules.pool / 2,
    )


def _term(rules: Rulebook, name: MessageKey, value: int, known: tuple[Fact, ...], because: tuple[Basis, ...]) -> Term:
    clause = SERIES_TERMS[name]
    return Term(name, value, say("points"), message(name), clause.section, settings_of(rules, clause), known, because)


def _bases(games: Sequence[GameRow]) -> tuple[Basis, ...]:
    return tuple(Basis(game.match_id, None, game.position) for game in games)
