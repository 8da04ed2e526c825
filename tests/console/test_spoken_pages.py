"""Sentences are translated before they reach a page: `tests/unspoken.py` makes untranslated ones visible."""

from __future__ import annotations

import pytest
from api_server import Served
from desk import cookie_of
from unspoken import MARK, marked

PATHS = (
    "/", "/boards/global", "/boards/global?day=tomorrow", "/rules/cuban-150", "/matches/c-0001", "/matches/none",
    "/admin", "/admin/months", "/admin/replays/new?ruleset=cuban-150", "/admin/house-rules/new?from=dominican-200",
    "/admin/lab", "/trail", "/log/1", "/record", "/tables/open",
    "/tournaments", "/manifest.webmanifest",
)  # fmt: skip
ANSWERS = (
    "{ board { title places(first: 3) { nodes { explanation { statement terms { text facts { text } } } } } } }",
    '{ match(matchId: "c-0001") { explanation { statement terms { text facts { text } } } } }',
    '{ board(asOf: "yesterday") { total } }',
    "{ players(first: 1, last: 1) { nodes { id } } }",
)


@pytest.mark.heavy
@pytest.mark.parametrize("language", ["en", "es"])
def test_no_page_and_no_answer_has_a_sentence_that_nobody_spoke(season_site: Served, language: str) -> None:
    """Sentences are translated whether they stand alone or within a text."""
    headers = {"Accept-Language": language, "Cookie": f"league={cookie_of(season_site, 'ana', 'admin')}"}
    with marked():
        pages = {path: season_site.http.get(path, headers=headers).text for path in PATHS}
        answers = {query: season_site.post(query, headers={"Accept-Language": language}).text for query in ANSWERS}
    assert [where for where, text in {**pages, **answers}.items() if MARK in text or "\\u2063" in text] == []
