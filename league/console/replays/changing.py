"""Forms that change replays, each a page that says what will happen: promote, drop, cancel, roll back."""

from functools import partial
from pathlib import Path

from league.console.forms import Link, PlainForm, to
from league.domain.sentences import say

form = partial(
    PlainForm, folder=Path(__file__).parent, way=Link("replays", say("Replays")), then=to("replays"), is_danger=True,
    styles=("admin.css",),
)  # fmt: skip
of_replay = partial(
    form,
    document="replay_to_change.graphql",
    needs="replay",
    address={"replay": "number"},
    about="replays/about_replay.html",
    values=lambda data: {"number": data["replay"]["number"]},
    back=Link("replay", say("Back"), ("number",)),
)

CHANGES = (
    form(
        mutation="rollBack",
        path="/admin/replays/roll-back",
        document="query RollBack { league { name timeZone } timeline { start edition { number title } } }",
        heading=say("Roll back the rules"),
        button=say("Roll back"),
        words=say(
            "The rules from before the last adoption or promotion apply again, and the ratings with them. Rolling "
            "back once more undoes this."
        ),
        shows="replays/rules_now.html",
        back=Link("replays", say("Back")),
        then=to("editions"),
    ),
    of_replay(
        mutation="promoteReplay",
        path="/admin/replays/{number}/promote",
        heading=say("Promote replay {number}"),
        button=say("Make it official"),
        words=say(
            "The replay becomes the official league: boards, ratings, standings and badges are those of its rules. "
            "Rolling back undoes it."
        ),
        shows="replays/what_promoting_changes.html",
    ),
    of_replay(
        mutation="dropReplay",
        path="/admin/replays/{number}/drop",
        heading=say("Drop replay {number}"),
        button=say("Drop the replay"),
        words=say(
            "What the replay computed is removed. Nothing of the official league changes; the replay can be "
            "started again."
        ),
    ),
    of_replay(
        mutation="cancelReplay",
        path="/admin/replays/{number}/cancel",
        heading=say("Cancel replay {number}"),
        button=say("Cancel the replay"),
        words=say("The replay stops, and what it has computed is removed. Nothing of the official league changes."),
    ),
)
