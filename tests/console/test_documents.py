"""Forms fit the schema: the mutation that each sends, the fields of its answer, and its controls."""

from __future__ import annotations

import re

import pytest
from graphql import parse, validate
from starlette.datastructures import FormData

from league.api.auth.permissions import PERMISSIONS
from league.api.schema import core
from league.console.controls import Control, FieldErrors, kind_of, read_control
from league.console.forms import FormPage, PlainForm, to
from league.console.mutations import NotInSchema, check_input, document_of, input_field
from league.console.site import PAGES
from league.console.templates import CONSOLE, LEAGUE
from league.tables.console.table_pages import FOLDER, MOVES
from league.tournaments.console.device import MOVES as DEVICE_MOVES

PARAMETER = re.compile(r"{(\w+)")
FORMS = {page.name: page for page in PAGES if isinstance(page, FormPage)}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_names_what_the_schema_has(name: str) -> None:
    """No other test covers all forms; a form with a wrong name would fail only when somebody sends it."""
    page = FORMS[name]
    assert validate(core, parse(page.sends)) == []
    if page.input is None:
        check_input(page.mutation, [*page.address, *(control.name for control in page.controls)])
        assert not any("." in control.name for control in page.controls), "what is within a field needs an `input`"
    for control in page.controls:
        assert kind_of(page.mutation, control), control
    for field, parameter in page.address.items():
        assert input_field(page.mutation, field)
        assert f"{{{parameter}" in page.path, "the address has no such part"
    assert page.requires is None or page.requires in PERMISSIONS


@pytest.mark.parametrize("sends", [sends for sends, _read in (*MOVES.values(), *DEVICE_MOVES.values())])
def test_a_move_sends_a_valid_document(sends: str) -> None:
    """This holds for moves at a table, and for what a device sends in a drawing."""
    text = (FOLDER / sends).read_text(encoding="utf-8") if sends.endswith(".graphql") else document_of(sends)
    assert validate(core, parse(text)) == []


@pytest.mark.parametrize("name", [name for name, page in FORMS.items() if isinstance(page, PlainForm)])
def test_a_plain_form_names_parts_and_pages_that_there_are(name: str) -> None:
    """Its macros are in its template of parts, and its links lead to pages whose parameters its address has."""
    page = FORMS[name]
    assert isinstance(page, PlainForm)
    pages = {one.name: one.path for one in PAGES}
    for part in filter(None, (page.about, page.shows, page.inside)):
        assert page.parts is not None
        found = [root / page.parts for root in (CONSOLE, LEAGUE) if (root / page.parts).exists()]
        assert f"{{% macro {part}()" in found[0].read_text()
    for link in filter(None, (page.way, page.back)):
        assert PARAMETER.findall(pages[link.page]) == list(link.parameters)
        assert set(link.parameters) <= set(PARAMETER.findall(page.path))


def test_what_the_schema_does_not_have_is_named() -> None:
    """The error lists the names that the schema has."""
    with pytest.raises(NotInSchema, match="no mutation `closeSeson`; close to it are `closeSeason`"):
        document_of("closeSeson")
    with pytest.raises(NotInSchema, match=r"CloseSeasonInput has no field `ends`; it has .*`end`"):
        input_field("closeSeason", "ends")
    with pytest.raises(NotInSchema, match="neither the address nor a control gives `end`"):
        check_input("closeSeason", ["season"])
    with pytest.raises(NotInSchema, match="Cannot query field 'nope'"):
        document_of("closeSeason", "nope")


def test_where_a_form_leads_says_what_its_answer_is_asked_for() -> None:
    """The answer is asked for the paths that fill the parameters of the next address."""
    then = to("edition", "?stored=1", number="edition.number")
    assert then.asks == "edition { number }"
    assert then.address is not None
    answer = {"edition": {"number": 3}}
    assert then.address(answer, lambda page, **given: f"/{page}/{given['number']}") == "/edition/3?stored=1"


@pytest.mark.parametrize(
    ("mutation", "control", "said"),
    [
        ("closeSeason", "end", "Choose a day."),
        ("forfeitMatch", "side", "Write a whole number from 0, such as 35."),
        ("mergePlayers", "keep", "Name a player."),
    ],
)
def test_what_must_not_be_empty_is_asked_for_beside_its_control(mutation: str, control: str, said: str) -> None:
    """The sentence follows from the type of the field. For an empty text the API says what is wrong."""
    with pytest.raises(FieldErrors) as raised:
        read_control(mutation, Control(control), FormData({}))
    assert raised.value.errors == {control: said}
    assert read_control("renamePlayer", Control("name"), FormData({"name": " "})) == " "
    assert read_control("movePlayer", Control("region"), FormData({"region": " "})) is None
