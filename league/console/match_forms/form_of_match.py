"""What the forms about one match have in common: they show it, and lead back to its page."""

from functools import partial
from pathlib import Path
from typing import Any

from league.console.asking import Visitor
from league.console.controls import Control, Data, Options
from league.console.forms import Link, PlainForm, to
from league.domain.sentences import Sentence, say

HERE = Path(__file__).parent
TO_MATCH = to("match", id="matchId")

form_of_match = partial(
    PlainForm,
    folder=HERE,
    document="match.graphql",
    needs="match",
    address={"match": "id"},
    about="match_forms/about_match.html",
    back=Link("match", say("Back to the match"), ("id",)),
    then=TO_MATCH,
    is_live=True,
    styles=("record.css",),
)
"""A plain form about a match."""


def no_open_dispute(data: Data) -> Sentence | None:
    """What a form about a dispute says of a match without one."""
    return None if data["match"]["dispute"] else NO_DISPUTE


def _dispute(data: Data) -> Any:
    dispute = data["match"]["dispute"]
    return dispute and dispute["number"]


NO_DISPUTE = say("This match has no open dispute.")
DISPUTE = Control("dispute", value=_dispute, is_hidden=True, missing=NO_DISPUTE)
"""The open dispute, which the form is about."""
SETTLES = Control("settles", value=_dispute, is_hidden=True)
"""The open dispute, which the form settles besides."""
REASON = Control("reason", say("Reason, for readers of the log"), attributes={"maxlength": 1000})


def sides(data: Data, _visitor: Visitor) -> Options:
    """The sides of the match, to choose one."""
    return [
        (side["number"], " & ".join(one["displayName"] for one in side["players"])) for side in data["match"]["sides"]
    ]
