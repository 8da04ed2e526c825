"""Why a place: on a board, and in the standings of a month."""

from collections.abc import Iterator, Sequence
from typing import get_args

from league.domain.bonuses import BOARD_TERMS, SERIES_TERMS, Clause
from league.domain.rating import overall_weights
from league.domain.refusals import NotFound
from league.domain.rules import Competition, Rulebook, SeriesRules
from league.domain.sentences import say, say_each
from league.explanations.explanation import (
    Basis,
    Explanation,
    Fact,
    Message,
    Term,
    Value,
    added_by,
    facts,
    facts_of,
    message,
    settings_of,
)
from league.projections.boards.board import BoardKey, DisplayRules
from league.projections.boards.dated_boards import RatingBoard
from league.projections.boards.definitions import BOARDS, AchievementBoard
from league.projections.folds.league_fold import RATED_MODES, takes_part
from league.projections.queries.badges import UpToMatch, achieved, last_change, last_match
from league.projections.queries.log import entries_by_position
from league.projections.queries.matches import ChangeRow
from league.projections.queries.places import PlaceRow, display_rules_for, read_around, read_equals
from league.projections.queries.series import GameRow, ModeMonth, PlayedSeries, played_series, standing_of
from league.projections.queries.snapshot import Snapshot, read_rulebook

ZERO = (*get_args(Competition), "beyond_limit")
"""Why games do not count: their competition, or the limit of a pair."""

STANDING_TERMS = {
    "start": say("points at the beginning of the month"),
    "series_points": say("series points from the games against them"),
    "game_points": say("game points from the games against them"),
    "competitive": say("competitive games do not count"),
    "casual": say("casual games do not count"),
    "special": say("games of special tournaments do not count"),
    "beyond_limit": say("games after the pair was locked for the month do not count"),
}
"""What each term of a standing is."""


def explain_standing(snapshot: Snapshot, month: ModeMonth, id_: str) -> Explanation:
    """Why a player, or a pair (two ids joined by `+`), has their total in a month. Raises NotFound."""
    row = standing_of(snapshot, month, id_)
    if row is None:
        called = say("standing in the series of {month} of", month=month.month)
        raise NotFound("player", "competitor", id_, called=called)
    played = played_series(snapshot, month, id_)
    entries = entries_by_position(snapshot, [game.position for game in played.games])
    last = [game for game in played.games if takes_part(game.counts_zero)][-1]
    return Explanation(
        kind="standing",
        subject=id_,
        statement=message(
            say("{subject} has {total} points in the series of {month} ({mode})."),
            subject=id_,
            total=row.total,
            month=month.month,
            mode=month.mode,
        ),
        value=row.total,
        unit=say("points"),
        formula=message(say("the total is the sum of the terms")),
        edition=last.edition,
        terms=tuple(_terms_of_standing(snapshot, played)),
        facts=facts(rank=row.rank, wins=row.wins, losses=row.losses, series_points=row.series_points),
        events=tuple(entry for _, entry in sorted(entries.items())),
    )


def _terms_of_standing(snapshot: Snapshot, played: PlayedSeries) -> Iterator[Term]:
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


def series_arithmetic(wins: int, losses: int, rules: SeriesRules) -> str:
    """How series points come about, as a sum."""
    if wins + losses < max(1, rules.pool_from_game):
        return say("none before game {pool_from_game}", pool_from_game=rules.pool_from_game)
    of = {"pool": rules.pool, "wins": wins, "losses": losses, "pool_2": rules.pool / 2}
    return say("{pool} x {wins} / ({wins} + {losses}) - {pool_2:g}, rounded half away from zero", **of)


def _term(rules: Rulebook, name: str, value: int, known: tuple[Fact, ...], because: tuple[Basis, ...]) -> Term:
    clause, text = SERIES_TERMS[name], message(STANDING_TERMS[name])
    return Term(name, value, say("points"), text, clause.section, settings_of(rules, clause), known, because)


def _bases(games: Sequence[GameRow]) -> tuple[Basis, ...]:
    return tuple(Basis(game.match_id, None, game.position) for game in games)


HOURS_OF_A_DAY = 24 * 3600
UNITS = say_each("capicuas", "hands won", "pollonas", "viajeras", "wins")
"""The unit of each count of an achievement board."""

WITH_RANK = say("{subject} has rank {rank} on the board {board}, with {value}.")
PROVISIONAL = say("{subject} is provisional on the board {board}, without a rank, with {value}.")


def explain_place(snapshot: Snapshot, board: BoardKey, id_: str) -> Explanation:
    """Why a player or a pair has a place on a board. For the series, see `explain_standing`. Raises NotFound."""
    shown = display_rules_for(snapshot, board)
    rows = read_around(snapshot, PlaceRow, board, id_, 1)
    row = next((row for row in rows if row.id == id_), None)
    if shown is None or row is None:
        raise NotFound("player", "competitor", id_, called=say("place on the board {kind} of", kind=board.kind))
    terms = tuple(_terms_of_place(snapshot, board, id_, shown))
    active = _activity(board, row, shown, _last_match(snapshot, board, id_, shown, terms))
    conditions = (_rank(snapshot, board, row, rows, shown), *active)
    positions = {basis.position for term in (*terms, *conditions) for basis in term.because}
    place: dict[str, Value] = {"subject": id_, "board": board.kind, "value": row.value}
    provisional = message(PROVISIONAL, **place)
    return Explanation(
        kind="place",
        subject=id_,
        statement=provisional if row.rank is None else message(WITH_RANK, rank=row.rank, **place),
        value=row.value,
        unit=BOARDS[board.kind].unit,
        formula=_formula(board),
        edition=shown.edition,
        terms=terms,
        conditions=conditions,
        facts=(
            *facts(rank="none" if row.rank is None else row.rank, matches=row.matches, provisional=row.provisional),
            *facts(last_decided_at=row.last_decided_at.isoformat(), shown_at=shown.at.isoformat()),
        ),
        events=tuple(entry for _, entry in sorted(entries_by_position(snapshot, sorted(positions)).items())),
        rated_in=BOARDS[board.kind].modes,
    )


def _rank(snapshot: Snapshot, board: BoardKey, row: PlaceRow, around: Sequence[PlaceRow], shown: DisplayRules) -> Term:
    """The neighbours above and below, and who shares the rank; for a provisional one, why there is no rank."""
    at = next(number for number, one in enumerate(around) if one.id == row.id)
    neighbours = [("next_above", one) for one in around[:at]] + [("next_below", one) for one in around[at + 1 :]]
    next_to = tuple(
        Fact(name, f"{one.value:g}, " + ("provisional" if one.rank is None else f"rank {one.rank}"), one.id)
        for name, one in neighbours
    )
    if row.rank is None:
        clause = BOARD_TERMS["provisional"]
        text = message(
            say("rated matches; a rating with fewer than the setting is provisional: it follows the ranks, by value")
        )
        settings = settings_of(shown.rulebook, clause)
        return Term("provisional", row.matches, say("rated matches"), text, clause.section, settings, next_to)
    clause, equals = BOARD_TERMS["rank"], read_equals(snapshot, board, row)
    shared = tuple(Fact("shares_the_rank_with", one, one) for one in equals.ids)
    if equals.count:
        shared = (*facts(players_who_share_it=equals.count), *shared)
    said = say("1, plus the {above} with a higher value; equal values share a rank")
    text = message(said, above=row.rank - 1)
    return Term("rank", row.rank, say("rank"), text, clause.section, (), (*next_to, *shared))


def _terms_of_place(snapshot: Snapshot, board: BoardKey, id_: str, shown: DisplayRules) -> Iterator[Term]:
    until = UpToMatch(shown.at)
    match BOARDS[board.kind]:
        case RatingBoard(mode="overall"):
            yield from _overall(snapshot, id_, shown)
        case RatingBoard(subject=subject, mode=mode, clause=clause):
            change = last_change(snapshot, subject, id_, mode, until)
            assert change is not None, "everyone on the board is rated"
            yield _rating(change, 1.0, shown.rulebook, clause)
        case AchievementBoard(clause=clause, counts=counts):
            for counted in counts:
                found = achieved(snapshot, id_, counted, None if board.as_of is None else until)
                text, settings = message(say("in all decided matches")), settings_of(shown.rulebook, clause)
                because, left_out = added_by(found.latest, found.value)
                yield Term(counted, found.value, UNITS[counted], text, clause.section, settings, (), because, left_out)


def _overall(snapshot: Snapshot, id_: str, shown: DisplayRules) -> Iterator[Term]:
    found = [last_change(snapshot, "player", id_, mode, UpToMatch(shown.at)) for mode in RATED_MODES]
    changes = [change for change in found if change is not None]
    matches = [change.matches_before + 1 for change in changes]
    weights = overall_weights(matches[0], matches[1], shown.rulebook.rating.overall) if len(matches) > 1 else (1.0,)
    for change, weight in zip(changes, weights, strict=True):
        yield _rating(change, weight, shown.rulebook, BOARD_TERMS["overall"])


def _rating(change: ChangeRow, weight: float, rulebook: Rulebook, clause: Clause) -> Term:
    known = facts(rating=change.after, matches=change.matches_before + 1, weight=weight)
    said = say("the rating in {mode}") if weight == 1.0 else say("the rating in {mode}, times its weight {weight}")
    return Term(
        name=change.mode,
        value=weight * change.after,
        unit=say("rating points"),
        text=message(said, mode=change.mode, weight=weight),
        clause=clause.section,
        settings=settings_of(rulebook, clause),
        facts=known,
        because=(Basis(change.match_id, None, change.position, change.id),),
    )


def _last_match(
    snapshot: Snapshot, board: BoardKey, id_: str, shown: DisplayRules, terms: Sequence[Term]
) -> tuple[Basis, ...]:
    """The match that keeps a competitor listed: the latest rated one in the mode, or overall the latest of all."""
    if len(BOARDS[board.kind].modes) == 1:
        return terms[0].because
    match = last_match(snapshot, id_, UpToMatch(shown.at))
    return () if match is None else (Basis(match.match_id, None, match.position),)


def _activity(board: BoardKey, row: PlaceRow, shown: DisplayRules, because: tuple[Basis, ...]) -> Iterator[Term]:
    """On rating boards, when they last played: long inactive competitors are not listed."""
    if not BOARDS[board.kind].drops_inactive:
        return
    clause = BOARD_TERMS["active"]
    days = (shown.at - row.last_decided_at).total_seconds() / HOURS_OF_A_DAY
    known = facts(active_since=shown.active_since.isoformat(), inactive_are_shown=board.include_inactive)
    settings = settings_of(shown.rulebook, clause)
    text = message(say("days since the last match that counts for the board"))
    yield Term("active", days, say("days"), text, clause.section, settings, known, because)


def _formula(board: BoardKey) -> Message:
    match BOARDS[board.kind]:
        case AchievementBoard(counted=counted, per=str() as per):
            return message(say("{counted} / {per}"), counted=UNITS[counted], per=UNITS[per])
        case definition:
            return message(say("the value is the sum of the terms in {unit}"), unit=definition.unit)
