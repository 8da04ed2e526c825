"""Forms about a whole match: open, end, forfeit, reopen, void, record its result, confirm and dispute."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import Visitor
from league.console.controls import PLAYED_AT, Control, Data, FieldErrors, Options, clock_time_in, moment_in, number_in
from league.console.forms import FormPage, Look, NextPage, PageLink, PlainForm, Question, to
from league.console.present import rulesets_in_force
from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import LONGEST_REASON

TO_MATCH = to("match", id="matchId")

HERE = Path(__file__).parent
own_form = partial(
    FormPage,
    folder=HERE,
    document="match_form.graphql",
    needs="match",
    address={"match": "id"},
    then=TO_MATCH,
)
"""Makes a form about a match that has its own template."""
form_of_match = partial(
    PlainForm,
    folder=HERE,
    document="match_form.graphql",
    needs="match",
    address={"match": "id"},
    parts="scorekeeping/form_parts.html",
    about="about_match",
    back=PageLink("match", say("Back to the match"), ("id",)),
    then=TO_MATCH,
    is_live=True,
    styles=("record.css",),
)
"""Makes a plain form about a match."""


def no_open_dispute(data: Data) -> Sentence | None:
    """What a form about a dispute says if the match has none; None if it has one."""
    return None if data["match"]["dispute"] else NO_DISPUTE


def _dispute(data: Data) -> Any:
    dispute = data["match"]["dispute"]
    return dispute and dispute["number"]


NO_DISPUTE = say("This match has no open dispute.")
DISPUTE = Control("dispute", value=_dispute, is_hidden=True, missing=NO_DISPUTE)
"""The open dispute that the form is about."""
SETTLES = Control("settles", value=_dispute, is_hidden=True)
"""The open dispute, which the form settles along with what it does."""
REASON = Control("reason", say("Reason, for readers of the log"), attributes={"maxlength": LONGEST_REASON})


def sides(data: Data, _visitor: Visitor) -> Options:
    """The sides of the match, to choose one."""
    return [
        (side["number"], " & ".join(one["displayName"] for one in side["players"])) for side in data["match"]["sides"]
    ]


SEATS = {"ONE_ON_ONE": (2,), "TWO_ON_TWO": (4,), "INDIVIDUALS": (3, 4)}
"""The possible numbers of players by mode."""


def _match(form: FormData, _request: Request) -> Mapping[str, Any]:
    mode = str(form.get("mode", ""))
    if mode not in SEATS:
        raise FieldErrors({"mode": say("Say how it is played.")})
    # Seats that the mode does not have may still hold what was typed before the mode was chosen.
    seats = [str(form.get(f"seats.{seat}", "")).strip() for seat in range(max(SEATS[mode]))]
    if mode == "INDIVIDUALS" and not seats[-1]:
        seats = seats[:-1]
    empty = {f"seats.{seat}": say("Name a player.") for seat, player in enumerate(seats) if not player}
    if empty:
        raise FieldErrors(empty)
    competition = str(form.get("competition", "COMPETITIVE"))
    return {
        "ruleset": str(form.get("ruleset", "")),
        "mode": mode,
        "competition": competition,
        "seats": seats,
        "playedAt": clock_time_in(form, PLAYED_AT),
    }


def _result(form: FormData, request: Request) -> Mapping[str, Any]:
    names = [name for name in form if name.startswith("announced.score.")]
    scores = [number_in(form, name) for name in sorted(names)]
    winner = number_in(form, "announced.winner")
    known = [score for score in scores if score is not None]
    if known and len(known) < len(scores):
        name = sorted(names)[scores.index(None)]
        raise FieldErrors({name: say("Write the score of this side, too, or of none.")})
    if winner is None and known and known.count(max(known)) == 1:
        winner = known.index(max(known))
    if winner is None:
        raise FieldErrors({"announced.winner": say("Say who has won.")})
    announced = {"winner": winner, "score": known or None}
    return {"match": request.path_params["id"], "announced": announced, "playedAt": moment_in(form, PLAYED_AT)}


def _corrected(form: FormData, request: Request) -> Mapping[str, Any]:
    """The right result. Raises FieldErrors."""
    given = _result(form, request)
    more = {"reason": str(form.get("reason", "")), "settles": number_in(form, "settles")}
    return {"match": given["match"], "announced": given["announced"], **more}


def _is_below_target(looked: Mapping[str, Any]) -> bool:
    """Whether the winner of the typed result has not reached the target, where no bell ends the match."""
    return looked["match"] is not None and any(
        note["doubt"] == "BELOW_TARGET" for note in looked["match"]["scoreNotes"]
    )


BELOW_TARGET = Question(
    "isSo", say("Nobody has reached the target. Check the score, or say that it ended so."), _is_below_target
)
"""A result that may be a slip of the pen is stored only once somebody says that it is right."""
SCORE_NOTES = Look(
    document="score_notes.graphql",
    variables=lambda given, _request: {"id": given["match"], "announced": given["announced"]},
    template="score_notes.html",
)


def _to_confirm(form: FormData, _request: Request) -> Mapping[str, Any]:
    # A control named `matches` would hide the method `matches` of its form from every script of the page.
    matches = [str(match) for match in form.getlist("match")]
    if not matches:
        raise FieldErrors({"match": say("Choose at least one match.")})
    return {"matches": matches}


def _seated(operation: str, data: Data, visitor: Visitor) -> Options:
    """The players of the match, if the visitor may speak for all and does not play in it; otherwise nobody."""
    seated = [(one["playerId"], one["displayName"]) for side in data["match"]["sides"] for one in side["players"]]
    viewer = data["viewer"] and data["viewer"]["player"]
    is_own = viewer is not None and viewer["playerId"] in dict(seated)
    return seated if visitor.may(operation) and not is_own else []


def _of_all(data: Data, visitor: Visitor) -> Options:
    seated = _seated("confirmResult", data, visitor)
    return [*seated, ("", say("For everybody"))] if seated else []


FOR_WHOM = say("For whom?")

PAGES = (
    FormPage(
        mutation="openMatch",
        path="/record/match",
        document="""
          query OpenMatchForm {
            league { name timeZone }
            timeline { start edition { number rulesets { name title description modes } } }
            before: matches(first: 1) { nodes { mode competition ruleset { name } } }
          }
        """,
        folder=HERE,
        adds=lambda data, _request: {"rulesets": rulesets_in_force(data["timeline"])},
        named=("seats.0", "seats.1", "seats.2", "seats.3"),
        input=_match,
        then=to("record_hand", id="matchId"),
    ),
    form_of_match(
        mutation="endMatch",
        path="/matches/{id}/end",
        heading=say("End the match"),
        words=say("Play stops here. The side that leads has won."),
        is_unsent=True,
    ),
    form_of_match(
        mutation="forfeitMatch",
        path="/matches/{id}/forfeit",
        heading=say("A side gives up"),
        button=say("Forfeit the match"),
        words=say(
            "The other side has won, and nothing else of the match counts. Where everybody plays for themselves, "
            "the one who leads has won."
        ),
        controls=(Control("side", say("Who gives up?"), options=sides, missing=say("Say who gives up.")),),
        is_unsent=True,
    ),
    own_form(
        mutation="recordResult",
        path="/matches/{id}/result",
        input=_result,
        look=SCORE_NOTES,
        question=BELOW_TARGET,
    ),
    own_form(
        mutation="correctResult",
        path="/matches/{id}/correct-result",
        document="correct_result.graphql",
        input=_corrected,
        overwrites=True,
        look=SCORE_NOTES,
        question=BELOW_TARGET,
    ),
    form_of_match(
        mutation="reopenMatch",
        path="/matches/{id}/reopen",
        heading=say("Reopen the match"),
        words=say("Play goes on where it stopped, and the result counts no longer."),
        inside="settled_dispute",
        controls=(SETTLES, REASON),
    ),
    own_form(
        mutation="voidMatch",
        path="/matches/{id}/void",
        document="void_match.graphql",
        controls=(SETTLES, REASON),
    ),
    form_of_match(
        mutation="confirmResult",
        path="/matches/{id}/confirm",
        heading=say("Confirm the result"),
        words=say(
            "You say that the result is right. Where the league asks for it, the match counts once a player of "
            "each side has confirmed it."
        ),
        inside="confirmed_by",
        controls=(Control("player", FOR_WHOM, options=_of_all),),
    ),
    FormPage(
        mutation="confirmResults",
        path="/record/confirm",
        document="confirm_results.graphql",
        folder=HERE,
        input=_to_confirm,
        then=NextPage(
            "answers { refusal { message } match { matchId status sides { score players { displayName } } } }", None
        ),
    ),
    form_of_match(
        mutation="disputeResult",
        path="/matches/{id}/dispute",
        heading=say("Dispute the result"),
        words=say("The result stands until an admin settles the dispute. Everybody can read what you write."),
        controls=(
            Control("player", FOR_WHOM, options=lambda data, visitor: _seated("disputeResult", data, visitor)),
            Control("reason", say("What is wrong with it?"), attributes={"maxlength": LONGEST_REASON}),
        ),
    ),
    form_of_match(
        mutation="withdrawDispute",
        path="/matches/{id}/dispute/withdraw",
        heading=say("Withdraw the dispute"),
        words=say("The result stays as it is, and there is nothing left to settle."),
        inside="open_dispute",
        controls=(DISPUTE,),
        nothing=no_open_dispute,
    ),
)
