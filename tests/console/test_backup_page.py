"""The page of backups: who may make one, what it says of the latest one, and the file."""

from __future__ import annotations

import io
import re
from html import unescape

import pytest
from api_server import Served
from desk import address, cookie_of

from league.api.backups import RUNNING
from league.transfer.backup_format import BackupReader


def headers(site: Served, role: str) -> dict[str, str]:
    return {"Cookie": f"league={cookie_of(site, 'ana', role)}; language=en", "Origin": address(site, "")}


@pytest.mark.heavy
def test_an_admin_downloads_a_backup(small_site: Served) -> None:
    """The file is whole, the page then says when it was made, and the trail who made it."""
    admin = headers(small_site, "admin")
    assert "No backup was made yet." in small_site.http.get("/admin/backup", headers=admin).text
    assert "No backup was made yet." in small_site.http.get("/admin", headers=admin).text
    answer = small_site.http.post("/admin/backup/file", headers=admin)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/gzip")
    assert re.fullmatch(r'attachment; filename="league-[0-9-]{10}\.backup"', answer.headers["content-disposition"])
    assert answer.headers["cache-control"] == "private, no-store"
    with BackupReader(io.BytesIO(answer.content)) as backup:
        assert backup.header.position == small_site.league.store.head()
    page = unescape(small_site.http.get("/admin/backup", headers=admin).text)
    assert "The latest backup was begun on" in page
    trail = unescape(small_site.http.get("/trail", headers=admin).text)
    assert "backup" in trail.split("<main")[1].split("</li>")[0]
    assert "No backup was made yet." not in small_site.http.get("/admin", headers=admin).text


def test_one_backup_is_written_at_a_time(small_site: Served) -> None:
    """A second one is refused with a page that says so, and leaves no trace; when the first is done, it is made."""
    admin = headers(small_site, "admin")
    head = small_site.league.store.head()
    with RUNNING:
        refused = small_site.http.post("/admin/backup/file", headers=admin)
    assert refused.status_code == 409
    assert "one is written at a time" in refused.text
    assert small_site.league.store.head() == head
    for _ in range(2):
        assert small_site.http.post("/admin/backup/file", headers=admin).status_code == 200


def test_nobody_else_makes_a_backup(small_site: Served) -> None:
    """Neither other roles, nor a page of another site, nor an address that is opened; nothing is noted then."""
    head = small_site.league.store.head()
    for role in ("player", "scorekeeper", "auditor"):
        assert small_site.http.post("/admin/backup/file", headers=headers(small_site, role)).status_code == 403
        assert small_site.http.get("/admin/backup", headers=headers(small_site, role)).status_code == 403
    assert small_site.http.post("/admin/backup/file").status_code in (401, 403)
    admin = headers(small_site, "admin")
    elsewhere = {**admin, "Origin": "https://other.example"}
    assert small_site.http.post("/admin/backup/file", headers=elsewhere).status_code == 403
    assert small_site.http.get("/admin/backup/file", headers=admin).status_code == 404
    assert small_site.league.store.head() == head
