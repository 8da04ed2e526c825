"""The forms that give a candidate a title and a reason, show it to everybody, and withdraw it."""

from functools import partial
from pathlib import Path

from league.console.controls import Control
from league.console.forms import PageLink, PlainForm, to
from league.domain.candidates import LONGEST_TITLE
from league.domain.sentences import say
from league.domain.texts_and_times import LONGEST_REASON

of_candidate = partial(
    PlainForm,
    folder=Path(__file__).parent,
    document="candidate.graphql",
    needs="replay",
    address={"replay": "number"},
    parts="admin/parts_of_candidates.html",
    about="about_candidate",
    values=lambda data: {"number": data["replay"]["number"]},
    way=PageLink("replays", say("Replays")),
    back=PageLink("replay", say("Cancel"), ("number",)),
    styles=("admin.css",),
)
WHY = {"maxlength": LONGEST_REASON, "autocomplete": "off"}

PAGES = (
    of_candidate(
        mutation="nameReplay",
        then=to("replay", "?stored=named", number="replay.number"),
        path="/admin/replays/{number}/name",
        heading=say("Title and reason of replay {number}"),
        button=say("Store title and reason"),
        controls=(
            Control(
                "title",
                say("Title"),
                hint=say("Empty: made of what it changes, in the language of its reader."),
                value=lambda data: data["replay"]["ownTitle"],
                attributes={"maxlength": LONGEST_TITLE, "autocomplete": "off"},
            ),
            Control("reason", say("Reason"), value=lambda data: data["replay"]["reason"], attributes=WHY),
        ),
    ),
    of_candidate(
        mutation="showReplay",
        then=to("replay", "?stored=shown", number="replay.number"),
        path="/admin/replays/{number}/show",
        heading=say("Show replay {number} to everybody"),
        button=say("Show it to everybody"),
        words=say(
            "Everybody can then read what it changes, who would move and why, and each player what happens to them. "
            "The official league stays as it is."
        ),
        shows="to_show",
        controls=(
            Control(
                "reason",
                say("Why other rules, for everybody to read"),
                value=lambda data: data["replay"]["reason"],
                attributes=WHY,
            ),
        ),
    ),
    of_candidate(
        mutation="withdrawReplay",
        then=to("replay", "?stored=withdrawn", number="replay.number"),
        path="/admin/replays/{number}/withdraw",
        heading=say("Withdraw replay {number}"),
        button=say("Withdraw the proposal"),
        words=say("Only admins and auditors can then read it. It is not removed, and can be shown again."),
        controls=(Control("reason", say("Why it is withdrawn"), attributes=WHY),),
    ),
)
