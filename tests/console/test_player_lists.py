"""A pasted list of players: who would be registered, who is asked about, and what is stored."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape

import httpx
import pytest
from api_server import Served
from browsers import Tab, serious_faults
from desk import address, cookie_of, shot, sign_in
from http_clients import NO_TLS
from leagues import send
from playwright.sync_api import expect
from waiting import wait_until

from league.domain.player import MOST_REGISTERED, RegisterPlayer

PATH = "/record/player/list"


@pytest.fixture(scope="module")
def site(small_site: Served) -> Served:
    """Six players, and one whose name has accents."""
    send(small_site.league, RegisterPlayer("rosa", "Rosa Núñez", "Granma"))
    small_site.follow(str(small_site.league.store.head()))
    return small_site


Organisers = Callable[..., "Organiser"]


@pytest.fixture
def organiser(site: Served) -> Iterator[Organisers]:
    """Makes organisers, by their names and roles."""
    with ExitStack() as opened:

        def made(sub: str = "kim", role: str = "scorekeeper") -> Organiser:
            one = Organiser(site, sub, role)
            opened.enter_context(one.web)
            return one

        yield made


class Organiser:
    """Somebody at the page, without JavaScript, in Spanish."""

    def __init__(self, site: Served, sub: str, role: str) -> None:
        self.site = site
        cookies = {"league": cookie_of(site, sub, role), "language": "es"}
        origin = address(site, "")
        self.web = httpx.Client(base_url=origin, cookies=cookies, headers={"Origin": origin}, verify=NO_TLS)

    def form(self) -> dict[str, str]:
        """The controls of the empty form that have a value."""
        return hidden(self.web.get(PATH).text)

    def look(self, names: str, **more: str) -> tuple[str, dict[str, str]]:
        """Send a list for the first time. The page of the answer, and what the form then sends."""
        typed = {**self.form(), "names": names, **more}
        answer = self.web.post(PATH, data=typed)
        assert answer.status_code == 200
        return unescape(answer.text), {**typed, **hidden(answer.text)}

    def store(self, typed: dict[str, str], **answers: str) -> httpx.Response:
        """Send the form with the answers."""
        return self.web.post(PATH, data={**typed, **answers})


def hidden(page: str) -> dict[str, str]:
    """The hidden controls of the form."""
    form = page[page.index('<form id="register-players-form"') :]
    return dict(re.findall(r'<input type="hidden"(?: data-restored)? name="([^"]+)" value="([^"]*)"', form))


def players(site: Served, name: str) -> list[tuple[str, str | None]]:
    """Names and regions of the players whose names have this part."""
    found = site.ask(
        "query ($name: String!) { players(filter: {nameContains: $name}) { nodes { name region } } }", name=name
    )
    return [(one["name"], one["region"]) for one in found["players"]["nodes"]]


def registered(answer: httpx.Response) -> str:
    """Where an answer leads that says how many were registered."""
    assert answer.status_code == 303, unescape(answer.text)
    return answer.headers["Location"]


def test_a_list_is_looked_at_first_and_stored_when_it_is_confirmed(site: Served, organiser: Organisers) -> None:
    """Numbers, bullets, emoji, blank lines and a heading are no part of a name. The page after it says how many."""
    kim = organiser()
    names = "Nuevos del viernes:\n\n1. Zenaida Uno\n2)  Zoila   Uno \n\n- Zenón Uno 🔥\n"
    page, typed = kim.look(names, region="Playa")
    assert "3 nombres nuevos" in page
    assert players(site, "Uno") == []
    said = kim.web.get(registered(kim.store(typed))).text
    assert "3 jugadores registrados" in said
    assert 'href="/players"' in said
    assert sorted(players(site, " Uno")) == [(f"{name} Uno", "Playa") for name in ("Zenaida", "Zenón", "Zoila")]


def test_a_name_that_exists_is_asked_about(site: Served, organiser: Organisers) -> None:
    """Who has exactly the name is meant, unless somebody ticks a box; a similar name must be answered first."""
    kim = organiser()
    page, typed = kim.look("rosa nunez\nRosa Nuñes\nYaquelín Dos\nYAQUELIN DOS")
    assert "Este ya está registrado" in page
    assert "Hay un jugador con un nombre parecido" in page
    assert "La línea 3 también tiene este nombre" in page
    refused = kim.store(typed)
    assert refused.status_code == 422
    assert refused.text.count('aria-invalid="true"') == 2
    assert players(site, "Yaquel") == []
    stored = kim.store(typed, **{"as.0": "namesake", "as.1": "same", "as.3": "same"})
    assert registered(stored).endswith("?registered=2")
    assert sorted(players(site, "nunez")) == [("Rosa Núñez", "Granma"), ("rosa nunez", None)]
    assert players(site, "Yaquel") == [("Yaquelín Dos", None)]


def test_a_line_that_is_no_name_is_left_out_with_its_reason(site: Served, organiser: Organisers) -> None:
    """The page says the number of the line as people count, with empty lines."""
    kim = organiser()
    page, typed = kim.look(f"Wilma Tres\n\n{'x' * 101}")
    assert re.search(r"Línea 3: .*100", page)
    assert registered(kim.store(typed)).endswith("?registered=1")
    assert players(site, "Tres") == [("Wilma Tres", None)]


def test_those_who_are_registered_are_confirmed_all_at_once(organiser: Organisers) -> None:
    """A list of last time with one new name takes no answer: the page says who is known, and registers the other."""
    kim = organiser()
    page, typed = kim.look("1. Ana\n2. Bea\n3. Cira\n4. Nuria Doce")
    assert "Estos 3 ya están registrados" in page
    assert 'type="radio"' not in page
    assert registered(kim.store(typed)).endswith("?registered=1")


def test_what_commas_separate_is_asked_once(site: Served, organiser: Organisers) -> None:
    """Nothing is stored before the answer. Then the names are looked at anew, as they are read now."""
    kim = organiser()
    page, typed = kim.look("Trece, Tania\nTrece, Tomás\nTula Trece / Tito Trece")
    assert "2 líneas son así" in page
    assert "Tania Trece" in page
    refused = kim.store(typed)
    assert refused.status_code == 422
    assert 'id="parts-error"' in refused.text
    asked = kim.store(typed, parts="surname")
    assert asked.status_code == 200
    assert "4 nombres nuevos" in unescape(asked.text)
    assert registered(kim.store({**typed, **hidden(asked.text)}, parts="surname")).endswith("?registered=4")
    names = [name for name, _ in players(site, "Trece")]
    assert sorted(names) == ["Tania Trece", "Tito Trece", "Tomás Trece", "Tula Trece"]


def test_a_double_tap_and_the_back_button_double_nothing(site: Served, organiser: Organisers) -> None:
    """A form that is sent again leads to the same page. With other content it says that it has been stored."""
    kim = organiser()
    _, typed = kim.look("Ulises Cuatro\nUrsula Cuatro")
    assert registered(kim.store(typed)) == registered(kim.store(typed))
    assert len(players(site, "Cuatro")) == 2
    back = kim.web.post(PATH, data={**typed, "names": "Ulises Cuatro"})
    assert "Este ya está registrado" in unescape(back.text)
    again = kim.store({**typed, "names": "Ulises Cuatro", **hidden(back.text)}, **{"as.0": "namesake"})
    assert again.status_code == 422
    assert len(players(site, "Cuatro")) == 2


def test_two_organisers_do_not_register_one_person_twice(site: Served, organiser: Organisers) -> None:
    """The second one is asked who is meant, with what was typed; the others of the list are not lost."""
    kim, leo = organiser(), organiser("leo")
    _, hers = kim.look("Olga Cinco\nOmar Cinco")
    _, his = leo.look("Olga Cinco\nOdalys Cinco")
    registered(kim.store(hers))
    refused = leo.store(his)
    assert refused.status_code == 422
    assert "Este ya está registrado" in unescape(refused.text)
    assert len(players(site, "Cinco")) == 2
    registered(leo.store({**his, **hidden(refused.text)}, **{"as.0": "same"}))
    assert sorted(name for name, _ in players(site, "Cinco")) == ["Odalys Cinco", "Olga Cinco", "Omar Cinco"]


def test_two_lists_sent_at_once_register_a_name_once(site: Served, organiser: Organisers) -> None:
    """Whoever comes second is refused, although nobody had the name when either of them looked."""
    organisers = [organiser(sub) for sub in ("one", "two", "three")]
    forms = [one.look("Simultánea Seis")[1] for one in organisers]
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda one=one, typed=typed: answers.append(one.store(typed).status_code))
        for one, typed in zip(organisers, forms, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [303, 422, 422]
    assert players(site, "Simult") == [("Simultánea Seis", None)]


def test_two_who_register_one_player_at_once_register_them_once(site: Served, organiser: Organisers) -> None:
    """The second one is asked whether it is another person of that name, with what was typed, and may say so."""
    organisers = [organiser(sub) for sub in ("one", "two")]
    answers: list[httpx.Response] = []

    def register(one: Organiser, **more: str) -> None:
        answers.append(one.web.post("/record/player", data={"name": "Única Siete", "region": "Playa", **more}))

    threads = [threading.Thread(target=register, args=(one,)) for one in organisers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored, refused = sorted(answers, key=lambda answer: answer.status_code)
    assert (stored.status_code, refused.status_code) == (303, 422)
    assert "diga si se trata de otra persona" in unescape(refused.text)
    assert 'value="Única Siete"' in refused.text
    assert players(site, "nica Siete") == [("Única Siete", "Playa")]
    register(organisers[0], isNamesake="yes")
    assert answers[-1].status_code == 303
    assert players(site, "nica Siete") == [("Única Siete", "Playa")] * 2


def test_the_limit_is_said_before_it_is_met(organiser: Organisers) -> None:
    """A longer list comes back whole, with what to do."""
    kim = organiser()
    assert f"hasta {MOST_REGISTERED} nombres" in unescape(kim.web.get(PATH).text)
    names = "\n".join(f"Siete {number}" for number in range(MOST_REGISTERED + 1))
    refused = kim.web.post(PATH, data={**kim.form(), "names": names})
    assert refused.status_code == 422
    assert "201 nombres" in unescape(refused.text)
    assert "Siete 200" in refused.text
    empty = kim.web.post(PATH, data={**kim.form(), "names": "\n \n"})
    assert "Escriba al menos un nombre" in unescape(empty.text)


def test_a_list_as_long_as_it_may_be_is_registered(organiser: Organisers) -> None:
    """By a scorekeeper, who pays for each player."""
    kim = organiser("long")
    _, typed = kim.look("\n".join(f"Largo{number:03} Ocho{number:03}" for number in range(MOST_REGISTERED)))
    assert registered(kim.store(typed)).endswith(f"?registered={MOST_REGISTERED}")


def test_others_do_not_see_the_page(organiser: Organisers) -> None:
    """A player may not register anybody. Who may finds the list beside the form for one player."""
    assert organiser("ana", "player").web.get(PATH).status_code == 403
    assert f'href="{PATH}"' in organiser().web.get("/record/player").text
    one = organiser()
    assert "autofocus" not in one.web.get("/record/player").text
    assert "autofocus" in one.web.get("/record/player?registered=rosa").text


@pytest.mark.parametrize("size", [(390, 664), (1366, 768)])
def test_the_page_is_usable_on_every_screen(tab: Tab, site: Served, size: tuple[int, int]) -> None:
    """One types at once. Nothing is wider than the screen, and axe-core finds nothing."""
    page = sign_in(tab, site)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address(site, PATH))
    expect(page.get_by_label("Pegue una lista de nombres")).to_be_focused()
    assert serious_faults(page) == []
    new, given = {390: ("Nadia Nueve", "Juana"), 1366: ("Quiteria Zayas", "Julio")}[size[0]]
    page.keyboard.type(f"{new}\nRosa Núñez\nIris {size[0]} / Ivis {size[0]}\nPérez, {given}")
    page.get_by_role("button", name="Ver a quiénes se registraría").click()
    expect(page.get_by_role("heading", name="A quiénes se registraría")).to_be_visible()
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"list-{size[0]}x{size[1]}")
    expect(page.get_by_role("heading", name="Este ya está registrado")).to_be_visible()
    page.get_by_role("group", name=f"Línea 4: Pérez, {given}").get_by_label("Apellido y nombre").check()
    page.get_by_role("button", name="Registrar", exact=True).click()
    expect(page.get_by_text("4 nombres nuevos")).to_be_visible()
    shot(page, f"list-read-{size[0]}x{size[1]}")
    page.get_by_role("button", name="Registrar", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("jugadores registrados")
    expect(page.get_by_label("Pegue una lista de nombres")).to_have_value("")
    wait_until(lambda: len(players(site, new)) == 1)
