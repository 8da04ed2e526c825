"""The pictures that chats show of a tournament and of a round, and what is said beside them."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from league.domain.sentences import joined, say, say_count
from league.pictures.pictures import (
    PictureRow,
    PictureSide,
    PictureTable,
    PictureTables,
    table_picture,
    tables_picture,
)
from league.tournaments.words import words_of_format, words_of_status, words_of_ties
from league.wording.language import spoken

MOST_PLACES, MOST_TABLES = 8, 16
"""Limits on what a picture shows: chats make a longer one too small to be read."""
MOST_SAID = 12
"""Limit on the tables in the text of a message."""


def picture_of_tournament(data: Mapping[str, Any]) -> str:
    """The picture of a tournament as SVG: the standing, or the tables of its first round, or its name alone."""
    tournament = data["tournament"]
    ranked = [place for place in tournament["standing"] if place["rank"] is not None]
    published = tournament["publishedRound"]
    if not ranked and published is not None:
        return _of_tables(data, published)
    rows = [PictureRow(place["rank"], place["displayName"], "", str(place["won"])) for place in ranked[:MOST_PLACES]]
    about = joined(" · ", (words_of_format(tournament["plan"]["format"].lower()), _state(tournament)))
    more = tournament["takingPart"] - len(rows)
    note = say_count("and {count} more", "and {count} more", more) if rows and more > 0 else ""
    foot = (data["league"]["name"], "")
    return table_picture(PictureTable(tournament["name"], about, say("Standing"), say("Won"), rows, foot, note))


def _state(tournament: Mapping[str, Any]) -> str:
    """How far a tournament is."""
    published = tournament["publishedRound"]
    if tournament["status"] != "RUNNING" or published is None:
        return words_of_status(tournament["status"].lower())
    number = published["number"]
    return (
        say("after round {round}", round=number)
        if published["status"] == "CLOSED"
        else say("Round {round}", round=number)
    )


def picture_of_round(data: Mapping[str, Any]) -> str:
    """The picture of a round as SVG: who plays whom at which table, with the points that are known."""
    return _of_tables(data, data["round"])


def _of_tables(data: Mapping[str, Any], of: Mapping[str, Any]) -> str:
    tables = [(str(table["number"]), [_side(side) for side in table["sides"]]) for table in of["tables"][:MOST_TABLES]]
    notes = []
    if of["byes"]:
        alone = say("Without an opponent:") if of["ties"] else say("Sit out:")
        notes.append(joined(" ", (alone, ", ".join(bye["displayName"] for bye in of["byes"]))))
    if len(of["tables"]) > len(tables) or data.get("more_tables"):
        notes.append(say("More tables are on the page."))
    title = joined(" · ", _named_round(of))
    foot = (data["league"]["name"], "")
    return tables_picture(PictureTables(data["tournament"]["name"], title, tables, foot, joined(" · ", notes)))


def _named_round(of: Mapping[str, Any]) -> Sequence[str]:
    number = say("Round {round}", round=of["number"])
    return (number, words_of_ties(of["ties"])) if of["ties"] else (number,)


def _side(side: Mapping[str, Any]) -> PictureSide:
    won = side["gamesWon"]
    points = won if won is not None else side["matchScore"] if side["matchScore"] is not None else side["score"]
    name = " & ".join(player["displayName"] for player in side["players"])
    return PictureSide(name, "" if points is None else str(points), bool(side["won"]))


def tables_in_words(of: Mapping[str, Any]) -> list[str]:
    """A line for each table of a round, as a message says who plays whom: the first tables, if there are many."""
    lines = []
    for table in islice(of["tables"], MOST_SAID):
        sides = " - ".join(" & ".join(player["displayName"] for player in side["players"]) for side in table["sides"])
        lines.append(spoken(say("Table {table}: {sides}", table=table["number"], sides=sides)))
    return [*lines, "…"] if len(of["tables"]) > MOST_SAID else lines
