"""Starting a replay: other numbers for the rules in force, an edition, or a rulebook as TOML."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.admin.seasons import day_in
from league.console.asking import NoPage
from league.console.edition_in_force import edition_in_force
from league.console.forms import FieldErrors, FormPage
from league.wording.language import _

SECTIONS = ("rating", "series")
"""The sections whose numbers have fields."""
NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,12})?")


def _fields(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The numbers of the edition in force. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    if edition is None:
        raise NoPage(404, _("The league has no rules yet."))
    numbers = {section: [rule for rule in edition[section] if NUMBER.fullmatch(rule["value"])] for section in SECTIONS}
    return {
        "edition": edition,
        "numbers": numbers,
        "numbered": [(one["number"], f"{one['number']}: {one['title']}") for one in data["editions"]["nodes"]],
        "named_seasons": [(one["seasonId"], one["name"]) for one in data["seasons"]["nodes"]],
    }


def _replay(form: FormData, _request: Request) -> Mapping[str, Any]:
    span = {"season": str(form.get("season", "")) or None, "from": day_in(form, "from"), "to": day_in(form, "to")}
    how = form.get("rules", "fields")
    if how == "edition":
        edition = str(form.get("edition", ""))
        if not NUMBER.fullmatch(edition):
            raise FieldErrors({"edition": _("Choose an edition.")})
        return {"edition": int(edition), **span}
    if how == "document":
        return {"document": str(form.get("document", "")), **span}
    return {"document": document_of_fields(form), **span}


def document_of_fields(form: FormData) -> str:
    """The numbers of the fields as a rulebook in TOML. Raises FieldErrors."""
    lines, errors = [], {}
    title = str(form.get("title", "")).strip()
    if title:
        lines.append(f"title = {json.dumps(title, ensure_ascii=False)}")
    for name, value in form.multi_items():
        if name.partition(".")[0] not in SECTIONS or not re.fullmatch(r"[a-z_0-9]+(\.[a-z_0-9]+)+", name):
            continue
        number = str(value).strip().replace(",", ".")
        if NUMBER.fullmatch(number):
            lines.append(f"{name} = {number}")
        else:
            errors[name] = _("Write a number, such as 20 or 0.15.")
    if errors:
        raise FieldErrors(errors)
    return "\n".join(lines)


NEW = FormPage(
    path="/admin/replays/new",
    name="new_replay",
    folder=Path(__file__).parent,
    document="new_replay.graphql",
    template="new_replay.html",
    requires="startReplay",
    adds=_fields,
    mutation="new_replay.mutation.graphql",
    input=_replay,
    then=lambda answer, url: url("replay", number=answer["replay"]["number"]),
)
