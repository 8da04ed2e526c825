"""Every form says which of its controls no draft fills in: those that give rights, and those that destroy."""

from __future__ import annotations

import inspect
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.requests import Request

import league
from league.console.forms import DESTROYS, FormPage, PlainForm, draft_of
from league.console.mutations import input_type
from league.console.site import PAGES
from league.console.templates import CONSOLE

FORMS = {page.name: page for page in PAGES if isinstance(page, FormPage)}
RIGHTS = {"roles", "player"}
"""The controls of members that give rights: what they may do, and for whom."""
FLAGS = {"stored", "registered", "all", "after"}
"""Parameters of addresses that fill no control."""


class Forms(HTMLParser):
    """The forms of a template that have drafts, with the attributes of each."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.kept: list[dict[str, str | None]] = []
        self.feed(template)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form."""
        if tag == "form" and "data-draft" in dict(attrs):
            self.kept.append(dict(attrs))


def source_of(page: FormPage) -> str:
    """The template of a form."""
    return (page.folder / page.template).read_text()


def kept_forms(page: FormPage) -> list[dict[str, str | None]]:
    """The forms of a page that have drafts. What its expressions write may look like the end of a tag."""
    return Forms(re.sub(r"{{.*?}}|{%.*?%}", "", source_of(page))).kept


OWN = {name: page for name, page in FORMS.items() if not isinstance(page, PlainForm)}
"""Forms with a template of their own. `form.html` keeps a draft of the others unless they destroy something."""
WITH_DRAFTS = [name for name, page in OWN.items() if kept_forms(page)]


@pytest.mark.parametrize("name", WITH_DRAFTS)
def test_no_draft_fills_in_what_destroys(name: str) -> None:
    """A form whose mutation takes something away, or whose button warns of it, has no draft."""
    page = FORMS[name]
    if page.mutation.startswith(DESTROYS) or 'class="danger"' in source_of(page):
        assert all("data-fresh" in form for form in kept_forms(page))
        assert all(form.get("autocomplete") == "off" for form in kept_forms(page)), "browsers have drafts, too"


def test_no_draft_fills_in_rights() -> None:
    """This holds for roles, and for the player of a member."""
    found = {
        control.name: control.is_fresh
        for page in FORMS.values()
        if "roles" in input_type(page.mutation).fields
        for control in page.controls
        if control.name in RIGHTS
    }
    assert found == dict.fromkeys(RIGHTS, True)


def test_a_plain_form_that_destroys_has_no_draft() -> None:
    """This includes a form that only its button marks as dangerous."""
    fresh = {page.mutation for page in FORMS.values() if isinstance(page, PlainForm) and page.keeps_no_draft}
    assert {"forfeitMatch", "removeMember", "adoptEdition", "dropReplay", "closeMonth"} <= fresh
    assert not {"renamePlayer", "openSeason", "disputeResult", "addMember"} & fresh
    source = (CONSOLE / "form.html").read_text()
    assert '{% if page.keeps_no_draft %} data-fresh autocomplete="off"{% endif %}' in source


@pytest.mark.parametrize("name", WITH_DRAFTS)
def test_a_draft_knows_what_of_the_address_fills_its_form(name: str) -> None:
    """The form declares each parameter that its template or its `adds` reads; another value means another draft."""
    page = FORMS[name]
    sources = source_of(page) + (inspect.getsource(page.adds) if page.adds else "")
    read = set(re.findall(r"query_params(?:\.get(?:list)?\(|\[)[\"'](\w+)", sources)) - FLAGS
    assert read == set(page.filled_by)
    drafts = {draft_of(page, asked(query)) for query in ("", *(f"{one}={value}" for one in read for value in "ab"))}
    assert len(drafts) == 1 + 2 * len(read)
    if read:
        assert "request.url.query" in source_of(page), "the form would come back as another one"
        assert "{{ draft }}" in source_of(page)


def asked(query: str) -> Request:
    """A request with such parameters."""
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": []})


def test_hidden_controls_are_restored_only_where_they_are_what_was_meant() -> None:
    """Other hidden controls hold what the page knows: a dispute's number, photos, seats."""
    restored = {
        found
        for path in Path(league.__file__).parent.rglob("*.html")
        for found in re.findall(r'<input type="hidden"[^>]*data-restored[^>]* name="(\w+)"', path.read_text())
    }
    assert restored == {"idempotencyKey", "expectedPosition", "hand", "seenEdition"}
