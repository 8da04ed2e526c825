"""The list by name: everybody in a round under the letter where people look for them."""

from __future__ import annotations

from typing import Any

from league.tournaments.console.seats_by_name import seats_by_name


def side(*names: str) -> dict[str, Any]:
    ids = [name.lower() for name in names]
    return {
        "competitorIds": ["+".join(ids)],
        "players": [{"playerId": id_, "displayName": name} for id_, name in zip(ids, names, strict=True)],
    }


def test_each_player_of_a_table_stands_under_their_letter() -> None:
    """Accents and case do not matter, both of a pair are found, and who sits out has no table."""
    tables = [{"number": 7, "sides": [side("Óscar", "ana"), side("Oto", "«Eva»")]}]
    of = {"tables": tables, "byes": [{"competitorId": "ñico", "displayName": "Ñico"}], "requestedByes": []}
    letters = seats_by_name(of)
    assert [(letter, [seat.name for seat in seats]) for letter, seats in letters] == [
        ("A", ["ana"]), ("E", ["«Eva»"]), ("N", ["Ñico"]), ("O", ["Óscar", "Oto"]),
    ]  # fmt: skip
    ana, nico = letters[0][1][0], letters[2][1][0]
    assert (ana.table, ana.competitor, ana.partner, ana.opponents) == (7, "óscar+ana", "Óscar", "Oto & «Eva»")
    assert (nico.table, nico.partner) == (None, "")
