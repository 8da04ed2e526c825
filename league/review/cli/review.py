"""`league review`: reviews the hands of a match that were played turn by turn."""

from typing import Annotated, Any

import typer

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.found_matches import match_in, matches_listed
from league.cli.opening import existing_league, reading
from league.cli.options import Json
from league.domain.refusals import Refusal, WrongState
from league.domain.result import Played
from league.domain.rules import Mode
from league.projections.queries.official import chosen_run, names_of
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.review.application.reviewing import SEED
from league.review.decisions import PlayedHand, decisions
from league.review.hand import ReviewedHand, parts_of, review_moves
from league.review.hands_of_match import HandToReview, asked_for, hands_to_review
from league.review.moves import ReviewedMove
from league.review.options import Weighed
from league.review.sentences import lines_of, sentence_of, tile_said
from league.wording.language import _, spoken
from league.wording.numbers import number as written
from league.wording.numbers import signed


def review(
    match: Annotated[str, typer.Argument(metavar="MATCH", help=_("The id of a match, or the names of its players."))],
    hand: Annotated[int | None, typer.Argument(metavar="HAND", help=_("Only this hand."), min=1)] = None,
    as_json: Json = False,
) -> None:
    """Review the hands of a match: what each move cost, and what was luck.

    A move is worth what it gives on average over the deals that fit all that its seat had seen. It is called a mistake
    only where the interval of what it cost leaves out zero, with the odds that the earlier plays suggest and with equal
    odds. Hands without turns have no review.
    """
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            id_ = match_in(snapshot, match)
            if id_ != match:
                _say_which(snapshot, id_)
            played, hands = hands_to_review(id_, StreamStates(league.store, clock()))
            wanted = asked_for(id_, hands, hand)
            names = _names(snapshot, played)
        for one in wanted:
            _show(id_, one, names, as_json=as_json)


def _say_which(snapshot: Snapshot, match: str) -> None:
    """Say which match was found by the names of its players: beside the answer, which may be read by a program."""
    for one in matches_listed(snapshot, id_prefix=match):
        if one.match_id == match:
            terminal.err.print(terminal.shown(one.described), markup=False, soft_wrap=True)


def _names(snapshot: Snapshot, played: Played) -> tuple[str, ...]:
    known = names_of(snapshot.conn, played.seats)
    return tuple(known.get(player) or player for player in played.seats)


def _show(match: str, of: HandToReview, names: tuple[str, ...], *, as_json: bool) -> None:
    if of.hand is None:
        assert of.refusal is not None, "there is a reason"
        _show_refusal(match, of.number, of.refusal, as_json=as_json)
        return
    reviewed = _reviewed(of.hand, of.number)
    if as_json:
        terminal.print_json({"match": match, "hand": of.number, **document_of(reviewed, names, of.hand.mode)})
    else:
        _print(of.number, reviewed, names, of.hand.mode)


def _show_refusal(match: str, number: int, refusal: Refusal, *, as_json: bool) -> None:
    why = refusal.said(spoken)
    if as_json:
        terminal.print_json({"match": match, "hand": number, "moves": None, "why_not": why})
    elif isinstance(refusal, WrongState):  # which names the hand
        terminal.out.print(f"{why[:1].upper()}{why[1:]}.", markup=False)
    else:
        terminal.out.print(_("Hand {hand}: {why}", hand=number, why=why), markup=False)


def _reviewed(hand: PlayedHand, number: int) -> ReviewedHand:
    total = sum(1 for _decision in decisions(hand))
    moves: list[ReviewedMove] = []
    with terminal.progress(_("reviewing hand {hand}", hand=number)) as progress:
        for done, move in enumerate(review_moves(hand, SEED), 1):
            moves.append(move)
            progress(done, total)
    return ReviewedHand(tuple(moves), parts_of(hand, moves, SEED))


def _print(number: int, reviewed: ReviewedHand, names: tuple[str, ...], mode: Mode) -> None:
    mistakes = [
        (
            move.turn + 1,
            names[move.seat],
            tile_said(move.weighed.options[move.weighed.played].play),
            tile_said(move.weighed.options[move.weighed.best].play),
            _cost(move.weighed),
            spoken(sentence),
        )
        for move, sentence in lines_of(reviewed.moves, names, mode)
    ]
    if mistakes:
        title = _("Hand {hand}: mistakes", hand=number)
        terminal.table(title, ("turn", "player", "move", "best", "cost", "why"), mistakes, numbers=("turn", "cost"))
    else:
        terminal.out.print(_("Hand {hand}: no move was surely a mistake.", hand=number), markup=False)
    digits = 2 if any(move.weighed.is_in_hands for move in reviewed.moves) else 1
    parts = [
        (
            " & ".join(name for seat, name in enumerate(names) if seat % len(reviewed.parts) == part.side),
            *(signed(value, digits) for value in (part.result, part.deal, part.luck, part.own_moves, part.other_moves)),
        )
        for part in reviewed.parts
    ]
    terminal.table(
        _("Hand {hand}: what made the result", hand=number),
        ("side", "result", "deal", "luck", "own moves", "others' moves"),
        parts,
        numbers=("result", "deal", "luck", "own moves", "others' moves"),
    )


def _cost(weighed: Weighed) -> str:
    loss, digits = weighed.loss, 2 if weighed.is_in_hands else 1
    if loss.low == loss.high:  # all deals were tried
        return written(loss.value, digits)
    return f"{written(loss.value, digits)} ({written(loss.low, digits)} … {written(loss.high, digits)})"


def document_of(reviewed: ReviewedHand, names: tuple[str, ...], mode: Mode) -> dict[str, Any]:
    """A review as a document of JSON."""
    return {
        "moves": [_move(move, names, mode) for move in reviewed.moves],
        "parts": [
            {
                "side": part.side, "result": part.result, "deal": part.deal, "luck": part.luck,
                "own_moves": part.own_moves, "other_moves": part.other_moves,
            }
            for part in reviewed.parts
        ],
    }  # fmt: skip


def _move(move: ReviewedMove, names: tuple[str, ...], mode: Mode) -> dict[str, Any]:
    weighed = move.weighed
    return {
        "turn": move.turn + 1,
        "seat": move.seat,
        "kind": move.kind,
        "played": weighed.options[weighed.played].play,
        "options": [
            {"play": one.play, "value": one.worth.value, "low": one.worth.low, "high": one.worth.high, "wins": one.wins}
            for one in weighed.options
        ],
        "loss": weighed.loss,
        "mistake": weighed.is_mistake,
        "chances": weighed.chances,
        "open_loss": move.open_loss,
        "deals": weighed.deals,
        "whole": weighed.is_whole,
        "best": weighed.options[weighed.best].play,
        "made_by": move.made_by,
        "sentence": spoken(sentence_of(move, names, mode)) if weighed.is_mistake else None,
    }
