"""A form: a page that sends a mutation. What cannot be stored comes back beside its field, with what was typed.

The name of a control is the path of its value in the mutation's `input`: `name`, `hand.seat`, `players.0`. So an error
of the API finds its control by itself.
"""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from league.console.asking import NoPage, document_in
from league.console.pages import Console, Page, check_rights
from league.console.policy import is_from_our_pages
from league.console.visitors import Visitor
from league.wording.language import _

KEY = "idempotencyKey"
"""The hidden control of each form: the form stores once, however often it is sent."""
SEE_OTHER = 303
UNPROCESSABLE = 422


class FieldErrors(Exception):
    """What a person typed cannot be read: by the name of the control, a sentence."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(errors)
        self.errors = errors


class Filled(Struct, frozen=True):
    """A form as its template sees it."""

    typed: Mapping[str, Any] = field(default_factory=dict)
    """What was typed, by the name of the control; empty at first."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """By the name of the control, why it was refused. Under "" stands what no one control is to blame for."""
    key: str = ""
    """The idempotency key."""

    def value(self, name: str, suggested: Any = "") -> Any:
        """What stands in a control: what was typed, else a suggestion."""
        return self.typed.get(name, suggested)

    def errors_beside(self, names: set[str]) -> Mapping[str, str]:
        """Those errors whose controls are none of `names`: they are said above the form."""
        return {name: error for name, error in self.errors.items() if name not in names}


class FormPage(Page, frozen=True, kw_only=True):
    """A page with a form."""

    mutation: str
    """The file of the mutation's document. It takes `$input` and asks for `__typename ... on UserError`."""
    input: Callable[[FormData, Request], Mapping[str, Any]]
    """Reads what was typed as `input`, without the key. Raises FieldErrors."""
    then: Callable[[Mapping[str, Any], Callable[..., str]], str]
    """The address to go to, made from the mutation's answer and `url`."""


async def answer_form(console: Console, page: FormPage, request: Request) -> Response:
    """Show the form, or store what was typed and go on."""

    async def make(visitor: Visitor) -> Response:
        variables = page.variables(request)
        if request.method != "POST":
            check_rights(page, visitor)
            return await console.shown(page, request, visitor, variables, form=Filled(key=new_key()))
        if not is_from_our_pages(request, console.public_url):
            raise NoPage(403, _("Another site sent this form. Open the page of the league and fill it in there."))
        sent = await request.form()
        filled = Filled({name: value for name, value in sent.items() if isinstance(value, str)}, {}, _key_of(sent))
        if not visitor.is_signed_in:
            # The session may have ended while the form was filled in: nothing of it is lost.
            errors = {"": _("You are no longer signed in. Sign in on another page, then send this again.")}
            return await _again(console, page, request, visitor, filled, errors)
        try:
            given = {**page.input(sent, request), KEY: filled.key}
        except FieldErrors as error:
            return await _again(console, page, request, visitor, filled, error.errors)
        data = await console.asking.ask(request, visitor, document_in(page.folder / page.mutation), {"input": given})
        [answer] = data.values()
        if "message" in answer:
            errors = {".".join(answer.get("field") or ()): answer["message"]}
            return await _again(console, page, request, visitor, filled, errors)

        def url(name: str, /, **parameters: Any) -> str:
            return console.address_of(request, str(request.app.url_path_for(name, **parameters)))

        return RedirectResponse(page.then(answer, url), SEE_OTHER)

    return await console.answer(request, make)


def new_key() -> str:
    """A new idempotency key."""
    return uuid.uuid4().hex


def _key_of(sent: FormData) -> str:
    """The key of a form that was sent; a new one where it is missing."""
    key = sent.get(KEY)
    return key if isinstance(key, str) and key else new_key()


async def _again(
    console: Console, page: FormPage, request: Request, visitor: Visitor, filled: Filled, errors: Mapping[str, str]
) -> Response:
    """The form once more, with what was typed and what is wrong with it."""
    form = Filled(filled.typed, errors, filled.key)
    return await console.shown(page, request, visitor, page.variables(request), status=UNPROCESSABLE, form=form)
