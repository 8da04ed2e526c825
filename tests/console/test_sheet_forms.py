"""A sheet with unknown names: the form asks once for each name, then takes the same file. Without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from types import MappingProxyType
from typing import Any

import httpx
import pytest
from api_server import Served, token
from browsers import Tab
from desk import PHONE, address, cookie_of, give_cookies, shot
from leagues import send
from waiting import wait_until

from league.domain.player import RegisterPlayer

PLAYERS = {
    "altagracia": "Altagracia Reyes", "bienvenido": "Bienvenido Mota", "jose": "José Ángel Tejada", "luz": "Luz Peña",
}  # fmt: skip
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
UNKNOWN = ("Altagrasia Reyes", "Bienvenido Motta", "Jose Angel Tejeda", "Luz Penna", "Don Ramón", "Quico", "Tito")
"""Four slips of the pen, two new players, and a nickname."""


@pytest.fixture(scope="module")
def site(small_site: Served) -> Served:
    """A small league with some more players."""
    send(small_site.league, *(RegisterPlayer(player, name, None) for player, name in PLAYERS.items()))
    wait_until(lambda: counts(small_site)[1] == 6 + len(PLAYERS))
    return small_site


def sheet_of(month: int) -> str:
    """Thirty matches of the seven names against players of the league."""
    rows = [f"{1 + n % 28}/{month}/2025;{UNKNOWN[n % 7]};{('Ana', 'Bea', 'Cira')[n % 3]};150;{n}" for n in range(30)]
    return "\n".join(["fecha;lado 1;lado 2;puntos 1;puntos 2", *rows])


class Form(HTMLParser):
    """The form of a page as a browser without a script sends it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.hidden: dict[str, str] = {}
        self.radios: dict[str, list[str]] = {}
        self.is_required = False
        self._is_inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_inside = found.get("id") == "sheet-form"
        if tag != "input" or not self._is_inside:
            return
        if found["type"] == "hidden":
            self.hidden[found["name"]] = found["value"]
        elif found["type"] == "radio":
            self.radios.setdefault(found["name"], []).append(found["value"])
        elif found["type"] == "file":
            self.is_required = "required" in found

    def of(self, name: str) -> str:
        """The number of the entry of a name."""
        numbered = {value: key.removeprefix("name.") for key, value in self.hidden.items() if key.startswith("name.")}
        return numbered[name]


def posted(
    site: Served, fields: dict[str, str], content: str | None = None, headers: Mapping[str, str] = NO_HEADERS
) -> httpx.Response:
    """The answer to the form as a browser sends it: where no file was chosen, a file without a name is empty."""
    name = "" if content is None else "marzo.csv"
    parts = [f'name="{key}"\r\n\r\n{value}' for key, value in fields.items()]
    parts.append(f'name="file"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n{content or ""}')
    body = "".join(f"--mark\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--mark--\r\n"
    sent = {
        **headers,
        "Content-Type": "multipart/form-data; boundary=mark",
        "Origin": address(site, ""),
        "Cookie": f"league={cookie_of(site)}; language=es",
    }
    return site.http.post("/record/sheet", content=body.encode(), headers=sent)


def counts(site: Served) -> tuple[int, int]:
    """How many matches and players the league has."""
    found: Any = site.ask("{ matches { totalCount } players { totalCount } }")
    return found["matches"]["totalCount"], found["players"]["totalCount"]


@pytest.mark.heavy
def test_each_unknown_name_is_one_entry_and_the_file_goes_on(site: Served) -> None:
    """Thirty rows with seven names: a tap, a new player or another name settles all rows of one; stored once."""
    before = counts(site)
    refused = posted(site, {"rules": "cuban-150"}, sheet_of(3))
    assert refused.status_code == 422
    form = Form(refused.text)
    assert [value for key, value in form.hidden.items() if key.startswith("name.")] == list(UNKNOWN)
    assert not form.is_required
    assert f"as.{form.of('Jose Angel Tejeda')}" in form.radios
    assert "player:jose José Ángel Tejada" in form.radios[f"as.{form.of('Jose Angel Tejeda')}"]
    says = {}
    for name, player in zip(UNKNOWN, PLAYERS, strict=False):
        says[f"as.{form.of(name)}"] = f"player:{player} {PLAYERS[player]}"
    says |= {f"as.{form.of('Don Ramón')}": "new", f"as.{form.of('Quico')}": "new"}
    says[f"other.{form.of('Tito')}"] = "Flor Nadie"  # typed without a tap on `another name`
    refused = posted(site, {**form.hidden, **says, "rules": "cuban-150"})
    assert refused.status_code == 422
    form = Form(refused.text)
    assert list(form.radios) == [f"as.{form.of('Flor Nadie')}"]  # what was typed is unknown, too; the others stay said
    assert counts(site) == before
    says = {f"as.{form.of('Flor Nadie')}": "other", f"other.{form.of('Flor Nadie')}": "flor"}
    seen = posted(site, {**form.hidden, **says, "rules": "cuban-150", "preview": "true"})
    assert seen.status_code == 200
    assert "José Ángel Tejada" in seen.text
    form = Form(seen.text)
    assert counts(site) == before
    assert posted(site, {**form.hidden, "rules": "cuban-150"}).status_code == 303
    head = site.league.store.head()
    assert posted(site, {**form.hidden, "rules": "cuban-150"}).status_code == 303  # a browser sends it twice
    assert site.league.store.head() == head
    wait_until(lambda: counts(site) == (before[0] + 30, before[1] + 2))
    won = site.ask('query { player(id: "jose") { matches { totalCount } } }')["player"]["matches"]["totalCount"]
    assert won == 4  # rows 3, 10, 17 and 24


@pytest.mark.parametrize("kept", ["no base64!", "AAAA", ""])
def test_a_file_that_came_back_broken_is_asked_for_again(site: Served, kept: str) -> None:
    """The page names the file, and nothing is stored."""
    before = counts(site)
    refused = posted(site, {"rules": "cuban-150", "keptFile": kept, "keptName": "marzo.csv"})
    assert refused.status_code == 422
    assert counts(site) == before


def test_what_every_row_lacks_is_one_line_that_says_what_to_do(site: Served) -> None:
    """The line names the sheet and the heading of the column."""
    refused = posted(site, {}, "fecha;lado 1;lado 2;puntos 1;puntos 2\n1/6/2025;Ana;Bea;150;9\n2/6/2025;Ana;Bea;150;8")
    assert refused.status_code == 422
    cell = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", refused.text)
    assert [re.sub("<.*?>", "", where) for where, _ in cell] == ["marzo.csv 1 reglas"]
    assert "arriba en la página" in cell[0][1]


DOUBTFUL = "fecha;lado 1;lado 2;puntos 1;puntos 2\n{}/4/2025;Ana;Bea;149;95\n{}/4/2025;Ana;Bea;150;95"


@pytest.mark.parametrize(("by_module", "day"), [({}, 1), ({"X-Form": "module"}, 3)], ids=["browser", "module"])
def test_a_sheet_that_is_stored_without_a_look_shows_its_notes(
    site: Served, by_module: dict[str, str], day: int
) -> None:
    """The page says what is stored, and what somebody may want to check; its form is for another sheet."""
    before = counts(site)
    sheet = DOUBTFUL.format(day, day + 1)
    stored = posted(site, {"rules": "cuban-150", "idempotencyKey": f"noted-{day}"}, sheet, by_module)
    assert stored.status_code == 200
    assert "Guardado: 2 partidas" in stored.text
    assert stored.text.count("¿se paró antes el juego?") == 1
    form = Form(stored.text)
    assert form.is_required
    assert "keptFile" not in form.hidden
    assert form.hidden["idempotencyKey"] != f"noted-{day}"
    wait_until(lambda: counts(site)[0] == before[0] + 2)
    again = posted(site, {"rules": "cuban-150", "idempotencyKey": f"noted-{day}"}, sheet, by_module)
    assert again.status_code == (204 if by_module else 303)  # it is stored once, and nothing of it is new


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "stored"])
def test_a_note_names_the_row_and_a_long_list_says_how_many_more(site: Served, preview: bool) -> None:
    """A note never shows an id that the league made for the row."""
    month = 7 if preview else 8
    rows = [f"{1 + n % 28}/{month}/2025;Ana;Bea;1500;{n}" for n in range(53)]
    sheet = "\n".join(["fecha;lado 1;lado 2;puntos 1;puntos 2", *rows])
    said = posted(site, {"rules": "cuban-150", **({"preview": "true"} if preview else {})}, sheet).text
    notes = [re.sub("<.*?>", "", note) for note in re.findall("<li>(.*?)</li>", said)]
    noted = [note for note in notes if "1500 puntos son más" in note]
    assert (len(noted), noted[0].partition(": ")[0], noted[49].partition(": ")[0]) == (
        50,
        "marzo.csv 2",
        "marzo.csv 51",
    )
    assert "… y 3 más" in notes


def test_an_app_says_what_names_mean(site: Served) -> None:
    """The fault of an unknown name has the name and the closest players; `names` maps it to an id or a new player."""
    sheet = sheet_of(5).splitlines()[0] + "\n1/5/2025;Altagrasia Reyes;Chencho;150;20"
    send_it = {
        "files": {"file": ("mayo.csv", sheet.encode())},
        "headers": {"Authorization": f"Bearer {token('scorekeeper')}"},
    }
    faults = site.http.post("/sheets", data={"rules": "cuban-150"}, **send_it).json()["errors"][0]["extensions"][
        "faults"
    ]
    assert [(fault["name"], fault["closest"]) for fault in faults] == [
        ("Altagrasia Reyes", [{"playerId": "altagracia", "name": "Altagracia Reyes"}]), ("Chencho", []),
    ]  # fmt: skip
    names = '{"Altagrasia Reyes": "altagracia", "chencho": null}'
    report = site.http.post("/sheets", data={"rules": "cuban-150", "names": names}, **send_it).json()
    assert (report["matchesAdded"], report["playersAdded"]) == (1, 1)
    refused = site.http.post("/sheets", data={"names": "[1]"}, **send_it)
    assert (refused.status_code, refused.json()["errors"][0]["extensions"]["field"]) == (422, ["names"])


def test_the_entries_fit_a_phone(tab: Tab, site: Served) -> None:
    """One tap chooses the nearest player; nothing is wider than the screen."""
    tab.page.set_viewport_size(PHONE)
    give_cookies(tab.page, site)
    tab.page.goto(address(site, "/record/sheet"))
    file = {"name": "junio.csv", "mimeType": "text/csv", "buffer": sheet_of(6).encode()}
    tab.page.get_by_label("El archivo").set_input_files(file)
    tab.page.get_by_label("Reglas").select_option("cuban-150")
    tab.page.get_by_role("button", name="Ver qué cambiaría").click()
    entry = tab.page.get_by_role("group", name=re.compile("Jose Angel Tejeda"))
    entry.get_by_label("José Ángel Tejada").check()
    shot(tab.page, "sheet-names")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    tab.page.get_by_role("button", name="Ver qué cambiaría").click()
    tab.page.get_by_text("Jose Angel Tejeda: se lee como José Ángel Tejada").wait_for()
    assert [line for line in tab.said if "422" not in line] == []
