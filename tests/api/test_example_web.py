"""The web client of examples/web: it is built, and runs in a browser against a league."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import Served, served
from browsers import Tab
from leagues import announced, catch_up, found, league_at, own_database, send
from node_projects import node_project, run
from playwright.sync_api import Route, expect

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SCHEMA = "league/api/schema.graphql"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, built for the schema as it is."""
    folder = tmp_path_factory.mktemp("built")
    (folder / SCHEMA).parent.mkdir(parents=True)
    shutil.copy(ROOT / SCHEMA, folder / SCHEMA)
    (folder / "examples").mkdir()
    project = node_project(ROOT / "examples" / "web", folder / "examples")
    run(project, "npm", "run", "build")
    return project


@pytest.fixture
def strict(embedded_server: str, built: Path) -> Iterator[Served]:
    """A league that answers the documents of the client to the public, and no others."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, announced("m1", ("ana", "bea"), 0, (150, 0)))
            catch_up(league)
        with served(url, documents=built / "src" / "gql", only_listed_documents=True) as server:
            yield server


def test_the_board_follows_the_league(built: Path, strict: Served, tab: Tab) -> None:
    """What happens shows at once; after a break the page connects again and shows what it has missed."""
    page, place = tab.page, f"http://127.0.0.1:{strict.port}/board/"

    def send_file(route: Route) -> None:
        route.fulfill(path=built / "dist" / (route.request.url.removeprefix(place) or "index.html"))

    page.route(f"{place}**", send_file)
    page.goto(place)
    expect(page.get_by_role("status")).to_have_text("live")
    rows = page.locator("#places tr")
    expect(rows).to_have_count(2)
    send(strict.league, announced("m2", ("cira", "ana"), 1, (150, 0)))
    expect(rows).to_have_count(3)
    strict.lose_the_sockets()
    send(strict.league, announced("m3", ("dora", "ana"), 2, (150, 0)))
    expect(rows).to_have_count(4)
    expect(page.get_by_role("status")).to_have_text("live")
    assert tab.said == []
    asked = [url for url in tab.asked if "/graphql?" in url]
    assert asked
    assert not any("query=" in url for url in asked), "only hashes are sent"
