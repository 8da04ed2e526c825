"""Why a player or a pair has a place on a board: the value, the rank, and when they last played."""

from collections.abc import Iterator, Sequence

from league.domain.clauses import BOARD_TERMS, Clause
from league.domain.rating import overall_weights
from league.domain.refusals import NotFound
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.explanations.explanation import Basis, Explanation, Fact, Term, added_by, facts, settings_of
from league.explanations.message import Message, Value, message
from league.projections.boards.achievements import AchievementBoard
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.boards.ratings import RatingBoard
from league.projections.display_rules import Shown
from league.projections.folds.ratings import RATED_MODES
from league.projections.queries.log import entries_by_position
from league.projections.queries.matches import ChangeRow
from league.projections.queries.measured import Until, achieved, last_change, last_match
from league.projections.queries.places import PlaceRow, read_around, read_equals, shown_for
from league.projections.queries.snapshot import Snapshot

HOURS_OF_A_DAY = 24 * 3600
UNITS = {
    "capicuas": say("capicuas"),
    "hands_won": say("hands won"),
    "pollonas": say("pollonas"),
    "viajeras": say("viajeras"),
}
"""By what an achievement board counts, the unit of the count."""


def explain_place(snapshot: Snapshot, board: Board, id_: str) -> Explanation:
    """Why a player or a pair has a place on a board. For the series, see `explain_standing`. Raises NotFound."""
    shown = shown_for(snapshot, board)
    rows = read_around(snapshot, PlaceRow, board, id_, 1)
    row = next((row for row in rows if row.id == id_), None)
    if shown is None or row is None:
        raise NotFound("player", say("place on the board {kind} of", kind=board.kind), id_)
    terms = tuple(_terms(snapshot, board, id_, shown))
    active = _activity(board, row, shown, _last_match(snapshot, board, id_, shown, terms))
    conditions = (_rank(snapshot, board, row, rows, shown), *active)
    positions = {basis.position for term in (*terms, *conditions) for basis in term.because}
    place: dict[str, Value] = {"subject": id_, "board": board.kind, "value": row.value}
    provisional = message("place_provisional", **place)
    return Explanation(
        kind="place",
        subject=id_,
        statement=provisional if row.rank is None else message("place_with_rank", rank=row.rank, **place),
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


def _rank(snapshot: Snapshot, board: Board, row: PlaceRow, around: Sequence[PlaceRow], shown: Shown) -> Term:
    """The neighbours above and below, and competitors with the same rank; while provisional, why there is none."""
    at = next(number for number, one in enumerate(around) if one.id == row.id)
    neighbours = [("next_above", one) for one in around[:at]] + [("next_below", one) for one in around[at + 1 :]]
    next_to = tuple(
        Fact(name, f"{one.value:g}, " + ("provisional" if one.rank is None else f"rank {one.rank}"), one.id)
        for name, one in neighbours
    )
    if row.rank is None:
        clause = BOARD_TERMS["provisional"]
        text = message("provisional")
        settings = settings_of(shown.rulebook, clause)
        return Term("provisional", row.matches, say("rated matches"), text, clause.section, settings, next_to)
    clause, equals = BOARD_TERMS["rank"], read_equals(snapshot, board, row)
    shared = tuple(Fact("shares_the_rank_with", one, one) for one in equals.ids)
    if equals.count:
        shared = (*facts(players_who_share_it=equals.count), *shared)
    text = message("rank", above=row.rank - 1)
    return Term("rank", row.rank, say("rank"), text, clause.section, (), (*next_to, *shared))


def _terms(snapshot: Snapshot, board: Board, id_: str, shown: Shown) -> Iterator[Term]:
    until = Until(shown.at)
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
                text, settings = message("counted_in_all"), settings_of(shown.rulebook, clause)
                because, left_out = added_by(found.latest, found.value)
                yield Term(counted, found.value, UNITS[counted], text, clause.section, settings, (), because, left_out)


def _overall(snapshot: Snapshot, id_: str, shown: Shown) -> Iterator[Term]:
    found = [last_change(snapshot, "player", id_, mode, Until(shown.at)) for mode in RATED_MODES]
    changes = [change for change in found if change is not None]
    matches = [change.matches_before + 1 for change in changes]
    weights = overall_weights(matches[0], matches[1], shown.rulebook.rating.overall) if len(matches) > 1 else (1.0,)
    for change, weight in zip(changes, weights, strict=True):
        yield _rating(change, weight, shown.rulebook, BOARD_TERMS["overall"])


def _rating(change: ChangeRow, weight: float, rulebook: Rulebook, clause: Clause) -> Term:
    known = facts(rating=change.after, matches=change.matches_before + 1, weight=weight)
    return Term(
        name=change.mode,
        value=weight * change.after,
        unit=say("rating points"),
        text=message("rating_in_mode" if weight == 1.0 else "weighted_rating", mode=change.mode, weight=weight),
        clause=clause.section,
        settings=settings_of(rulebook, clause),
        facts=known,
        because=(Basis(change.match_id, None, change.position, change.id),),
    )


def _last_match(snapshot: Snapshot, board: Board, id_: str, shown: Shown, terms: Sequence[Term]) -> tuple[Basis, ...]:
    """The match that keeps a competitor on a rating board: in a mode the latest rated one, overall any match."""
    if len(BOARDS[board.kind].modes) == 1:
        return terms[0].because
    match = last_match(snapshot, id_, Until(shown.at))
    return () if match is None else (Basis(match.match_id, None, match.position),)


def _activity(board: Board, row: PlaceRow, shown: Shown, because: tuple[Basis, ...]) -> Iterator[Term]:
    """On rating boards, when they last played: long inactive competitors are not listed."""
    if not BOARDS[board.kind].drops_inactive:
        return
    clause = BOARD_TERMS["active"]
    days = (shown.at - row.last_decided_at).total_seconds() / HOURS_OF_A_DAY
    known = facts(active_since=shown.active_since.isoformat(), inactive_are_shown=board.include_inactive)
    settings = settings_of(shown.rulebook, clause)
    yield Term("active", days, say("days"), message("last_match"), clause.section, settings, known, because)


def _formula(board: Board) -> Message:
    match BOARDS[board.kind]:
        case AchievementBoard(counted=counted, per=str() as per):
            return message("share", counted=UNITS[counted], per=UNITS[per])
        case definition:
            return message("sum_is_value", unit=definition.unit)
