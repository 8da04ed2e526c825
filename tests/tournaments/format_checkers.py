"""Checks the exports of a tournament with the checker of its format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from checker import check, check_drawings, check_seed, check_settings
from exported_tournaments import COUNTED, UNPLAYED, ExportedTournaments, Row
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


def check_corrected(rows: dict[str, Sequence[Row]], then: Mapping[int, Sequence[Row]]) -> None:
    """A row says `corrected` if its result changed after the next round was published, in every format.

    `then`: the pairings of each round that were exported when the next one was published.
    """
    it = ExportedTournaments(**rows)
    stood = {_named(row): _result(row) for known in then.values() for row in known}
    counting = {_named(row) for row in it.pairings}
    for row in it.all_pairings:
        following = it.rounds.get(row["round"] + 1)
        is_followed = following is not None and following["status"] in {"published", "closed"}
        is_compared = is_followed and row["table"] is not None and _named(row) in counting
        assert row["corrected"] == (is_compared and _result(row) != stood.get(_named(row))), _named(row)


def _named(row: Row) -> tuple[Any, ...]:
    return row["round"], row["drawing"], row["table"], row["game"]


def _result(row: Row) -> tuple[Any, ...] | None:
    """What a table or a game came to; None: nothing yet. How its match ended is no part of it."""
    if row["status"] not in COUNTED:
        return None
    return row["winner"], row["score"], row["status"] in UNPLAYED, row["status"] == "forfeited"
