"""Photos of leftover tiles on a phone: taken, read, confirmed or corrected, and taken into the hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from api_server import Served, served
from browsers import Tab
from desk import address, cookie_of, group, shot, sign_in
from leagues import at, catch_up, found, league_at, own_database, send
from playwright.sync_api import expect

from league.console.site import create_site
from league.domain.match import OpenMatch
from league.infra.decoders import Decoders, DecodersBusy
from league.photos.photo_jobs import count_photo

TILES = Path(__file__).parents[1] / "vision" / "photos" / "pc_23.jpg"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of the pictures."""
    return str(tmp_path_factory.mktemp("photos"))


@pytest.fixture(scope="module")
def club(embedded_server: str, place: str) -> Iterator[Served]:
    """A league with pages, a place for photos, and an open match of two."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, OpenMatch("m1", "cuban-150", "1v1", "casual", ("ana", "bea"), played_at=at(0)))
            catch_up(league)
        with served(url, create=create_site, photos=place) as server:
            yield server


def test_the_tiles_of_a_loser_are_counted_by_a_photo(tab: Tab, club: Served, place: str) -> None:
    """The page shows what the computer reads when it has read it; the hand takes what a person says, also later."""
    page = sign_in(tab, club)
    page.goto(address(club, "/matches/m1/record"))
    page.get_by_text("Contar con una foto").click()
    page.get_by_label("¿De quién son las fichas?").select_option("Bea")
    page.get_by_label("Foto", exact=True).set_input_files(TILES)
    page.get_by_role("button", name="Enviar la foto").click()
    expect(page.get_by_text("está leyendo la foto")).to_be_visible()
    count_photo(club.league.database.url, place, page.url.split("/")[-1])
    expect(page.get_by_text("La computadora lee 23")).to_be_visible()
    expect(page.get_by_role("img", name="Las fichas que quedaron")).to_be_visible()
    shot(page, "photo")
    page.get_by_role("button", name="Está bien").click()
    expect(page.get_by_role("heading", name="Mano 1", exact=True)).to_be_visible()
    group(page, "¿Cómo terminó?").get_by_label("Dominó").check()
    group(page, "¿Quién dominó o trancó?").get_by_label("Ana").check()
    expect(page.locator("#score")).to_contain_text("+23")
    shot(page, "record-photo")
    page.get_by_role("button", name="Anotar la mano").click()
    expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
    hands = club.ask('{ match(id: "m1") { hands { points } } }')["match"]["hands"]
    assert hands == [{"points": [23, 0]}]
    # A recorded hand takes a photo, too: what a person says of it replaces the pips that were recorded.
    page.get_by_role("link", name="Corregir").click()
    expect(page.get_by_role("textbox", name="Bea")).to_have_value("23")
    page.get_by_label("Motivo").fill("la foto era de otra mano")
    page.get_by_label("¿De quién son las fichas?").select_option("Bea")
    page.get_by_label("Foto", exact=True).set_input_files(TILES)
    page.get_by_role("button", name="Enviar la foto").click()
    page.get_by_label("O solo sus puntos").fill("25")
    page.get_by_role("button", name="Guardar la cuenta").click()
    expect(page.get_by_role("heading", name="Corregir la mano 1")).to_be_visible()
    expect(page.get_by_role("textbox", name="Bea")).to_have_value("25")
    expect(page.get_by_label("Motivo")).to_have_value("la foto era de otra mano")
    expect(page.locator("#score")).to_contain_text("+25")
    shot(page, "correct-photo")
    page.get_by_role("button", name="Guardar la corrección").click()
    expect(page).to_have_url(re.compile("/matches/m1$"))
    assert club.ask('{ match(id: "m1") { hands { points } } }')["match"]["hands"] == [{"points": [25, 0]}]
    assert tab.said == []


def test_who_may_not_upload_is_refused_before_the_file_is_read(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads without the right, files that are no pictures, and uploads while too many wait are refused in words."""

    def no_room(_decoders: Decoders, _size: int) -> None:
        raise DecodersBusy

    club.http.cookies.set("league", cookie_of(club, "dora", "auditor"))
    fields = {"match": "m1", "hand": "1", "seat": "1"}
    headers = {"Origin": address(club, "")}

    def sent() -> tuple[int, str]:
        answer = club.http.post("/record/photo", data=fields, files={"file": ("a.jpg", b"no")}, headers=headers)
        return answer.status_code, answer.text

    assert sent()[0] == 403
    club.http.cookies.set("league", cookie_of(club))
    assert sent()[0] == 422
    monkeypatch.setattr(Decoders, "check_room", no_room)
    answer = club.http.post("/record/photo", data=fields, files={"file": b"no"}, headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    club.http.cookies.clear()
    assert sent()[0] == 401


@pytest.mark.parametrize(
    ("file", "status", "said"),
    [
        (b"no", 422, "<p>The file is not a picture"),
        (b"\0" * (11 * 1024 * 1024), 413, "A file has at most 10 MB."),
    ],
)
def test_a_refused_photo_says_why_and_leads_back_to_its_form(club: Served, file: bytes, status: int, said: str) -> None:
    """The refusal leads back to the form, also if the file is too large to be read."""
    club.http.cookies.set("league", cookie_of(club))
    form = club.http.get("/matches/m1/record").text
    action = unescape(re.findall(r'action="([^"]*/record/photo[^"]*)"', form)[0])
    fields = {"match": "m1", "hand": "1", "seat": "1"}
    headers = {"Origin": address(club, "")}
    answer = club.http.post(action, data=fields, files={"file": ("a.jpg", file)}, headers=headers)
    assert answer.status_code == status
    assert said in answer.text
    assert 'href="/matches/m1/record"' in answer.text
    assert "Something went wrong" not in answer.text


def test_a_server_without_what_reads_photos_says_so(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says which packages are missing, and finds them without a restart."""
    monkeypatch.setattr("league.photos.api.seen_photos.is_installed", lambda: False)
    club.http.cookies.set("league", cookie_of(club))
    headers = {"Origin": address(club, "")}
    fields = {"match": "m1", "hand": "1", "seat": "1"}
    said = unescape(club.http.post("/record/photo", data=fields, files={"file": b"no"}, headers=headers).text)
    assert "What reads photos is not installed: install it with `pip install 'domino-league[photos]'`" in said
    assert "start the server again" not in said
