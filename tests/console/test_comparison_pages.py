"""The comparison of a replay: each figure leads to its rows, each list has a file, each row leads to why."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from random import Random
from typing import Any

import msgspec
import pytest
from api_server import Served, served
from databases import copy_of
from desk import cookie_of
from leagues import SIXTY_MATCHES, official, revised, send
from revisions import random_revision

from league.console.admin.comparison.lists import COMPARED
from league.console.site import create_site
from league.domain.league import OpenSeason
from league.infra.database import connect, engine
from league.projections.difference.two_runs import two_runs
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.runs import drop
from league.transfer.export import PartOfList, columns_of_difference, rows_of_difference, write_csv

pytestmark = pytest.mark.slow

SEED = 44
REVISIONS = (
    "rating.k.provisional = 32\nrulesets.cuban-150.target = 110\nrulesets.cuban-150.block_winner = 'lowest_hand'",
    random_revision(Random(SEED), "cuban-2026"),
)


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[tuple[Served, list[int]]]:
    """Sixty matches of the recorded season, and the numbers of replays of them under the revisions."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, create=create_site) as server:
        server.follow(str(send(server.league, OpenSeason("s1", "Temporada", _middle(url)))))
        numbers = [replayed(url, text) for text in REVISIONS]
        yield server, numbers


def replayed(url: str, text: str) -> int:
    """The number of a candidate, which is a draft, and of its run."""
    rules = revised(text)
    number = replay(url, rules, ReplayPeriod())
    with connect(url) as conn:
        conn.execute(
            "INSERT INTO replays (replay, candidate, requested_by, requested_at, run, attempts, done, total)"
            " VALUES (%s, %s, 'test', now(), %s, 1, 60, 60)",
            (number, msgspec.json.encode(rules), number),
        )
    return number


def _middle(url: str) -> Any:
    """When half of the matches had begun."""
    with connect(url) as conn:
        query = "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY began_at) FROM match_facts"
        return conn.execute(query).fetchone()[0]  # type: ignore[index]  # it has a row


@pytest.fixture(scope="module")
def admin(site: tuple[Served, list[int]]) -> dict[str, str]:
    return {"Cookie": f"league={cookie_of(site[0], 'ana', 'admin')}"}


def page(site: Served, path: str, headers: dict[str, str]) -> str:
    answer = site.http.get(unescape(path), headers=headers)
    assert answer.status_code == 200, (path, answer.status_code, re.findall(r"<p>.*", answer.text))
    return answer.text


def figures(text: str) -> dict[str, int]:
    """The figures of a page that lead to lists, by address."""
    links = re.findall(r'<a href="(/admin/replays/\d+/[a-z]+(?:\?[^"]*)?)">(?:<[^>]*>)*([\d,.]+)', text)
    return {address: int(re.sub(r"[,.]", "", count)) for address, count in links}


def rows_on(text: str) -> int:
    """How many rows the page of a list says that it has."""
    found = re.search(r"<h2>([\d,.]+) rows?", text)
    assert found is not None, text[-2000:]
    return int(found[1].replace(",", ""))


def file_of(site: Served, path: str, headers: dict[str, str]) -> list[dict[str, str]]:
    """The rows of the file of a list, at the address of its page."""
    path, _, query = unescape(path).partition("?")
    answer = site.http.get(f"{path}.csv?{query}", headers=headers)
    assert answer.status_code == 200, (path, answer.text[-500:])
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(StringIO(answer.text)))


def of_command_line(url: str, first: int, second: int, what: str) -> list[dict[str, str]]:
    """The rows of `league difference --what … --format csv`."""
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        text = StringIO()
        rows = rows_of_difference(conn, two_runs(conn, first, second), what, PartOfList())
        write_csv(rows, text, columns_of_difference(what))
    pool.dispose()
    return list(csv.DictReader(StringIO(text.getvalue())))


@pytest.mark.heavy
@pytest.mark.parametrize("revision", range(len(REVISIONS)))
def test_each_figure_leads_to_exactly_the_rows_that_it_counts(
    site: tuple[Served, list[int]], admin: dict[str, str], revision: int
) -> None:
    """The list says the same number, and its file has as many rows; also from the pages of seasons and months."""
    server, numbers = site
    address = f"/admin/replays/{numbers[revision]}"
    found = figures(page(server, address, admin))
    assert len([link for link in found if "month=" not in link]) >= 9, found
    for overview in ("seasons", "months"):
        found |= figures(page(server, f"{address}/{overview}", admin))
    for link, count in found.items():
        assert rows_on(page(server, link, admin)) == count, link
        assert len(file_of(server, link, admin)) == count, link


@pytest.mark.heavy
@pytest.mark.parametrize("revision", range(len(REVISIONS)))
def test_a_file_has_the_rows_of_the_command_line(
    site: tuple[Served, list[int]], admin: dict[str, str], revision: int
) -> None:
    """Without a filter; of places those of the board."""
    server, numbers = site
    url, number = server.league.database.url, numbers[revision]
    for listed in COMPARED:
        theirs = of_command_line(url, official(url), number, listed.name)
        ours = file_of(server, f"/admin/replays/{number}/{listed.name}", admin)
        if listed.name == "places":
            theirs = sorted((row for row in theirs if row["board"] == "global"), key=lambda row: row["id"])
            ours = sorted(ours, key=lambda row: row["id"])
        assert ours == theirs, listed.name


@pytest.mark.heavy
def test_two_replays_are_compared_and_every_link_keeps_both(
    site: tuple[Served, list[int]], admin: dict[str, str]
) -> None:
    """The figures are those of the two, and both sides are named."""
    server, (one, other) = site
    text = page(server, f"/admin/replays/{one}?against={other}", admin)
    assert f"Replay {other}" in text
    links = [link for link in re.findall(rf'href="(/admin/replays/{one}[^"]*)"', text) if "/drop" not in link]
    inner = [link for link in links if re.match(rf"/admin/replays/{one}/[a-z]+[?/]", link)]
    assert inner
    assert [link for link in inner if f"against={other}" not in link and "promote" not in link] == []
    for link, count in figures(text).items():
        assert rows_on(page(server, link, admin)) == count, link
    theirs = of_command_line(server.league.database.url, other, one, "moves")
    assert file_of(server, f"/admin/replays/{one}/moves?against={other}", admin) == theirs


@pytest.mark.heavy
def test_filters_choose_the_rows_of_a_list_and_of_its_file(
    site: tuple[Served, list[int]], admin: dict[str, str]
) -> None:
    """Lists are filtered by mode, subject, month, season, region, board, and by a player's name."""
    server, (number, *_) = site
    url = server.league.database.url
    with connect(url) as conn:
        name, region = conn.execute("SELECT name, region FROM players WHERE player_id = 'p005'").fetchone()  # type: ignore[misc]  # there is one
    moves = of_command_line(url, official(url), number, "moves")
    results = of_command_line(url, official(url), number, "results")
    address = f"/admin/replays/{number}"
    two = file_of(server, f"{address}/moves?mode=TWO_ON_TWO&subject=TEAMS", admin)
    assert two == [row for row in moves if (row["mode"], row["subject"]) == ("2v2", "team")] != []
    theirs = file_of(server, f"{address}/moves?player={name}", admin)
    assert theirs == [row for row in moves if "p005" in row["id"].split("+")] != []
    with connect(url) as conn:
        query = "SELECT match_id FROM match_facts WHERE began_at >= (SELECT starts_at FROM seasons)"
        in_season = {match for (match,) in conn.execute(query)}
    of_season = [row for row in results if row["match"] in in_season]
    assert file_of(server, f"{address}/results?season=s1", admin) == of_season
    assert 0 < len(of_season) < len(results)
    assert file_of(server, f"{address}/results?month=2001-01", admin) == []
    months = json.loads(
        server.http.post("/graphql", json={"query": "{ seriesMonths(first: 9) { nodes { month } } }"}).text
    )
    counted = {
        month: len(file_of(server, f"{address}/results?month={month}", admin))
        for month in {node["month"] for node in months["data"]["seriesMonths"]["nodes"]}
    }
    assert sum(counted.values()) == len(results)
    for query in (f"board=ONE_ON_ONE&amp;region={region}", "board=SERIES&mode=TWO_ON_TWO", "board=CAPICUAS"):
        text = page(server, f"{address}/places?{query}", admin)
        assert len(file_of(server, f"{address}/places?{query}", admin)) == rows_on(text)
    assert server.http.get(f"{address}/moves?mode=nonsense", headers=admin).status_code == 400
    assert server.http.get(f"{address}/moves.csv?mode=nonsense", headers=admin).status_code == 400
    assert server.http.get(f"{address}/nonsense.csv", headers=admin).status_code == 404


@pytest.mark.heavy
def test_each_row_leads_to_why_on_both_sides(site: tuple[Served, list[int]], admin: dict[str, str]) -> None:
    """The first rows of each list lead to pages that name both sides, in the language of the reader."""
    server, (number, *_) = site
    sides = {"en": ("Official league", "Replay"), "es": ("Liga oficial", "Recálculo")}
    kinds = set()
    for listed in COMPARED:
        text = page(server, f"/admin/replays/{number}/{listed.name}", {**admin, "Accept-Language": "en"})
        inner = re.findall(rf'href="(/admin/replays/{number}/[a-z]+/[^"]+)"', text)
        for link, language in zip(dict.fromkeys(inner), ("en", "es", "en"), strict=False):
            why = page(server, link, {**admin, "Accept-Language": language})
            kinds.add(link.split("/")[4])
            assert all(side in why for side in sides[language])
    assert kinds == {"places", "changes", "matches", "standings", "badges"}


@pytest.mark.heavy
def test_a_match_says_which_setting_and_which_hands_decide(
    site: tuple[Served, list[int]], admin: dict[str, str]
) -> None:
    """The target that changed, with both scores, and each hand that scores otherwise."""
    server, (number, *_) = site
    row = of_command_line(server.league.database.url, official(server.league.database.url), number, "results")[0]
    text = page(server, f"/admin/replays/{number}/matches/{row['match']}", admin)
    assert "150" in text
    assert "110" in text
    for when in ("before", "after"):
        assert "\N{EN DASH}".join(map(str, json.loads(row[f"score_{when}"]))) in text
    assert text.count('<li id="hand-') == int(row["hands"])


def test_a_rating_change_has_both_waterfalls_on_one_scale(
    site: tuple[Served, list[int]], admin: dict[str, str]
) -> None:
    """The bars of either side are there."""
    server, (number, *_) = site
    row = of_command_line(server.league.database.url, official(server.league.database.url), number, "changes")[0]
    text = page(server, f"/admin/replays/{number}/changes/{row['match']}/{row['id']}", admin)
    assert text.count('<ol class="waterfall plain">') == 2


def test_a_rating_change_names_the_opponents_and_the_score(
    site: tuple[Served, list[int]], admin: dict[str, str]
) -> None:
    """With a link to the match, the score of the rated side first."""
    server, (number, *_) = site
    row = of_command_line(server.league.database.url, official(server.league.database.url), number, "changes")[0]
    text = page(server, f"/admin/replays/{number}/changes?player={row['id'].partition('+')[0]}", admin)
    named = re.search(
        rf'<a href="/matches/{row["match"]}">against ([^<]+)<span class="number">(\d+)\N{{EN DASH}}(\d+)', text
    )
    assert named is not None
    query = "query ($id: ID!) { match(id: $id) { sides { score players { playerId displayName } } } }"
    sides = server.ask(query, id=row["match"])["match"]["sides"]
    player = row["id"].partition("+")[0]
    [own] = [side for side in sides if player in [one["playerId"] for one in side["players"]]]
    [other] = [side for side in sides if side is not own]
    assert named.groups() == (
        " &amp; ".join(one["displayName"] for one in other["players"]) + " ",
        str(own["score"]),
        str(other["score"]),
    )


def test_a_dropped_replay_is_not_there_and_the_others_are_named(
    site: tuple[Served, list[int]], admin: dict[str, str]
) -> None:
    """Whichever side of the comparison was dropped; the page, its lists and its files say so with 404."""
    server, numbers = site
    url = server.league.database.url
    number = replayed(url, "rating.k.standard = 31")
    with connect(url) as conn:
        drop(conn, number)
    paths = (f"{number}", f"{number}/moves", f"{number}/moves.csv", f"{numbers[0]}/moves?against={number}", "999/moves")
    for path in paths:
        answer = server.http.get(f"/admin/replays/{path}", headers=admin)
        assert answer.status_code == 404, path
        assert f'href="/admin/replays/{numbers[0]}"' in answer.text, path


@pytest.mark.heavy
def test_a_draft_is_not_there_for_others(site: tuple[Served, list[int]], admin: dict[str, str]) -> None:
    """Its page, its lists, their files and its explanations; also as the other side of a comparison."""
    server, (number, other) = site
    change = re.search(
        rf'href="(/admin/replays/{number}/changes/[^"?]+)"', page(server, f"/admin/replays/{number}/changes", admin)
    )
    assert change is not None
    player = {"Cookie": f"league={cookie_of(server, 'p005', 'player')}"}
    lists = [f"/admin/replays/{number}/{listed.name}{end}" for listed in COMPARED for end in ("", ".csv")]
    for path in (f"/admin/replays/{number}", f"/admin/replays/{number}?against={other}", *lists, change[1]):
        for headers in ({}, player):
            assert server.http.get(path, headers=headers).status_code == 404, path
