"""The form of the league's settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FieldErrors, FormPage
from league.wording.language import _


def _settings(form: FormData, _request: Request) -> Mapping[str, Any]:
    given: dict[str, Any] = {
        "name": str(form.get("name", "")).strip(),
        "timeZone": str(form.get("timeZone", "")).strip(),
        "confirmation": form.get("confirmation") == "yes",
    }
    confidence = str(form.get("photoConfidence", "")).strip().replace(",", ".")
    if confidence:
        try:
            given["photoConfidence"] = float(confidence)
        except ValueError:
            raise FieldErrors({"photoConfidence": _("Write a number from 0 to 1, such as 0.7.")}) from None
    return given


SETTINGS = FormPage(
    path="/admin/settings",
    name="settings",
    folder=Path(__file__).parent,
    document="settings.graphql",
    template="settings.html",
    variables=lambda _request: {},
    needs="league",
    requires="changeSettings",
    mutation="settings.mutation.graphql",
    input=_settings,
    overwrites=True,
    then=lambda _answer, url: url("settings") + "?stored=1",
)

PAGES = (SETTINGS,)
