"""Apollo, urql and Relay, configured as docs/api/caching-clients.md shows, keep what they show up to date.

The projects of node are tests/node/caches and tests/node/relay. Without node these tests are skipped.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import Served, served, token
from databases import copy_of
from leagues import SMALL_LEAGUE, announced, opened, send
from node_projects import node_project, run

from league.api.schema import FILE

pytestmark = pytest.mark.heavy

PROJECT = Path(__file__).parents[1] / "node"
OTHERS = ("bea", "cira", "dora", "eva")
KEEPER = token("scorekeeper", "admin")


@pytest.fixture
def league_of_six(embedded_server: str) -> Iterator[Served]:
    """A league of six players, served, for one client to write into."""
    with copy_of(embedded_server, SMALL_LEAGUE) as url, served(url) as server:
        yield server


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The projects with their packages."""
    return node_project(PROJECT, tmp_path_factory.mktemp("node"))


@pytest.fixture(scope="module")
def project(projects: Path) -> Path:
    """The project of Apollo and urql, with what they must know of the schema."""
    folder = projects / "caches"
    shutil.copy(FILE, folder / "schema.graphql")
    run(folder, "node", "make_schema_json.js")
    return folder


@pytest.mark.parametrize("client", ["apollo", "urql"])
def test_a_cache_shows_what_a_mutation_changed_without_asking_again(
    project: Path, league_of_six: Served, client: str
) -> None:
    """Pages of a list are joined; a new name and a hand come with the mutation; the cache warns of nothing.

    A place that has moved keeps its fields, also on a screen that selects others than the one that read it again.
    """
    matches = [announced(f"m-{other}", ("ana", other), hour) for hour, other in enumerate(OTHERS)]
    sheet = opened("sheet", ("ana", "bea"), 10, "casual")
    league_of_six.follow(str(send(league_of_six.league, *matches, sheet)))
    # Node has WebSocket since version 22; before, behind this option. Apollo warns in its version for development only.
    program = ("node", "--experimental-websocket", "--conditions=development", "try_client.js")
    said = json.loads(run(project, *program, client, f"http://127.0.0.1:{league_of_six.port}/graphql", KEEPER))
    new = f"Ana {client}"
    assert said == {
        "joined": {
            "matches": ["sheet", "m-eva", "m-dora", "m-cira"],
            "places": ["Eva", "Dora", "Cira", "Bea"],
        },
        "statistics": {"matches": 4, "wins": 4, "handsWon": 0},
        "seasons": 0,
        "sent": ["Matches", "Matches", "Board", "Board", "Wins", "Hands", "Seasons", "Sheet"],
        "changed": {
            "matches": [[new, "Bea"], [new, "Eva"], [new, "Dora"], [new, "Cira"]],
            "place": new,
            "sent": ["RenamePlayer", "RecordHand", "CorrectHand"],
        },
        "readAgain": ["BoardAfter", "OpenMatch", "Matches"],
        "moved": {
            "before": [["ana", 4], ["eva", 1], ["dora", 1], ["cira", 1], ["bea", 1]],
            "after": [["ana", 4], ["bea", 2], ["dora", 1], ["cira", 1], ["eva", 2]],
        },
        "heard": {"points": [20, 30], "sent": []},
        "warnings": [],
    }


@pytest.fixture
def relay(projects: Path) -> Path:
    """The project of Relay, compiled."""
    folder = projects / "relay"
    shutil.copy(FILE, folder / "schema.graphql")
    (folder / "src" / "__generated__").mkdir()
    run(folder, "../node_modules/.bin/relay-compiler", "relay.config.json")
    run(folder, "../node_modules/.bin/tsc")
    # What relay-compiler generates imports without endings, as node finds files in CommonJS only.
    (folder / "built" / "package.json").write_text('{"type": "commonjs"}')
    return folder


def test_relay_pages_refetches_and_hears(relay: Path, league_of_six: Served) -> None:
    """`node` gives the next page of a board, which joins the first; a hand comes with its mutation.

    A message of a subscription takes the place of the pages that were joined.
    """
    matches = [announced(f"m-{other}", ("ana", other), hour) for hour, other in enumerate(OTHERS)]
    sheet = opened("sheet", ("ana", "bea"), 10, "casual")
    league_of_six.follow(str(send(league_of_six.league, *matches, sheet)))
    program = ("node", "--experimental-websocket", "try_relay.js")
    said = json.loads(run(relay, *program, f"http://127.0.0.1:{league_of_six.port}/graphql", KEEPER))
    assert said == {
        "all": ["Ana", "Eva", "Dora", "Cira", "Bea"],
        "first": {"names": ["Ana", "Eva"], "hasNext": True},
        "joined": ["Ana", "Eva", "Dora", "Cira"],
        "recorded": [[10, 0]],
        "again": [[10, 0]],
        "sent": ["appQuery", "appBoardPageQuery", "appBoardPageQuery", "appRecordHandMutation", "appMatchAgainQuery"],
        "heard": ["Ana", "Eva", "Dora", "Cira", "Bea"],
        "warnings": [],
    }
