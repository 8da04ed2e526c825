"""The admin's and the auditor's pages, and the rules in words: what they show, and to whom. Over plain HTTP."""

from __future__ import annotations

import pytest
from api_server import Served
from desk import cookie_of

PUBLIC = ("/rules", "/rules/cuban-150", "/admin/editions", "/admin/editions/1", "/admin/replays")
ADMIN = (
    "/admin", "/admin/settings", "/admin/members", "/admin/members/add", "/admin/seasons", "/admin/months",
    "/admin/months/2026-01/close", "/admin/months/2026-01/reopen", "/admin/disputes", "/admin/disputes?all=1",
    "/admin/editions/1/adopt", "/admin/editions/publish", "/admin/replays/new", "/admin/replays/roll-back",
    "/trail", "/trail?kind=hand-recorded", "/log/1", "/log/2",
)  # fmt: skip


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_page_answers_its_readers(season_site: Served, language: str) -> None:
    """In both languages, within 200 KB; the admin's pages not to others."""
    headers = {"Accept-Language": language}
    admin = {**headers, "Cookie": f"league={cookie_of(season_site, 'ana', 'admin')}"}
    keeper = {**headers, "Cookie": f"league={cookie_of(season_site, 'kim', 'scorekeeper')}"}
    for path in (*PUBLIC, *ADMIN):
        page = season_site.http.get(path, headers=admin)
        assert page.status_code == 200, (path, page.text[-2000:])
        assert len(page.content) < 200_000
        if path in PUBLIC:
            assert season_site.http.get(path, headers=headers).status_code == 200
        elif "disputes" not in path:
            assert season_site.http.get(path, headers=headers).status_code == 401, path
            assert season_site.http.get(path, headers=keeper).status_code == 403, path


def test_pages_that_are_not_there_say_so(season_site: Served) -> None:
    """Whatever an address names."""
    admin = {"Cookie": f"league={cookie_of(season_site, 'ana', 'admin')}"}
    paths = (
        "/rules/none", "/admin/editions/99", "/admin/editions/x", "/admin/replays/99", "/admin/replays/99/promote",
        "/admin/members/none", "/admin/seasons/none/close", "/log/0", "/log/999999999", "/log/x",
        "/matches/none/dispute/reject",
    )  # fmt: skip
    for path in paths:
        assert season_site.http.get(path, headers=admin).status_code == 404, path
    assert season_site.http.get("/trail?day=x", headers=admin).status_code == 400
