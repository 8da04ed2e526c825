"""The pages of live tables: the lobby, the forms that open a table, and what the feature adds to other pages."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from league.console.forms import FormPage, to
from league.console.pages import Console, Page, PageFragment
from league.console.present import rulesets_in_force, titles_in_force
from league.console.site_part import MenuEntry, SitePart
from league.domain.sentences import say
from league.tables.console.table_pages import TABLE, TABLE_HAND, answer_move, answer_stream
from league.tables.console.table_words import COMPETITIONS, LEVELS, MODES, PHASES, said

FOLDER = Path(__file__).parent
TEMPLATE = "tables/console/on_pages.html"
INVITED = tuple(f"invited.{number}" for number in range(6))
"""The controls for the names of invited players: twice as many as other players can sit down."""
INDIVIDUALS = {"INDIVIDUALS_3": 3, "INDIVIDUALS_4": 4}
"""The number of seats for the form's two modes of individuals."""


def _lobby(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    tables = data["tables"]["nodes"]
    mine = [table for table in tables if table["viewerSeat"] is not None]
    others = [table for table in tables if table["viewerSeat"] is None]
    return {
        "mine": mine,
        "gathering": [table for table in others if table["phase"] == "OPEN"],
        "playing": [table for table in others if table["phase"] != "OPEN"],
        "titles": titles_in_force(data["timeline"]),
        "modes": said(MODES),
        "phases": said(PHASES),
        "levels": said(LEVELS),
    }


TABLES = Page(
    path="/tables",
    name="tables",
    folder=FOLDER,
    adds=_lobby,
)


def _choices(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    modes = said(MODES)
    return {
        "rulesets": [(one["name"], one["title"]) for one in rulesets_in_force(data["timeline"])],
        "modes": [
            ("ONE_ON_ONE", modes["ONE_ON_ONE"]),
            ("TWO_ON_TWO", modes["TWO_ON_TWO"]),
            *((name, modes[name]) for name in INDIVIDUALS),
        ],
        "competitions": list(said(COMPETITIONS).items()),
        "levels": list(said(LEVELS).items()),
        "invited": INVITED,
    }


def _opening(sent: FormData, _request: Request) -> Mapping[str, Any]:
    mode = str(sent.get("mode", ""))
    return {
        "ruleset": str(sent.get("ruleset", "")),
        "mode": "INDIVIDUALS" if mode in INDIVIDUALS else mode,
        "competition": str(sent.get("competition", "")),
        "seats": INDIVIDUALS.get(mode),
        "listed": sent.get("listed") != "no",
        "invited": [player for name in INVITED if (player := str(sent.get(name, "")).strip())],
    }


TO_THE_TABLE = to("table", id="tableId")

TABLE_OF_MATCH = FormPage(
    path="/matches/{id}/table",
    name="table_of_match",
    document="""
      query TableOfMatch($id: ID!) {
        league { name timeZone }
        match(id: $id) {
          matchId status ruleset { title } seats { number player { playerId displayName } }
          sides { players { displayName } } table { tableId phase }
        }
      }
    """,
    folder=FOLDER,
    needs="match",
    mutation="openTableOfMatch",
    address={"match": "id"},
    then=TO_THE_TABLE,
)

OPEN_TABLE = FormPage(
    path="/tables/open",
    name="open_table",
    document="""
      query OpenTableForm {
        league { name timeZone }
        timeline { start edition { rulesets { name title description modes target } } }
      }
    """,
    folder=FOLDER,
    adds=_choices,
    mutation="openTable",
    named=INVITED,
    input=_opening,
    then=TO_THE_TABLE,
)


def _routes(console: Console) -> list[BaseRoute]:
    """The routes of a table's page apart from pages: moves, and the stream of events."""
    return [
        Route("/tables/{id}/moves/{move}", partial(answer_move, console), methods=["POST"], name="table_move"),
        Route("/tables/{id}/stream", partial(answer_stream, console), name="table_stream"),
    ]


def _is_in_play(match: Mapping[str, Any]) -> bool:
    return match["table"] is not None and match["table"]["phase"] != "CLOSED"


SITE = SitePart(
    pages=(TABLES, OPEN_TABLE, TABLE_OF_MATCH, TABLE, TABLE_HAND),
    routes=_routes,
    menu=(MenuEntry("tables", say("Tables")),),
    more=(MenuEntry("tables", say("Tables")),),
    static=FOLDER / "static",
    on_home=PageFragment(
        "tables(first: 4, filter: {phase: [OPEN, PLAYING], listed: true})"
        " { nodes { tableId phase seats { player { displayName } } } }",
        TEMPLATE,
    ),
    on_my_page=PageFragment(
        "myTables: tables(first: 2, filter: {phase: [OPEN, PLAYING], player: $me})"
        " { nodes { tableId phase score seats { player { displayName } } } }",
        TEMPLATE,
    ),
    on_matches=PageFragment("table { tableId phase }", TEMPLATE),
    records_itself=_is_in_play,
)
