"""What the players of a match say of its result: they confirm it, dispute it, or take a dispute back."""

from league.console.asking import Visitor
from league.console.controls import Control, Data, Options
from league.console.match_forms.form_of_match import DISPUTE, form_of_match, no_open_dispute
from league.domain.sentences import say
from league.wording.language import _


def _seated(operation: str, data: Data, visitor: Visitor) -> Options:
    """The players of the match, for those who may speak for all and play in it themselves not."""
    seated = [(one["playerId"], one["displayName"]) for side in data["match"]["sides"] for one in side["players"]]
    viewer = data["viewer"] and data["viewer"]["player"]
    is_own = viewer is not None and viewer["playerId"] in dict(seated)
    return seated if visitor.may(operation) and not is_own else []


def _of_all(data: Data, visitor: Visitor) -> Options:
    seated = _seated("confirmResult", data, visitor)
    return [*seated, ("", _("For everybody"))] if seated else []


FOR_WHOM = say("For whom?")

REVIEWS = (
    form_of_match(
        mutation="confirmResult",
        path="/matches/{id}/confirm",
        heading=say("Confirm the result"),
        words=say(
            "You say that the result is right. Where the league asks for it, the match counts once a player of "
            "each side has confirmed it."
        ),
        inside="match_forms/confirmed_by.html",
        controls=(Control("player", FOR_WHOM, options=_of_all),),
    ),
    form_of_match(
        mutation="disputeResult",
        path="/matches/{id}/dispute",
        heading=say("Dispute the result"),
        words=say("The result stands until an admin settles the dispute. Everybody can read what you write."),
        controls=(
            Control("player", FOR_WHOM, options=lambda data, visitor: _seated("disputeResult", data, visitor)),
            Control("reason", say("What is wrong with it?"), attributes={"maxlength": 1000}),
        ),
    ),
    form_of_match(
        mutation="withdrawDispute",
        path="/matches/{id}/dispute/withdraw",
        heading=say("Withdraw the dispute"),
        words=say("The result stays as it is, and there is nothing left to settle."),
        inside="match_forms/open_dispute.html",
        controls=(DISPUTE,),
        nothing=no_open_dispute,
    ),
)
