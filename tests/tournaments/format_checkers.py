"""Checks the exports of a tournament with the checker of its format."""

from __future__ import annotations

from collections.abc import Sequence

from checker import check, check_drawings, check_seed, check_settings
from exported_tournaments import ExportedTournaments, Row
from group_checker import check_with_groups
from knockout_checker import check_alone


def check_exports(rows: dict[str, Sequence[Row]], *, corrected: bool) -> None:
    """Check everything. `corrected`: a result was corrected after a drawing, so inputs may differ from today's."""
    it = ExportedTournaments(**rows)
    if it.tournament["format"] not in {"knockout", "groups"}:
        check(it, corrected=corrected)
        return
    check_drawings(it)
    for number, of in it.rounds.items():
        if of["status"] != "drawn":
            check_seed(it, number)
    check_settings(it)
    if it.tournament["format"] == "knockout":
        check_alone(it, corrected=corrected)
    else:
        check_with_groups(it, corrected=corrected)
