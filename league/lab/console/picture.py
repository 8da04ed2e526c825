"""The picture of what the league would be, to be shared."""

from collections.abc import Mapping
from typing import Any

from league.lab.console.controls import Control
from league.pictures.pictures import Row, Table, table_picture
from league.wording.language import _
from league.wording.numbers import rating


def lab_picture(data: Mapping[str, Any]) -> str:
    """The first places of the board under the tried rules, as SVG; below them what the rules change."""
    tried = data["whatIf"]
    nodes = tried["board"]["nodes"] if tried["__typename"] == "WhatIf" else []
    changed: list[Control] = data["changed"]
    rows = [
        Row(
            place["rankAfter"],
            place["competitor"]["displayName"],
            _("now {value}", value=rating(place["valueBefore"])),
            rating(place["valueAfter"]),
            None if None in (place["rankBefore"], place["rankAfter"]) else place["rankBefore"] - place["rankAfter"],
        )
        for place in nodes
    ]
    note = ", ".join(f"{control.setting} = {control.value}" for control in changed)
    name = data["league"]["name"] if data["league"] else ""
    board = dict(data["boards"])[data["board"]]
    return table_picture(
        Table(
            _("What if"),
            _(board),
            _("Who"),
            _("rating"),
            rows,
            (name, ""),
            note or _("These are the rules in force."),
        )
    )
