"""Forms that change replays, each a page that says what will happen: promote, drop, cancel, roll back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FormPage
from league.console.replays.reading import replay_of_address

HERE = Path(__file__).parent


def _this(_form: FormData, request: Request) -> Mapping[str, Any]:
    return {"replay": replay_of_address(request)["number"]}


def _form(operation: str, name: str, path: str) -> FormPage:
    return FormPage(
        path=f"/admin/replays/{{number}}/{path}",
        name=name,
        folder=HERE,
        document="replay_to_change.graphql",
        template=f"{name}.html",
        variables=replay_of_address,
        needs="replay",
        requires=operation,
        mutation=f"{name}.mutation.graphql",
        input=_this,
        then=lambda _answer, url: url("replays"),
    )


ROLL_BACK = FormPage(
    path="/admin/replays/roll-back",
    name="roll_back",
    folder=HERE,
    document="roll_back.graphql",
    template="roll_back.html",
    requires="rollBack",
    mutation="roll_back.mutation.graphql",
    input=lambda _form, _request: {},
    then=lambda _answer, url: url("editions"),
)

CHANGES = (
    ROLL_BACK,
    _form("promoteReplay", "promote_replay", "promote"),
    _form("dropReplay", "drop_replay", "drop"),
    _form("cancelReplay", "cancel_replay", "cancel"),
)
