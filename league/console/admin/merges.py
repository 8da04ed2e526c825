"""Merges: the list, the form that merges two players with a preview, and the one that undoes a merge."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import FieldErrors
from league.console.forms import STORED, FormPage, Look, to
from league.console.pages import Page
from league.wording.language import _

HERE = Path(__file__).parent


def _two(form: FormData, _request: Request) -> Mapping[str, Any]:
    given = {name: str(form.get(name, "")).strip() for name in ("keep", "drop")}
    missing = [name for name, player in given.items() if not player]
    if missing:
        raise FieldErrors(dict.fromkeys(missing, _("Name a player.")))
    return given


MERGES = Page(
    path="/admin/merges",
    name="merges",
    folder=HERE,
    document="merges.graphql",
    template="merges.html",
    requires="mergePlayers",
)

MERGE = FormPage(
    path="/admin/merges/merge",
    folder=HERE,
    document="query MergePlayersForm { league { name timeZone } }",
    template="merge_players.html",
    mutation="mergePlayers",
    named=("keep", "drop"),
    input=_two,
    then=to("merges", STORED),
    look=Look(
        document="preview_merge.graphql",
        variables=lambda given, _request: {"keep": given["keep"], "drop": given["drop"]},
        template="preview_merge.html",
    ),
    filled_by=("keep", "drop"),
)

UNDO = FormPage(
    path="/admin/merges/{keep}/{drop}/undo",
    folder=HERE,
    document="undo_merge.graphql",
    template="undo_merge.html",
    needs="player",
    mutation="undoMerge",
    address={"keep": "keep", "drop": "drop"},
    then=to("merges", STORED),
    look=Look(
        document="preview_undo_merge.graphql",
        variables=lambda given, _request: {"keep": given["keep"], "drop": given["drop"]},
        template="preview_undo_merge.html",
    ),
)

PAGES = (MERGES, MERGE, UNDO)
