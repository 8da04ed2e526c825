"""Answers forms, filters and files that people send. What is not stored comes back as it was typed, with the reason."""

import hashlib
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec import Struct
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from league.api.graphql.executing.context import Context
from league.api.server.middleware import UPLOADS
from league.api.server.uploads import LONGEST_FIELD, MOST_FIELDS, POINTS, FileTooLarge, UploadedForm, received
from league.console.asking import NoPage, Visitor, document_in
from league.console.controls import FieldErrors
from league.console.forms import (
    LOOK,
    NO_CONTENT,
    REVIEWED,
    SEE_OTHER,
    UNPROCESSABLE,
    FilledForm,
    FormPage,
    Look,
    Question,
    Questions,
    Review,
    draft_of,
)
from league.console.mutations import EXPECTED, KEY
from league.console.named_players import Suggestion, players_named, with_picks
from league.console.pages import Console, Page, check_rights
from league.console.posts import check_origin, own_path, sent_form
from league.console.templates import new_key, template_of
from league.domain.refusals import InvalidInput
from league.domain.sentences import say, say_count
from league.infra.decoders import RETRY_AFTER, ClientLeft, DecodersBusy
from league.wording.language import spoken

BY_MODULE = "x-form"
"""The header of a form that `static/forms.js` sends. The script opens the next page itself: no redirect."""
PERSON = "x-person"
"""The header with the person who recorded what a device sends later, percent-encoded. Nobody else may store it."""
REFUSED = "X-Refused"
"""The header of an answer to a form that was not stored: the code of the refusal, then the controls it is about."""
CONTROL = re.compile(r"[A-Za-z0-9._-]{1,100}")
"""The names of controls that may stand in a header. Ours all match."""
BAD_REQUEST = 400
CONFLICT = 409
FOLLOWED = "query Followed($position: BigInt!) @readFrom(afterPosition: $position) { league { name } }"


class SentForm(Struct, frozen=True):
    """A form that was sent, with its page and its sender."""

    console: Console
    page: FormPage
    request: Request
    visitor: Visitor
    form: FormData
    key: str

    @property
    def typed(self) -> Mapping[str, str]:
        """What was typed, by the name of the control."""
        return {name: value for name, value in self.form.items() if isinstance(value, str)}

    @property
    def settings_at(self) -> str | None:
        """Where the names of the controls for settings of the rules begin; None if they are not shown."""
        return "" if self.page.settings_at is None else self.page.settings_at(self.typed)

    async def ask(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The data of a document. Raises NoPage."""
        return await self.console.executor.ask(self.request, self.visitor, document, variables)

    async def given(self) -> Mapping[str, Any]:
        """The `input` of the mutation, without the key. Raises FieldErrors, NoPage."""
        named = await players_named(self.ask, {name: self.typed.get(name, "") for name in self.page.players})
        if named.errors:
            raise FieldErrors(named.errors, named.suggested)
        replaced = [(name, named.ids.get(name, value)) for name, value in self.form.multi_items()]
        return self.page.read(FormData(replaced), self.request)


async def answer_form(console: Console, page: FormPage, request: Request) -> Response:
    """Show the form, or store what was typed and go on."""

    async def make(visitor: Visitor) -> Response:
        if request.method != "POST":
            check_rights(page, visitor)

            async def shown() -> Response:
                return await _shown(console, page, request, visitor, FilledForm(key=new_key()))

            # Who is not signed in sees no form on such a page.
            return await (
                shown() if page.follows_from_state is None else console.page_cache.answer(request, visitor, shown)
            )
        form = with_picks(await sent_form(request, console.public_url), page.players)
        sent = SentForm(console, page, request, visitor, form, _key_of(form))
        if page.look is not None and LOOK in form:
            return await _looked(sent, page.look)
        return await _stored(sent)

    response = await console.answer(request, make)
    if request.method == "POST" and response.status_code >= BAD_REQUEST:
        response.headers.setdefault(REFUSED, f"STATUS_{response.status_code}")
    return response


async def _stored(sent: SentForm) -> Response:
    """Store what was typed and go on, or show the form again."""
    if not sent.visitor.is_signed_in:
        # The session may have ended while the form was filled in. What was typed must not be lost.
        return await _again(
            sent,
            {"": say("You are no longer signed in. Sign in on another page, then send this again.")},
            code="SIGNED_OUT",
        )
    if unquote(sent.request.headers.get(PERSON, "")) not in ("", sent.visitor.viewer.sub):
        said = say("Somebody else is signed in now. Nothing was stored.")
        return await _again(sent, {"": said}, code="OTHER_PERSON", status=CONFLICT)
    try:
        if (response := await _with_questions(sent)) is not None:
            return response
        given = {**await sent.given(), KEY: sent.key}
        if sent.page.overwrites and EXPECTED in sent.typed:
            given[EXPECTED] = sent.typed[EXPECTED]
    except FieldErrors as error:
        more = await _asked_before(sent)
        return await _again(sent, error.errors, code="INVALID", suggested=error.suggested, more=more)
    if (response := await _seen_first(sent, given)) is not None:
        return response
    data = await sent.ask(sent.page.sends, {"input": given})
    [answer] = data.values()
    return await (_refused(sent, answer) if "message" in answer else _went_on(sent, answer))


async def _seen_first(sent: SentForm, given: Mapping[str, Any]) -> Response | None:
    """The form with what must be seen before it is stored; None if there is nothing."""
    page = sent.page
    if page.question is not None and (response := await _to_answer(sent, page.question, given)) is not None:
        return response
    if page.review is None or page.review.questions is not None:
        return None
    return await _to_review(sent, page.review, given)


async def _to_answer(sent: SentForm, question: Question, given: Mapping[str, Any]) -> Response | None:
    """The form with its preview and a question that has no answer yet; None if there is nothing to ask."""
    look = sent.page.look
    if sent.typed.get(question.name) or look is None or look.variables is None:
        return None
    looked = await sent.ask(document_in(sent.page.folder / look.document), look.variables(given, sent.request))
    if not question.is_asked(looked):
        return None
    return await _again(sent, {question.name: question.words}, code="TO_ANSWER", looked=looked)


async def _to_review(sent: SentForm, review: Review, given: Mapping[str, Any]) -> Response | None:
    """The form with what it would do; None if that was reviewed, and is still so."""
    asked = {name: value for name, value in given.items() if name != KEY}
    [answer] = (await sent.ask(document_in(sent.page.folder / review.document), {"input": asked})).values()
    is_refused, reviewed = "message" in answer, sent.typed.get(REVIEWED)
    seen = _hash_of([asked, answer])
    if reviewed == seen or (reviewed and is_refused):
        return None  # the mutation says why it refuses, or answers a repeated request, which the preview does not know
    if is_refused:
        return await _refused(sent, answer)
    typed = {name: value for name, value in sent.typed.items() if name != REVIEWED}
    filled = FilledForm(typed, key=sent.key)
    return await _shown(sent.console, sent.page, sent.request, sent.visitor, filled, reviewed=answer, review_hash=seen)


async def _with_questions(sent: SentForm) -> Response | None:
    """The form with its questions; None if it has none, or all are answered. Raises FieldErrors."""
    review = sent.page.review
    if review is None or review.questions is None:
        return None
    questions = review.questions
    variables = questions.variables(sent.form, sent.request)
    errors: Mapping[str, str] = {}
    if sent.typed.get(REVIEWED) == _hash_of(variables):
        errors = questions.unanswered(sent.form)
        if not errors:
            return None
    asked = await _asked(sent, review.document, questions)
    if errors:
        return await _again(sent, errors, code="TO_ANSWER", more=asked)
    typed = {name: value for name, value in sent.typed.items() if not name.startswith((REVIEWED, questions.prefix))}
    filled = FilledForm(typed, key=sent.key)
    return await _shown(sent.console, sent.page, sent.request, sent.visitor, filled, **asked)


async def _asked(sent: SentForm, document: str, questions: Questions) -> dict[str, Any]:
    """The questions as the template gets them. Raises FieldErrors."""
    variables = questions.variables(sent.form, sent.request)
    [answer] = (await sent.ask(document_in(sent.page.folder / document), variables)).values()
    return {"reviewed": questions.shown(answer, sent.form), "review_hash": _hash_of(variables)}


def _hash_of(reviewed: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(reviewed)).hexdigest()


async def _asked_before(sent: SentForm) -> dict[str, Any]:
    """The questions that the form had when it was sent; empty if it had none."""
    review = sent.page.review
    if review is None or review.questions is None or REVIEWED not in sent.typed:
        return {}
    with suppress(FieldErrors):
        return await _asked(sent, review.document, review.questions)
    return {}


async def _refused(sent: SentForm, answer: Mapping[str, Any]) -> Response:
    """The form once more, with why the API refused it."""
    code = answer.get("code", "")
    if code == "KEY_REUSED":
        # This form was stored from another tab with other content. To store this content too, it needs a new key.
        said = say("This form has been stored already, with other content. If this is to be stored too, send it again.")
        return await _again(sent, {"": said}, code=code, key=new_key())
    if code == "CHANGED_SINCE":
        return await _outdated(sent, answer)
    errors = _errors_of(answer, sent.typed, sent.settings_at)
    return await _again(sent, errors, code=code, more=await _asked_before(sent))


async def _went_on(sent: SentForm, answer: Mapping[str, Any]) -> Response:
    """After a form was stored: lead to the next page, or show the answer on the page itself."""
    if "position" in answer:
        with suppress(NoPage):  # the form is stored; if the read side is behind, the next page shows it a moment later
            await sent.ask(FOLLOWED, {"position": answer["position"]})
    if sent.page.then.address is None:
        filled = FilledForm(key=new_key())
        return await _shown(sent.console, sent.page, sent.request, sent.visitor, filled, answer=answer)
    address = sent.page.then.address(answer, partial(sent.console.url, sent.request))
    if BY_MODULE in sent.request.headers:
        return Response(status_code=NO_CONTENT, headers={"Location": address})
    return RedirectResponse(address, SEE_OTHER)


async def _outdated(sent: SentForm, answer: Mapping[str, Any]) -> Response:
    """The form once more, with what was typed beside what is stored now. Sent again, it overwrites that."""
    with suppress(NoPage):  # if the read side is behind, the form is refused once more
        await sent.ask(FOLLOWED, {"position": answer["position"]})
    typed = {name: value for name, value in sent.typed.items() if name != EXPECTED}
    filled = FilledForm(typed, _errors_of(answer, typed), sent.key, is_outdated=True)
    response = await _shown(sent.console, sent.page, sent.request, sent.visitor, filled, status=UNPROCESSABLE)
    response.headers[REFUSED] = answer["code"]
    return response


async def _looked(sent: SentForm, look: Look) -> Response:
    """A preview of what would be stored: a part of the page if a script asks for it, or else the whole page."""
    looked: Mapping[str, Any] | None = None
    errors: Mapping[str, str] = {}
    try:
        document = document_in(sent.page.folder / look.document)
        if look.question is not None:
            answered = await sent.ask(document, look.question(sent.form, sent.request))
            [answer] = answered.values()
            errors = _errors_of(answer, sent.typed, "") if "message" in answer else {}
            looked = None if errors else answered
        elif look.variables is not None:
            looked = await sent.ask(document, look.variables(await sent.given(), sent.request))
    except FieldErrors as error:
        errors = error.errors
    seen, filled = {"looked": looked, "look_errors": errors}, FilledForm(sent.typed, errors, sent.key)
    if "hx-request" in sent.request.headers:
        template = template_of(sent.page.folder, look.template)
        return sent.console.rendered(sent.request, sent.visitor, template, 200, {"form": filled, **seen})
    return await _shown(sent.console, sent.page, sent.request, sent.visitor, filled, **seen)


def beside(path: Iterable[Any], controls: Iterable[str]) -> str:
    """The control that an error of the API belongs to: the one at its path, or else one within or around it."""
    at = ".".join(str(part) for part in path)
    found = [name for name in controls if name == at]
    within = [name for name in controls if name.startswith(f"{at}.")] if at else []
    around = [name for name in controls if at.startswith(f"{name}.")]
    return next(iter([*found, *within, *around]), at)


def _errors_of(answer: Mapping[str, Any], controls: Iterable[str], settings_at: str | None = None) -> Mapping[str, str]:
    """The messages of an error of the API by control: one for the error, or one for each of its faults.

    `settings_at`: where the names of controls for settings of the rules begin; None if there are none.
    """
    controls = list(controls)
    problems = {
        f"{settings_at}{_INDEX.sub(DOTTED, problem['key'])}": problem["reasonInWords"]
        for problem in answer.get("problems", ())
        if settings_at is not None
    }
    if problems and all(_has_neighbour(key, controls) for key in problems):
        return {beside(key.split("."), controls): _sentence(reason) for key, reason in problems.items()}
    if faults := answer.get("faults"):
        found: dict[str, list[str]] = {}
        for fault in faults:
            found.setdefault(beside(fault["field"] or (), controls), []).append(_sentence(fault["message"]))
        return {control: " ".join(said) for control, said in found.items()}
    return {beside(answer.get("field") or (), controls): _sentence(answer["message"])}


_INDEX = re.compile(r"\[(\d+)\]")
DOTTED = r".\1"


def _has_neighbour(key: str, controls: Iterable[str]) -> bool:
    """Whether a form has a control for a setting of a rulebook, or for one in the same table."""
    table = key.rpartition(".")[0]
    return table != "" and any(name.startswith(f"{table}.") for name in controls)


def _sentence(message: str) -> str:
    """A message of the API as a sentence. Messages that follow the name of a field begin with a small letter."""
    return message[:1].upper() + message[1:]


def _key_of(sent: FormData) -> str:
    """The idempotency key of a form that was sent; a new one if it is missing."""
    key = sent.get(KEY)
    return key if isinstance(key, str) and key else new_key()


async def _again(
    sent: SentForm,
    errors: Mapping[str, str],
    *,
    code: str,
    key: str | None = None,
    status: int = UNPROCESSABLE,
    suggested: Mapping[str, Sequence[Suggestion]] = MappingProxyType({}),
    looked: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Response:
    """The form once more, with what was typed and what is wrong with it.

    `looked`: the data of its preview; `more`: what else the template sees.
    """
    filled = FilledForm(sent.typed, errors, key or sent.key, suggested=suggested)
    seen = {"looked": looked, **more}
    response = await _shown(sent.console, sent.page, sent.request, sent.visitor, filled, status=status, **seen)
    response.headers[REFUSED] = "; ".join([code, *filter(CONTROL.fullmatch, errors)])
    return response


async def _shown(
    console: Console, page: FormPage, request: Request, visitor: Visitor, form: FilledForm, **more: Any
) -> Response:
    seen = {
        "looked": None,
        "look_errors": {},
        "answer": None,
        "reviewed": None,
        "draft": draft_of(page, request),
        **more,
    }
    return await console.shown(page, request, visitor, page.asked(request), form=form, **seen)


class FilterPage(Page, frozen=True, kw_only=True):
    """A page whose variables have a `filter`. Its document lists nothing unless `$asked`: a name may be unknown."""

    named: tuple[str, ...]
    """Parameters of the address in which people name a player. The filter gets the ids by the same names."""

    def with_players(self, variables: Mapping[str, Any], ids: Mapping[str, str]) -> Mapping[str, Any]:
        """The variables with the ids of the named players."""
        return {**variables, "filter": {**variables["filter"], **ids}}


async def answer_filter(console: Console, page: FilterPage, request: Request) -> Response:
    """The list that passes the filter, or the form with the reason why a text names no player."""

    async def filtered(visitor: Visitor) -> Response:
        variables = await console.variables_of(page, request, visitor)
        typed = with_picks(request.query_params, page.named)
        ask = partial(console.executor.ask, request, visitor)
        named = await players_named(ask, {name: str(typed.get(name, "")) for name in page.named})
        errors = named.errors
        variables = {**page.with_players(variables, named.ids), "asked": not errors}
        form = FilledForm(typed, errors, suggested=named.suggested)
        return await console.shown(
            page, request, visitor, variables, status=UNPROCESSABLE if errors else 200, form=form
        )

    async def make(visitor: Visitor) -> Response:
        check_rights(page, visitor)
        return await console.page_cache.answer(request, visitor, partial(filtered, visitor))

    return await console.answer(request, make)


@asynccontextmanager
async def uploaded(
    console: Console,
    request: Request,
    visitor: Visitor,
    operation: str,
    most_fields: int = MOST_FIELDS,
    longest_field: int = LONGEST_FIELD,
    *,
    own: bool = False,
) -> AsyncIterator[tuple[Context, UploadedForm]]:
    """The form of an upload, and the context of its sender. Raises NoPage for a sender without the right to send it.

    Such a sender is refused before any byte of the file is read. NoPage is also raised, inside the context too, if the
    file is too large or damaged, the decoders are busy, or the sender has left. The page of the refusal leads back to
    the form: to `back` in the address, or else to the address itself. It is not a field of the form, because a file
    that is too large is refused before any field is read.

    `own`: a permission for the sender's own player or matches is enough; the caller checks whose they are.
    """
    try:
        async with _uploaded(console, request, visitor, operation, most_fields, longest_field, own=own) as found:
            yield found
    except NoPage as error:
        error.form = own_path(request.query_params.get("back", request.url.path))
        raise


@asynccontextmanager
async def _uploaded(
    console: Console,
    request: Request,
    visitor: Visitor,
    operation: str,
    most_fields: int,
    longest_field: int,
    *,
    own: bool,
) -> AsyncIterator[tuple[Context, UploadedForm]]:
    check_origin(request, console.public_url)
    if not visitor.is_signed_in:
        raise NoPage(401, say("You are no longer signed in. Sign in on another page, then send this again."))
    if not (visitor.may_own(operation) if own else visitor.may(operation)):
        raise NoPage(403, say("Your role does not allow this."))
    context = console.executor.context(request, visitor)
    if context.client is not None:
        context.rate_limits.spend(context.client, POINTS)
    try:
        async with received(
            request, context.decoders, context.viewer.sub, UPLOADS[request.url.path], most_fields, longest_field
        ) as upload:
            yield context, upload
    except DecodersBusy as busy:
        raise NoPage(503, spoken(busy.args[0]), retry_after=RETRY_AFTER) from None
    except FileTooLarge as error:
        megabytes = error.most // (1024 * 1024)
        raise NoPage(
            413, say_count("A file has at most {count} MB.", "A file has at most {count} MB.", megabytes)
        ) from None
    except InvalidInput as refused:
        raise NoPage(422, refused.said(spoken)) from None
    except (MultiPartException, ClientDisconnect, ClientLeft):
        raise NoPage(400, say("The file has not arrived whole. Send it again.")) from None
