"""`league explain`: why a number of the league is what it is, for people, or as JSON for scripts."""

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

import msgspec

from league.application.bootstrap import clock
from league.cli import terminal
from league.cli.explained_pages import print_page, print_side_by_side
from league.cli.player_command import find
from league.domain.refusals import InvalidInput
from league.explanations.badges import explain_badge
from league.explanations.explanation import Explanation
from league.explanations.first_divergence import first_divergence
from league.explanations.hands import explain_hand
from league.explanations.matches import explain_match
from league.explanations.places import explain_place
from league.explanations.rating_changes import explain_change
from league.explanations.side_by_side import Compared, side_by_side
from league.explanations.standings import explain_standing
from league.projections.boards.definitions import AchievementBoard, Board, BoardKind, RatingBoard
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot
from league.transfer.difference_rows import divergence_of
from league.wording.explanations import document_of, document_of_term

BOARDS: tuple[BoardKind, ...] = (*get_args(RatingBoard), *get_args(AchievementBoard))
FORMS = "MATCH PLAYER, MATCH, MATCH --hand N, standing MONTH PLAYER, badge PLAYER BADGE, or place BOARD PLAYER"


class Asked(msgspec.Struct, frozen=True):
    """What is to be explained: the words of the command, the number of a hand, and whether a run was asked for."""

    words: Sequence[str]
    hand: int | None = None
    of_run: bool = False


def show(snapshot: Snapshot, asked: Asked, *, as_json: bool) -> None:
    """Print an explanation. Raises NotFound, InvalidInput for words that ask for nothing."""
    explained = explanation_asked_for(snapshot, asked)
    if as_json:
        terminal.print_json(_document(snapshot, explained))
    else:
        print_page(snapshot, explained, of_run=asked.of_run)


def show_beside(before: Snapshot, after: Snapshot, asked: Asked, *, as_json: bool) -> None:
    """Print the same number of two runs side by side. Raises NotFound when neither has it, InvalidInput."""
    found = side_by_side(partial(explanation_asked_for, asked=asked), before, after)
    first = first_divergence(found, before, after)
    if not as_json:
        print_side_by_side((before, after), found, first)
        return
    both = ((before, found.before), (after, found.after))
    documents = [None if explained is None else _document(snapshot, explained) for snapshot, explained in both]
    terms = [_compared(row) for row in found.terms]
    document = {"before": documents[0], "after": documents[1], "total": found.total, "terms": terms}
    terminal.print_json({**document, "first_divergence": None if first is None else divergence_of(first)})


def explanation_asked_for(snapshot: Snapshot, asked: Asked) -> Explanation:
    """The explanation that the words ask for. Raises NotFound, InvalidInput."""
    match list(asked.words), asked.hand:
        case [match], int() as hand:
            return explain_hand(snapshot, match, hand)
        case [match], None:
            return explain_match(snapshot, match)
        case [match, player], None:
            return explain_change(snapshot, match, find(snapshot, player, "player"))
        case ["standing", month, player], None:
            id_ = find(snapshot, player, "player")
            mode = "2v2" if "+" in id_ else "1v1"
            return explain_standing(snapshot, month_named(snapshot, mode, month, clock()), id_)
        case ["badge", player, badge], None:
            return explain_badge(snapshot, find(snapshot, player, "player"), badge)
        case ["place", "series", _], None:
            raise InvalidInput("board", "the series has a board for each month: ask for `standing MONTH PLAYER`")
        case ["place", board, player], None:
            kind = next((kind for kind in BOARDS if kind == board), None)
            if kind is None:
                raise InvalidInput("board", f"there is no board {board!r}; there are {', '.join(BOARDS)}")
            return explain_place(snapshot, Board(kind, include_inactive=True), find(snapshot, player, "player"))
    raise InvalidInput("what", f"say what is explained: {FORMS}")


def _document(snapshot: Snapshot, explained: Explanation) -> dict[str, Any]:
    return {**document_of(explained), "run": snapshot.run}


def _compared(row: Compared) -> dict[str, Any]:
    both = {"before": row.before, "after": row.after}
    terms = {run: None if term is None else document_of_term(term) for run, term in both.items()}
    return {**msgspec.to_builtins(row), **terms, "differs": row.differs}
