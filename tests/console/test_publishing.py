"""`league publish`: the public pages as files that a plain web server serves."""

from __future__ import annotations

import http.server
import json
import os
import posixpath
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from api_server import SECRET
from browsers import Tab
from commands import process
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from leagues import announced, catch_up, found, keep_candidates, league_at, own_database, revised, send
from msgspec.structs import replace
from playwright.sync_api import expect

from league.application import candidates, replay_requests
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.audit.signed_heads import raw
from league.console.addresses import id_of, segment_of
from league.console.publishing import MARK, LinkResolver, SiteAddress, new_copy
from league.domain.refusals import InvalidInput
from league.eventlog.records import AppendRequest

pytestmark = pytest.mark.heavy

KEY = Ed25519PrivateKey.generate()
BY = AppendRequest("ana", "manual")


@pytest.fixture(scope="module")
def copy(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a small league with a signed match, and with the rules of two replays that were not promoted."""
    folder = tmp_path_factory.mktemp("copies") / "site"
    with own_database(embedded_server) as url, league_at(url) as league:
        found(league)
        send(league, announced("m1", ("ana", "bea"), 1))
        replace(league, key=KEY).sign_head()
        send(league, announced("m/2~ñ", ("ana", "bea"), 5))
        catch_up(league)
        keep_candidates(url, "series.limit = 1", "series.limit = 2")
        for number, (k, title) in enumerate(((31, "A secret draft"), (32, "A shown proposal"))):
            spec = ReplaySpec(revised(f"rating.k.provisional = {k}"), title=title, reason=f"of the {title}")
            replay = replay_requests.start(league, spec, BY).number
            fold_replay(url, replay)
            if number:
                candidates.show(league, replay, "newcomers climb too fast", BY)
        environment = {"LEAGUE_DATABASE_URL": url, "LEAGUE_SECRET": SECRET, "LEAGUE_LANGUAGE": "es"}
        said = process("publish", str(folder), "--json", env=os.environ | environment)
    assert said.returncode == 0, said.stderr
    copied = json.loads(said.stdout)
    assert (copied["proofs"], copied["pages"] > 20) == (1, True)
    return folder


@contextmanager
def plain_server(folder: Path) -> Iterator[str]:
    """A server of files, with nothing of ours."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_every_link_of_a_copy_leads_to_a_file_of_it(copy: Path) -> None:
    """This holds in both languages. No page has a form, a script or an address of the server."""
    pages = [file for file in copy.rglob("*.html") if file.name != "check-proof.html"]
    assert {file.relative_to(copy).parts[0] for file in pages} == {"en", "es", "index.html"}
    for file in pages:
        text = file.read_text(encoding="utf-8")
        assert "<form" not in text
        assert "<script src" not in text
        for link in re.findall(r' (?:href|src)="(?!data:)([^"#]+)', text):
            assert not urlsplit(link).netloc, (file, link)
            target = posixpath.normpath(posixpath.join(file.parent.as_posix(), unquote(urlsplit(link).path)))
            assert Path(target).is_file(), (file, link)


def test_a_copy_has_proposals_and_no_drafts(copy: Path) -> None:
    """The list and the first page of the comparison are there in both languages, reached from the first page."""
    texts = {file.relative_to(copy): file.read_text(encoding="utf-8") for file in copy.rglob("*.html")}
    assert not any("secret draft" in text for text in texts.values())
    for language in ("en", "es"):
        replays = [path for path in texts if path.is_relative_to(f"{language}/admin/replays")]
        [shown] = replays
        for path in (Path(language, "index.html"), Path(language, "proposals", "index.html"), shown):
            assert "A shown proposal" in texts[path]
        assert "newcomers climb too fast" in texts[shown]


def test_a_visitor_browses_a_copy_and_checks_a_proof(tab: Tab, copy: Path) -> None:
    """On a plain file server the visitor changes the language, opens a match, and checks a proof and an altered one."""
    with plain_server(copy) as address:
        page = tab.page
        page.goto(address)
        page.wait_for_url("**/es/index.html")
        page.get_by_role("link", name="In English").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        page.locator(".matches .when").last.click()
        page.get_by_role("link", name="Check it against the log").click()
        expect(page.locator("#loaded")).to_contain_text(".json")
        page.locator("#key").fill(raw(KEY.public_key()).hex())
        page.get_by_role("button", name="Check").click()
        expect(page.locator("#result")).to_have_attribute("data-verdict", "good")
        [proof] = (copy / "proofs").iterdir()
        kept = proof.read_text()
        last = max(kept.rindex(digit) for digit in "0123456789" if digit in kept)
        proof.write_text(f"{kept[:last]}{(int(kept[last]) + 1) % 10}{kept[last + 1 :]}")
        assert proof.read_text() != kept
        page.reload()
        expect(page.locator("#loaded")).to_contain_text(".json")
        page.locator("#key").fill(raw(KEY.public_key()).hex())
        page.get_by_role("button", name="Check").click()
        expect(page.locator("#result")).not_to_have_attribute("data-verdict", "good")
        proof.write_text(kept)
        assert tab.said == []


def replace_and_fail(folder: Path) -> None:
    """Begin another copy, and break off."""
    with new_copy(folder) as made:
        (made / MARK).write_text("two")
        raise RuntimeError


@given(st.text(min_size=1))
def test_an_id_comes_back_from_its_part_of_an_address(id_: str) -> None:
    """This holds for any characters. The part has no slash, and is not `.` or `..`."""
    segment = segment_of(id_)
    assert id_of(segment) == id_
    assert "/" not in segment
    assert segment not in (".", "..")


def test_only_a_copy_is_replaced(tmp_path: Path) -> None:
    """A folder with anything else is refused, and a copy that fails leaves the old one as it was."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidInput), new_copy(tmp_path):
        pytest.fail("it must not begin")
    folder = tmp_path / "site"
    with new_copy(folder) as made:
        (made / MARK).write_text("one")
    with pytest.raises(RuntimeError):
        replace_and_fail(folder)
    assert (folder / MARK).read_text() == "one"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["site", "thesis.txt"]


@pytest.mark.parametrize(
    "link", ["https://other.example/players/p1", "//other.example/", "mailto:a@b", "record", "/admin", "/nope"]
)
def test_a_link_to_what_is_not_in_a_copy_has_no_place(link: str) -> None:
    """This holds for links to other hosts, and to pages that need a server."""
    assert LinkResolver([]).place_of(link, SiteAddress("/", "", "en")) is None
