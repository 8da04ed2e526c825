"""`league explain`: why a number of the league is what it is, for people, or as JSON for scripts."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
import typer

from league.cli import terminal
from league.cli.explained_pages import print_page, print_side_by_side
from league.cli.named import find, match_in
from league.cli.opening import reading_run
from league.cli.options import Json, KnownAt, Run
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput
from league.domain.seating import is_pair
from league.domain.sentences import say
from league.explanations.badges import explain_badge
from league.explanations.explanation import Explanation
from league.explanations.hands import explain_hand
from league.explanations.matches import explain_match
from league.explanations.onward import Compared, first_divergence, side_by_side
from league.explanations.places import explain_place, explain_standing
from league.explanations.rating_changes import explain_change
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.queries.players import names_of
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot, snapshot_beside
from league.transfer.difference_rows import divergence_of
from league.wording.explanations import document_of, document_of_term
from league.wording.language import _, spoken

FORMS = say("MATCH PLAYER, MATCH, MATCH --hand N, standing MONTH PLAYER, badge PLAYER BADGE, or place BOARD PLAYER")


class Wanted(msgspec.Struct, frozen=True):
    """What to explain: the arguments of the command, the number of a hand, and whether a run was named."""

    words: Sequence[str]
    hand: int | None = None
    of_run: bool = False


def explain(
    what: Annotated[
        list[str],
        typer.Argument(metavar="WHAT...", help="A match and a player (an id or a name), or another form; see above."),
    ],
    hand: Annotated[int | None, typer.Option(help="With a match alone: the number of a hand.", min=1)] = None,
    against: Annotated[
        int | None, typer.Option(metavar="RUN", help="Compare with the explanation in this run, term by term.")
    ] = None,
    run: Run = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Explain a rating change, a hand, a match, a standing, a badge or a place.

    The explanation names every term of the number, the rule and the facts that each term comes from, and the events
    behind them. WHAT is one of:

    - MATCH PLAYER: the rating change of a player, or of a team (two joined by +)
    - MATCH: the result of a match
    - MATCH --hand N: the points of a hand
    - standing MONTH PLAYER: a standing in the series
    - badge PLAYER BADGE: when and how a badge was earned
    - place BOARD PLAYER: a place on a board
    """
    with reading_run(run, known_at) as (_, snapshot):
        wanted = Wanted(what, hand, of_run=run is not None or known_at is not None)
        if against is None:
            _print_one(snapshot, wanted, as_json=as_json)
        else:
            _print_two(snapshot_beside(snapshot, against), snapshot, wanted, as_json=as_json)


def _print_one(snapshot: Snapshot, wanted: Wanted, *, as_json: bool) -> None:
    explained = _explanation(snapshot, wanted)
    if as_json:
        terminal.print_json(_document(snapshot, explained))
    else:
        print_page(snapshot, explained, of_run=wanted.of_run)


def _print_two(before: Snapshot, after: Snapshot, wanted: Wanted, *, as_json: bool) -> None:
    found = side_by_side(partial(_explanation, wanted=wanted), before, after)
    first = first_divergence(found, before, after)
    if not as_json:
        print_side_by_side((before, after), found, first)
        return
    both = ((before, found.before), (after, found.after))
    documents = [None if explained is None else _document(snapshot, explained) for snapshot, explained in both]
    terms = [_compared(row) for row in found.terms]
    document = {"before": documents[0], "after": documents[1], "total": found.total, "terms": terms}
    terminal.print_json({**document, "first_divergence": None if first is None else divergence_of(first)})


def _explanation(snapshot: Snapshot, wanted: Wanted) -> Explanation:
    """The explanation. Raises NotFound, and InvalidInput for arguments of no known form."""
    match list(wanted.words), wanted.hand:
        case [match], int() as hand:
            return explain_hand(snapshot, match_in(snapshot, match), hand)
        case [match], None:
            return explain_match(snapshot, match_in(snapshot, match))
        case [match, player], None:
            return explain_change(snapshot, match_in(snapshot, match), find(snapshot, player, "player"))
        case ["standing", month, player], None:
            id_ = find(snapshot, player, "player")
            mode = "2v2" if is_pair(id_) else "1v1"
            return explain_standing(snapshot, month_named(snapshot, mode, month), id_)
        case ["badge", player, badge], None:
            return explain_badge(snapshot, find(snapshot, player, "player"), badge)
        case ["place", board, player], None:
            definition = BOARDS.get(board)
            if definition is None:
                known = [kind for kind, one in BOARDS.items() if not one.monthly]
                raise InvalidInput(
                    "board",
                    say("there is no board {board!r}; {there_are}", board=board, there_are=there_are(board, known)),
                )
            if definition.monthly:
                raise InvalidInput("board", _("the series has a board for each month: use `standing MONTH PLAYER`"))
            return explain_place(snapshot, Board(board, include_inactive=True), find(snapshot, player, "player"))
    raise InvalidInput("what", _("say what to explain: {forms}", forms=FORMS))


def _document(snapshot: Snapshot, explained: Explanation) -> dict[str, Any]:
    names = names_of(snapshot.conn, explained.statement.people)
    return {**document_of(explained, names), "run": snapshot.run}


def _compared(row: Compared) -> dict[str, Any]:
    both = {"before": row.before, "after": row.after}
    terms = {run: None if term is None else document_of_term(term) for run, term in both.items()}
    return {**msgspec.to_builtins(row, enc_hook=spoken), **terms, "differs": row.differs}
