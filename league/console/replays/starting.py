"""Starting a replay: other numbers for the rules in force, an edition, or a rulebook as TOML."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.controls import FieldErrors, day_in
from league.console.forms import FormPage, to
from league.console.present import edition_in_force
from league.console.replays.setting_fields import NUMBER, document_of, groups_of
from league.wording.language import _


def _fields(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The numbers of the edition in force. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    if edition is None:
        raise NoPage(404, _("The league has no rules yet."))
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
            raise FieldErrors({"edition": _("Choose an edition.")})
        return {"edition": int(edition), **span}
    if how == "document":
        return {"document": str(form.get("document", "")), **span}
    return {"document": document_of(form), **span}


NEW = FormPage(
    path="/admin/replays/new",
    name="new_replay",
    folder=Path(__file__).parent,
    document="new_replay.graphql",
    template="new_replay.html",
    adds=_fields,
    filled_by=("edition", "document", "season"),
    mutation="startReplay",
    input=_replay,
    then=to("replay", number="replay.number"),
)
