"""The rules of the league: editions to publish and adopt, and replays of the league under other ones."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.addresses import number_of
from league.console.admin.rule_fields import RuleFields, errors_in
from league.console.admin.tried_hands import hands_to_try, trying
from league.console.admin.typed_rules import NUMBER, document_of
from league.console.asking import NoPage
from league.console.controls import Control, FieldErrors, day_in
from league.console.forms import STORED, FormPage, PageLink, PlainForm, to
from league.console.pages import FRAME, Page
from league.console.present import edition_in_force
from league.domain.candidates import LONGEST_TITLE
from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import LONGEST_REASON
from league.wording.language import spoken

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


def _two_editions(request: Request) -> Mapping[str, Any]:
    number, asked = number_of(request), request.query_params.get("against", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < 10  # noqa: PLR2004  # what GraphQL's Int takes
    against = int(asked) if is_number else None
    return {"number": number, "against": against, "other": against or 0}


def _compared(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The edition with which the page compares: the one that the address names, or else the one it was made from."""
    asked = _two_editions(request)["against"]
    return {"other": data["other"] if asked is not None else data["edition"]["madeFrom"]}


START = re.compile(r"(edition|replay):(\d{1,9})")
"""Where a new replay starts: `edition:2` or `replay:5`, as the parameter `from` of the address names it."""


def _start(request: Request) -> tuple[str, int] | None:
    """The edition or the replay whose rules fill the fields; None: the edition in force."""
    found = START.fullmatch(request.query_params.get("from", ""))
    return None if found is None else (found[1], int(found[2]))


def _base(request: Request) -> Mapping[str, Any]:
    """The rules that the fields change, as `whatIfHand` takes them."""
    kind, number = _start(request) or ("", None)
    return {"baseEdition": number if kind == "edition" else None, "baseReplay": number if kind == "replay" else None}


def _start_variables(request: Request) -> Mapping[str, Any]:
    kind, number = _start(request) or ("", 0)
    return {"edition": number if kind == "edition" else 0, "replay": number if kind == "replay" else 0}


def _fields(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The controls of the form: the settings of the rules from which it starts. Raises NoPage."""
    in_force = edition_in_force(data["timeline"])
    if in_force is None:
        raise NoPage(404, say("The league has no rules yet."))
    edition: Mapping[str, Any] | None = in_force
    if _start(request) is not None:
        edition = data["startingEdition"] or (data["startingReplay"] or {}).get("rules")
    if edition is None:
        raise NoPage(404, say("There is no such edition or replay with rules to start from."))
    fields = RuleFields(edition, in_force, _now, texts=())
    rulesets = fields.chosen(request.query_params.getlist("ruleset"))
    sections = fields.sections(rulesets)
    named = [(f"replay:{one['number']}", _named_replay(one)) for one in data["replays"]["nodes"] if one["title"]]
    return {
        "longest_title": LONGEST_TITLE,
        "longest_reason": LONGEST_REASON,
        "hands": hands_to_try(data),
        "edition": edition,
        "in_force": in_force,
        "shown_rulesets": rulesets,
        "sections": sections,
        "errors_in": partial(errors_in, sections),
        "numbered": [(one["number"], f"{one['number']}: {one['title']}") for one in data["editions"]["nodes"]],
        "starts": [
            *((f"edition:{one['number']}", _named_edition(one)) for one in data["editions"]["nodes"]), *named,
        ],
        "named_seasons": [(one["seasonId"], one["name"]) for one in data["seasons"]["nodes"]],
    }  # fmt: skip


def _now(value: str) -> Sentence:
    return say("now {value}", value=value)


def _named_edition(one: Mapping[str, Any]) -> str:
    return spoken(say("Edition {number}: {title}", number=one["number"], title=one["title"]))


def _named_replay(one: Mapping[str, Any]) -> str:
    return spoken(say("Replay {number}: {title}", number=one["number"], title=one["title"]))


def _replay(form: FormData, request: Request) -> Mapping[str, Any]:
    given: dict[str, Any] = {"season": str(form.get("season", "")) or None}
    given |= {"from": day_in(form, "from"), "to": day_in(form, "to")}
    given |= {"title": str(form.get("title", "")) or None, "reason": str(form.get("reason", "")) or None}
    how, start = form.get("rules", "fields"), _start(request)
    if how == "edition":
        edition = str(form.get("edition", ""))
        if not NUMBER.fullmatch(edition):
            raise FieldErrors({"edition": say("Choose an edition.")})
        return {"edition": int(edition), **given}
    if how == "document":
        return {"document": str(form.get("document", "")), **given}
    return {"document": document_of(form), **({} if start is None else {start[0]: start[1]}), **given}


of_replay = partial(
    PlainForm, folder=HERE, document="replay_to_change.graphql", needs="replay", address={"replay": "number"},
    parts="admin/parts_of_replays.html", about="about_replay", is_danger=True, styles=("admin.css",),
    values=lambda data: {"number": data["replay"]["number"]},
    way=PageLink("replay", say("Back to the replay"), ("number",)), then=to("replays"),
)  # fmt: skip


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
    page(path="/admin/editions/{number}", name="edition", variables=_two_editions, needs="edition", adds=_compared),
    PlainForm(
        mutation="adoptEdition",
        path="/admin/editions/{number}/adopt",
        folder=HERE,
        document="edition.graphql",
        variables=_two_editions,
        adds=_compared,
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
        variables=_start_variables,
        adds=_fields,
        filled_by=("from", "edition", "document", "season", "ruleset"),
        input=_replay,
        look=trying(_base),
        settings_at=lambda typed: "" if typed.get("rules", "fields") == "fields" else None,
        then=to("replay", number="replay.number"),
    ),
    of_replay(
        mutation="dropReplay",
        path="/admin/replays/{number}/drop",
        heading=say("Remove replay {number}"),
        button=say("Remove the replay"),
        words=say(
            "What the replay computed is removed. Nothing of the official league changes; the replay can be "
            "computed again."
        ),
    ),
    of_replay(
        mutation="cancelReplay",
        path="/admin/replays/{number}/cancel",
        heading=say("Stop replay {number}"),
        button=say("Stop computing it"),
        words=say("The replay stops, and what it has computed is removed. Nothing of the official league changes."),
    ),
    page(path="/admin/replays", name="replays"),
)
