"""The rules of the league: editions to publish and adopt, and replays of the league under other ones."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.addresses import number_of
from league.console.admin.rule_fields import NUMBER, document_of, groups_of
from league.console.asking import NoPage
from league.console.controls import Control, FieldErrors, day_in
from league.console.forms import STORED, FormPage, PageLink, PlainForm, to
from league.console.pages import FRAME, Page
from league.console.present import edition_in_force
from league.domain.sentences import say

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


def _two_editions(request: Request) -> Mapping[str, Any]:
    number, asked = number_of(request), request.query_params.get("against", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < 10  # noqa: PLR2004  # what GraphQL's Int takes
    return {"number": number, "against": int(asked) if is_number else max(1, number - 1)}


MOST_LINES = 14
"""Limit on the lines of a chart. The table beside it has all places."""
STEP, TOP = 26, 44
"""The distance of two lines, and the height of the first, in the chart's units."""
LONGEST_LABEL = 16
"""Limit on the characters of a name."""


class Slope(Struct, frozen=True):
    """A line of the chart: the place of a competitor before and after."""

    name: str
    before: int | None
    """The rank; None without a place on the board."""
    after: int | None
    left: int
    """How far down the line begins at the left; `right`: how far down it ends."""
    right: int

    @property
    def course(self) -> str:
        """`rises`, `falls` or `stays`."""
        if self.before == self.after:
            return "stays"
        return "rises" if (self.after or 10**9) < (self.before or 10**9) else "falls"


def slope_chart(moved: Sequence[Mapping[str, Any]]) -> Sequence[Slope]:
    """The lines of the best among the places that moved."""
    placed = [move for move in moved if move["rankBefore"] or move["rankAfter"]]
    best = sorted(placed, key=lambda move: min(_rank(move["rankBefore"]), _rank(move["rankAfter"])))[:MOST_LINES]
    left = {id(move): n for n, move in enumerate(sorted(best, key=lambda move: _rank(move["rankBefore"])))}
    right = {id(move): n for n, move in enumerate(sorted(best, key=lambda move: _rank(move["rankAfter"])))}
    return [
        Slope(
            _short(move["competitor"]["displayName"]),
            move["rankBefore"],
            move["rankAfter"],
            TOP + STEP * left[id(move)],
            TOP + STEP * right[id(move)],
        )
        for move in best
    ]


def _rank(rank: int | None) -> int:
    """A rank to sort by: competitors without a place come last."""
    return 10**9 if rank is None else rank


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"


def _chart(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    replay = data["replay"]
    moved = replay["difference"]["places"]["nodes"] if replay and replay["difference"] else []
    return {"slopes": slope_chart(moved)}


def _fields(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The fields of the form: the numbers of the edition in force. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    if edition is None:
        raise NoPage(404, say("The league has no rules yet."))
    groups = groups_of(edition)
    return {
        "edition": edition,
        "groups": groups,
        "lists": " ".join(field.setting for group in groups for field in group.fields if field.is_list),
        "numbered": [(one["number"], f"{one['number']}: {one['title']}") for one in data["editions"]["nodes"]],
        "named_seasons": [(one["seasonId"], one["name"]) for one in data["seasons"]["nodes"]],
    }


def _replay(form: FormData, _request: Request) -> Mapping[str, Any]:
    span = {"season": str(form.get("season", "")) or None, "from": day_in(form, "from"), "to": day_in(form, "to")}
    how = form.get("rules", "fields")
    if how == "edition":
        edition = str(form.get("edition", ""))
        if not NUMBER.fullmatch(edition):
            raise FieldErrors({"edition": say("Choose an edition.")})
        return {"edition": int(edition), **span}
    if how == "document":
        return {"document": str(form.get("document", "")), **span}
    return {"document": document_of(form), **span}


replay_form = partial(
    PlainForm, folder=HERE, way=PageLink("replays", say("Replays")), then=to("replays"), is_danger=True,
    parts="admin/parts_of_replays.html", styles=("admin.css",),
)  # fmt: skip
of_replay = partial(
    replay_form,
    document="replay_to_change.graphql",
    needs="replay",
    address={"replay": "number"},
    about="about_replay",
    values=lambda data: {"number": data["replay"]["number"]},
    back=PageLink("replay", say("Back"), ("number",)),
)


PAGES = (
    page(
        path="/admin/editions",
        name="editions",
        document="""
          query Editions($after: String) {
            league { name timeZone }
            timeline { start edition { number title } }
            editions(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { number title hash } }
          }
        """,
    ),
    FormPage(
        mutation="publishEdition",
        path="/admin/editions/publish",
        folder=HERE,
        document=FRAME,
        controls=(Control("document"),),
        then=to("edition", number="edition.number"),
    ),
    page(path="/admin/editions/{number}", name="edition", variables=_two_editions, needs="edition"),
    PlainForm(
        mutation="adoptEdition",
        path="/admin/editions/{number}/adopt",
        folder=HERE,
        document="edition.graphql",
        variables=_two_editions,
        needs="edition",
        address={"edition": "number"},
        heading=say("Adopt edition {number}"),
        button=say("Adopt the edition"),
        words=say(
            "Matches that began in the span are scored and rated again by this edition. A replay shows first who "
            "would move; rolling back undoes the adoption."
        ),
        parts="admin/parts_of_editions.html",
        shows="edition_changes",
        values=lambda data: {"number": data["edition"]["number"]},
        controls=(
            Control("from", say("From (empty: from the beginning)")),
            Control("to", say("To, exclusive (empty: without end)")),
        ),
        way=PageLink("editions", say("Editions of the rules")),
        back=PageLink("edition", say("Back"), ("number",)),
        then=to("editions", STORED),
        is_danger=True,
        styles=("admin.css",),
    ),
    FormPage(
        mutation="startReplay",
        path="/admin/replays/new",
        name="new_replay",
        folder=HERE,
        adds=_fields,
        filled_by=("edition", "document", "season"),
        input=_replay,
        then=to("replay", number="replay.number"),
    ),
    replay_form(
        mutation="rollBack",
        path="/admin/replays/roll-back",
        document="query RollBack { league { name timeZone } timeline { start edition { number title } } }",
        heading=say("Roll back the rules"),
        button=say("Roll back"),
        words=say(
            "The rules from before the last adoption or promotion apply again, and the ratings with them. Rolling "
            "back once more undoes this."
        ),
        shows="rules_now",
        back=PageLink("replays", say("Back")),
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
        shows="promotion",
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
    page(path="/admin/replays", name="replays"),
    page(path="/admin/replays/{number}", name="replay", needs="replay", adds=_chart),
)
