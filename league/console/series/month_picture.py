"""The picture of a month of the series for chats: the first of the standings."""

from collections.abc import Mapping
from typing import Any

from league.pictures.pictures import Row, Table, table_picture
from league.wording.language import _
from league.wording.numbers import month_of, signed

SHOWN = 5
"""Rows in the picture, which is then about as high as wide."""


def month_picture(data: Mapping[str, Any]) -> str:
    """The picture, from the data of the month's document."""
    month = data["seriesMonth"]
    is_of_pairs = month["mode"] == "TWO_ON_TWO"
    rows = [
        Row(
            row["rank"],
            row["competitor"]["displayName"],
            _(
                "{won} won, {lost} lost, series {points}",
                won=row["wins"],
                lost=row["losses"],
                points=signed(row["seriesPoints"]),
            ),
            str(row["total"]),
        )
        for row in month["standings"]["nodes"][:SHOWN]
    ]
    title = _("Series, {month}", month=month_of(month["month"]))
    subtitle, who = (_("pairs"), _("pair")) if is_of_pairs else (_("players"), _("player"))
    return table_picture(Table(title, subtitle, who, _("total"), rows, (data["league"]["name"], "")))
