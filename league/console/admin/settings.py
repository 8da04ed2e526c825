"""The form of the league's settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import FieldErrors
from league.console.forms import LOOK, STORED, FormPage, Look, to
from league.wording.language import _


def _settings(form: FormData, _request: Request) -> Mapping[str, Any]:
    zone = str(form.get("timeZone", "")).strip()
    if zone not in (form.get("timeZoneBefore"), form.get("seenTimeZone")) and LOOK not in form:
        raise FieldErrors(
            {"timeZone": _("Another time zone moves matches to other months: see what would change first.")}
        )
    given: dict[str, Any] = {
        "name": str(form.get("name", "")).strip(),
        "timeZone": zone,
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
    needs="league",
    mutation="changeSettings",
    input=_settings,
    overwrites=True,
    look=Look(
        document="preview_time_zone.graphql",
        variables=lambda given, _request: {"timeZone": given["timeZone"]},
        template="preview_time_zone.html",
    ),
    then=to("settings", STORED),
)

PAGES = (SETTINGS,)
