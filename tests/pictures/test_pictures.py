"""Pictures of boards and players: what they show, and that no name breaks them."""

from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from browsers import Tab

from league.pictures.drawing import MARGIN, WIDTH, ZOOM, html, league_picture, png, size_of
from league.pictures.lettering import clipped, drawable, fitted, width
from league.pictures.pictures import (
    Listing,
    PictureRow,
    PictureSide,
    PictureTable,
    PictureTables,
    PlayerChart,
    Portrait,
    player_picture,
    table_picture,
    tables_picture,
)

HOSTILE = (
    "<script>alert(1)</script>",
    "x" * 200,
    "\u202etxet\u0000\u001b[2J",
    "Zoë" + "\u0301" * 60,
    "🔥👨‍👩‍👧",
    "محمد עומר",
    "]]>&amp;",
    "",
)
FOOT = ("Liga de La Habana", "22 nov 2026")


def table(*names: str) -> PictureTable:
    rows = [PictureRow(rank, name, f"of {name}", str(2000 - rank), 2 - rank) for rank, name in enumerate(names, 1)]
    return PictureTable("Global", "as of today", "player", "rating", rows, FOOT, "2 of 9 are shown")


def portrait(points: list[float]) -> str:
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    drawn = [(begin + timedelta(days=day), point) for day, point in enumerate(points)]
    chart = PlayerChart("Rating over time", drawn, "1 mar 2026", "9 mar 2026") if points else None
    badges = Listing("Badges", [("10 capicúas", "2 mar 2026")])
    return player_picture(Portrait("Inés & Luis", "La Habana", chart, [("rating", "1794")], [badges], FOOT))


def words(svg: str) -> list[str]:
    """The texts of a drawing, which must be well-formed."""
    return [node.text or "" for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


def size(picture: bytes) -> tuple[int, int]:
    across, down = struct.unpack(">II", picture[16:24])
    return across, down


def test_a_table_says_who_stands_where() -> None:
    """A table shows its title, names, values and changes of rank, and the league at the foot."""
    said = words(table_picture(table("Inés A.", "Lázaro & Ñico")))
    for text in ("Global", "Inés A.", "Lázaro & Ñico", "1999", "1998", "1", "2 of 9 are shown", *FOOT):
        assert text in said


def test_the_same_rows_give_the_same_bytes() -> None:
    """Equal rows give equal bytes, so pictures can be cached and compared."""
    assert png(table_picture(table("Ana", "Eva"))) == png(table_picture(table("Ana", "Eva")))


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_a_picture(name: str) -> None:
    """Markup is text, control and direction characters are left out, and a long name ends with an ellipsis."""
    svg = table_picture(table(name, "Ana"))
    assert "<script" not in svg
    said = words(svg)
    assert "Ana" in said
    assert all(width(text, 20) < WIDTH - 2 * MARGIN for text in said)
    assert not any(character in text for text in said for character in "\u202e\u0000\u001b")
    assert size(png(svg))[0] == WIDTH * ZOOM


def test_a_clipped_text_fits() -> None:
    """A clipped text fits its width in each font, and a text that fits is not changed."""
    for text in ("W" * 90, "Ñ" * 90, "ع" * 90):
        cut = clipped(text, 200, 20)
        assert cut.endswith("…")
        assert width(cut, 20) <= 200
    assert clipped("Inés  A.", 200, 20) == "Inés A."


LONG = "Baldomero Wenceslao de la T. & Wilfredo Buenaventura V."
"""As long as the longest names of a club, as a pair."""


def test_a_name_is_not_cut_while_there_is_room() -> None:
    """A name takes the width that values and moves leave, smaller letters, then a second line; an `&` begins it."""
    assert fitted("Baldomero T. & Wilfredo V.", 400, 20, smallest=17, lines=2).lines == ["Baldomero T. & Wilfredo V."]
    assert fitted(LONG, 330, 20, smallest=17, lines=2).lines == LONG.replace(" & ", "\n& ").split("\n")
    for svg in (
        table_picture(table(LONG, "Ana")),
        tables_picture(
            PictureTables("Round 3", "", [("1", [PictureSide(LONG, "200", True), PictureSide("Ana")])], FOOT)
        ),
        league_picture(LONG, "domino"),
    ):
        assert "".join(words(svg)).count("…") == 0
        assert "Wilfredo" in " ".join(words(svg))


def test_only_what_has_no_room_is_cut() -> None:
    """The last line that fits ends with an ellipsis, and each line keeps to its width."""
    found = fitted("Ñusta " * 40, 200, 20, smallest=17, lines=2)
    assert (len(found.lines), found.size) == (2, 17)
    assert found.lines[-1].endswith("…")
    assert all(width(line, found.size) <= 200 for line in found.lines)


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("Ana 🔥 R. 👨‍👩‍👧", "Ana R."),
        ("🇩🇴 Inés 👍🏽", "Inés"),
        ("王伟 Peña", "• Peña"),
        ("🔥", "•"),
        ("ana ♥", "ana ♥"),
        ("", ""),
    ],
)
def test_what_no_font_has_leaves_no_boxes(name: str, drawn: str) -> None:
    """Emoji are left out; letters of other scripts, and a name of nothing else, get a mark."""
    assert drawable(name) == drawn


@pytest.mark.parametrize("points", [[], [1000.0], [1000.0, 1000.0], [1000.0, 3500.5, 12.25, 1800.0]])
def test_a_player_is_drawn_with_any_history(points: list[float]) -> None:
    """A player can be drawn without a rating, with one point, with a flat line and with a wide span."""
    svg = portrait(points)
    said = words(svg)
    assert {"Inés & Luis", "1794", "10 capicúas"} <= set(said)
    assert ("Rating over time" in said) == bool(points)
    assert "nan" not in svg


def test_a_png_has_the_size_of_the_drawing_and_is_not_blank() -> None:
    """A PNG has two pixels per unit, and several colours."""
    svg = table_picture(table("Ana", "Eva"))
    picture = png(svg)
    root = ET.fromstring(svg)  # noqa: S314
    assert size(picture) == (ZOOM * int(root.attrib["width"]), ZOOM * int(root.attrib["height"]))
    assert size_of(svg) == size(picture)
    assert len(set(pixels(picture))) > 100


def pixels(picture: bytes) -> bytes:
    """The unpacked bytes of a PNG."""
    data, at = b"", 8
    while at < len(picture):
        [length] = struct.unpack(">I", picture[at : at + 4])
        if picture[at + 4 : at + 8] == b"IDAT":
            data += picture[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(data)


def test_a_page_needs_nothing_else(tab: Tab, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A browser shows the page as wide as a phone, loads nothing else, and reports no error."""
    file = tmp_path_factory.mktemp("page") / "board.html"
    file.write_text(html(table_picture(table("Inés A.", "<b>Eva</b>")), "Global & more", "es"), encoding="utf-8")
    tab.page.set_viewport_size({"width": 390, "height": 800})
    tab.page.goto(file.as_uri())
    assert tab.page.title() == "Global & more"
    assert tab.page.get_by_text("<b>Eva</b>", exact=True).is_visible()
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 390
    assert (
        tab.page.evaluate("document.fonts.ready.then(fonts => [...fonts].map(font => font.status))") == ["loaded"] * 2
    )
    assert [address for address in tab.asked if not address.startswith(("file:", "data:"))] == []
    assert tab.said == []
