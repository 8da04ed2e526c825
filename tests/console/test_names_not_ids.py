"""People read names, not ids: on every page, in the trail, and in what the league refuses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
from api_server import Served, served
from desk import address, cookie_of
from leagues import at, catch_up, domino, found, league_at, opened, own_database, played, send
from table_clients import AtTable, begin, play_hand
from test_every_page import PAGES, path_of

from league.api.graphql.shaping.relay import global_id
from league.console.named_ids import name_ids
from league.console.site import create_site
from league.domain.league import OpenSeason
from league.domain.player import RegisterPlayer


def uuid(name: str) -> str:
    """An id as the pages make them."""
    return str(uuid5(NAMESPACE_URL, name))


UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
KEY = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[A-Z]{3,}_[A-Z_]+\b")
"""A setting's key or a value of an enum, such as `first_hand` or `ONE_ON_ONE`."""
PEOPLE = {"ana": "Ana", "bea": "Bea", "luis": "Luis Pérez", "carlos": "Carlos"}
IDS = {name: uuid(name) for name in (*PEOPLE, "m1", "m2", "s1", "c1", "c2", "t1")}
KINDS = (UUID, KEY)
ALLOWED = {
    (UUID, "trail"),
    (UUID, "event"),
    (KEY, "event"),
    (KEY, "new_replay"),
    (KEY, "edit_edition"),
    (KEY, "lab"),
}
"""Who wrote an event, and the event as it is stored, for who checks the log; keys of settings, for who writes TOML."""


class Words(HTMLParser):
    """Collects the text of a page that people read, without scripts, code and controls' values."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "style", "code", "pre", "textarea"}:
            self._open.append(tag)
        self.text += [value for name, value in attrs if name in {"aria-label", "title", "alt", "placeholder"} and value]

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open:
            self.text.append(data)


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[Served]:
    """A league whose players, matches and season have ids as the pages make them."""
    ana, bea, luis, carlos = (IDS[name] for name in PEOPLE)
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(
                league,
                [RegisterPlayer(IDS[key], name, None) for key, name in PEOPLE.items()],
                OpenSeason(IDS["s1"], "Verano", at(0)),
                played(IDS["m1"], (ana, bea), 1, domino(0, None, 90), domino(0, None, 70)),
                played(IDS["m2"], (ana, bea, luis, carlos), 5, domino(0, None, 90, None, 80)),
                opened(uuid("open"), (luis, carlos), 20),
            )
            catch_up(league)
        with served(url, create=create_site) as server:
            play_hand(begin(server, IDS["t1"], ana, bea))
            AtTable(server, uuid("gathers"), "kim", "admin").open()
            yield server


def _read(site: Served, path: str, role: str = "admin") -> str:
    cookie = cookie_of(site, IDS["ana"], role)
    answer = site.http.get(path, headers={"Accept-Language": "es", "Cookie": f"league={cookie}"})
    return " ".join(Words(answer.text).text) if "html" in answer.headers.get("content-type", "") else ""


@pytest.mark.heavy
def test_no_page_shows_an_id_where_a_name_can_stand(site: Served) -> None:
    """No page, its title and its labels included, shows an id or the key of a setting."""
    found = set()
    for page in PAGES:
        path = path_of(page)
        for short, id_ in IDS.items():
            path = re.sub(rf"(?<=[/=+]){short}(?=[/?+]|$)", id_, path)
        if "unknown" in path:
            continue
        text = _read(site, path)
        wrong = {
            one[0]: one.start() for kind in KINDS if (kind, page.name) not in ALLOWED for one in kind.finditer(text)
        }
        found |= {(page.name, text[max(at - 40, 0) : at + 40]) for at in wrong.values()}
    assert found == set(), "\n".join(map(str, sorted(found)))


def _sent(site: Served, path: str, role: str = "admin", **fields: str) -> str:
    """What a page says after a form was sent."""
    headers = {"Cookie": f"league={cookie_of(site, IDS['ana'], role)}; language=es", "Origin": address(site, "")}
    return " ".join(Words(site.http.post(path, data=fields, headers=headers).text).text)


def test_a_refusal_names_what_it_is_about(site: Served) -> None:
    """Players, matches and seasons have their names in what is refused, at the form that was sent."""
    overlaps = _sent(site, "/admin/seasons", name="Otra", start="2026-03-02", leagueTimeZone="UTC")
    assert "la temporada “Verano”" in overlaps
    path = f"/matches/{IDS['m1']}/void"
    _sent(site, path, reason="doble")
    refused = _sent(site, path, reason="doble")
    assert "La partida “Ana contra Bea, " in refused
    assert UUID.search(refused) is None


def test_only_ids_are_replaced() -> None:
    """What a refusal quotes besides ids stays, and a league without nodes of these ids changes nothing."""
    answer = {"it": {"message": "player 'p1' is not 'x'", "faults": [{"message": "overlaps 's1'"}]}}
    player, season = global_id("Player", "p1"), global_id("Season", "s1")
    known = {
        player: {"__typename": "Player", "id": player, "displayName": "Ana"},
        season: {"__typename": "Season", "id": season, "name": "Verano"},
    }

    async def ask(_document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        return {"league": {"timeZone": "UTC"}, "nodes": [known.get(id_) for id_ in variables["ids"]]}

    asyncio.run(name_ids(answer, ask))
    assert answer == {"it": {"message": "player Ana is not 'x'", "faults": [{"message": "overlaps “Verano”"}]}}
