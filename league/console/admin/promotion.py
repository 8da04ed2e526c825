"""Pages that make other rules official: promoting a replay, computing one again, and bringing earlier rules back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import Control, FieldErrors
from league.console.forms import FormPage, PageLink, PlainForm, to
from league.domain.candidates import LONGEST_TITLE
from league.domain.sentences import say
from league.domain.texts_and_times import LONGEST_REASON

HERE = Path(__file__).parent
REASON = Control("reason", say("Why? Everybody can read it."), attributes={"maxlength": LONGEST_REASON})


def _earlier(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The timelines that can come back, each once, and the one in force."""
    listed = data["officialTimelines"]["nodes"]
    found: dict[str, Any] = {}
    for one in listed:
        if one["canComeBack"]:
            found.setdefault(str(one["timeline"]), one)
    return {"earlier": list(found.values()), "held": next((one for one in listed if one["isInForce"]), None)}


def _restored(form: FormData, _request: Request) -> Mapping[str, Any]:
    position = str(form.get("restore", ""))
    if not (position.isascii() and position.isdigit()):
        raise FieldErrors({"": say("Choose the rules that are to come back.")})
    return {"restore": position}


PAGES = (
    FormPage(
        mutation="startReplay",
        path="/admin/replays/roll-back",
        name="roll_back",
        folder=HERE,
        adds=_earlier,
        input=_restored,
        then=to("replay", number="replay.number"),
    ),
    FormPage(
        mutation="promoteReplay",
        path="/admin/replays/{number}/promote",
        folder=HERE,
        needs="replay",
        address={"replay": "number"},
        controls=(
            Control(
                "title",
                say("Title of these rules"),
                hint=say("Empty: that of the replay, or made of what they change."),
                value=lambda data: data["replay"]["ownTitle"],
                attributes={"maxlength": LONGEST_TITLE, "autocomplete": "off"},
            ),
            REASON,
            Control("previewed", is_hidden=True, value=lambda data: data["previewPromotion"].get("fingerprint")),
        ),
        then=to("replay", "?stored=official", number="replay.number"),
    ),
    PlainForm(
        mutation="computeReplayAgain",
        path="/admin/replays/{number}/again",
        folder=HERE,
        document="replay_to_change.graphql",
        needs="replay",
        address={"replay": "number"},
        heading=say("Compute replay {number} again"),
        button=say("Compute again with these rules"),
        words=say("A new replay takes the same rules and the same span, on the rules and the matches of today."),
        parts="admin/parts_of_replays.html",
        about="about_replay",
        values=lambda data: {"number": data["replay"]["number"]},
        way=PageLink("replay", say("Back to the replay"), ("number",)),
        then=to("replay", number="replay.number"),
    ),
)
