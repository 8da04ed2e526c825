"""The look of the club: a logo and two colours, on pages and on pictures."""

from __future__ import annotations

import io
import re

import psycopg
import pytest
from api_server import Served, token
from desk import cookie_of
from PIL import Image

from league.application.club_logo import store_logo
from league.console.club_look import style_of
from league.domain.league import ChangeSettings
from league.pictures.drawing import ClubLook, in_look, league_picture, png
from tests.infra.test_logos import picture

SCHEME, AUTHORIZATION = "Bearer ", "Authorization"
LOGO = re.compile(r"/logo/([0-9a-f]{64})\.png")
STYLE = re.compile(r"/look/ffd400-b3261e\.[0-9a-f]{8}\.css")


def admin(site: Served) -> dict[str, str]:
    """Headers of an admin's browser."""
    origin = str(site.http.base_url).rstrip("/")
    return {"Cookie": f"league={cookie_of(site, role='admin')}", "Origin": origin}


def pixel(png_: bytes, x: int, y: int) -> tuple[int, ...]:
    """The colour of a pixel of a picture."""
    with Image.open(io.BytesIO(png_)) as drawn:
        found = drawn.convert("RGB").getpixel((x, y))
    assert isinstance(found, tuple)
    return found


@pytest.mark.heavy
def test_a_club_chooses_its_look(small_site: Served) -> None:
    """Pages and pictures have it; a style sheet and a picture that browsers cache for good; it can be removed."""
    site, page = small_site, "/admin/look"
    colours = {"own": "yes", "colour": "#ffd400", "secondColour": "#b3261e", "idempotencyKey": "colours"}
    assert site.http.post(page, data=colours, headers=admin(site)).status_code == 303
    sent = site.http.post(f"{page}/logo", files={"file": ("l.png", picture("PNG"))}, headers=admin(site))
    assert (sent.status_code, sent.headers["Location"]) == (303, f"{page}?stored=1")
    site.follow(str(site.league.store.head()))

    home = site.http.get("/").text
    [style_sheet] = STYLE.findall(home)
    assert 'content="#ffd400"' in home
    found = LOGO.search(home)
    assert found is not None
    logo, style = site.http.get(found[0]), site.http.get(style_sheet)
    assert logo.headers["Content-Type"] == "image/png"
    assert style.headers["Content-Type"].startswith("text/css")
    assert all("immutable" in answer.headers["Cache-Control"] for answer in (logo, style))
    assert site.http.get("/look/nothing.css").status_code == 404
    shared = site.http.get("/picture.png").content
    assert (pixel(shared, 5, 5), pixel(shared, 5, 560)) == ((0xFF, 0xD4, 0x00), (0xB3, 0x26, 0x1E))
    assert pixel(shared, 860, 130) == (255, 0, 0)  # the logo's left half

    assert site.http.post(page, data={"removeLogo": "yes"}, headers=admin(site)).status_code == 303
    assert site.http.post(page, data={"idempotencyKey": "none"}, headers=admin(site)).status_code == 303
    site.follow(str(site.league.store.head()))
    assert "/look/" not in site.http.get("/").text
    assert site.http.get(found[0]).status_code == 404
    with psycopg.connect(site.league.database.url) as conn:
        assert conn.execute("SELECT count(*) FROM logos").fetchone() == (0,)


def test_what_is_no_logo_is_refused_beside_its_control(small_site: Served) -> None:
    """The page says what is wrong; the API names the field. Who is no admin may not send one."""
    site = small_site
    for content, reason in ((b"", "choose a picture first"), (b"<svg><script/></svg>", "send a PNG")):
        refused = site.http.post("/admin/look/logo", files={"file": ("logo.png", content)}, headers=admin(site))
        assert refused.status_code == 422
        assert reason in re.sub(r"\s+", " ", refused.text.partition('id="file-error"')[2].partition("</p>")[0])
    over_api = {AUTHORIZATION: SCHEME + token("admin")}
    error = site.http.post("/logo", files={"file": b"no picture"}, headers=over_api).json()["errors"][0]
    assert (error["extensions"]["code"], error["extensions"]["field"]) == ("INVALID", ["file"])
    large = site.http.post("/logo", files={"file": b"\x89PNG" * 600_000}, headers=over_api)
    assert large.status_code == 413
    keeper = {AUTHORIZATION: SCHEME + token("scorekeeper")}
    assert site.http.post("/logo", files={"file": picture("PNG")}, headers=keeper).status_code == 403
    wrong = site.do("changeSettings", token("admin"), colour="red")
    assert (wrong["code"], wrong["field"]) == ("INVALID", ["colour"])


def test_a_picture_that_is_not_the_logo_is_not_shown(small_site: Served) -> None:
    """An upload that is repeated after the logo was removed stores its picture again, which nobody sees."""
    picture_ = store_logo(small_site.league.database.url, b"a picture")
    assert small_site.http.get(f"/logo/{picture_}.png").status_code == 404


def test_a_logo_that_is_gone_is_not_chosen(small_site: Served) -> None:
    """If two people change it at once, the picture of the first may be removed before its event is stored."""
    refused = small_site.do("changeSettings", token("admin"), removeLogo=True)
    assert "code" not in refused
    with pytest.raises(Exception, match="somebody else"):
        small_site.league.dispatcher.send(ChangeSettings(logo="0" * 64), "test")


def test_buttons_of_every_colour_have_an_edge() -> None:
    """A light colour gets one in the light scheme, a dark one in the dark scheme."""
    assert "scheme:light" in style_of("#ffffff", None)
    assert "scheme:dark" in style_of("#101010", None)
    assert "scheme" not in style_of("#d0342c", "#ffffff")


def test_a_drawing_without_a_look_stays_as_it_is() -> None:
    """A club without colours and logo has the pictures that it had."""
    drawn = league_picture("Liga", "Tablas")
    assert in_look(drawn, ClubLook()) == drawn
    assert pixel(png(in_look(drawn, ClubLook("#ffd400"))), 5, 5) == (0xFF, 0xD4, 0x00)
