"""A form: a page that sends a mutation. What the schema says about the mutation is not repeated here.

The document of the mutation follows from its name and from the fields that are asked of the answer. The name of a
control is the path of its value in the mutation's `input`: `name`, `hand.seat`, `players.0`. So an error of the API
finds its control by itself.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import force_setattr
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import Visitor
from league.console.controls import Control, Data, kind_of, read_input, shown_controls
from league.console.mutations import document_of
from league.console.named_players import Suggestion
from league.console.pages import Page
from league.console.templates import CONSOLE
from league.domain.sentences import Sentence

SEE_OTHER = 303
NO_CONTENT = 204
UNPROCESSABLE = 422
LOOK = "look"
"""The name of the button that shows what would be stored, and stores nothing."""


class FilledForm(Struct, frozen=True):
    """A form as its template sees it."""

    typed: Mapping[str, Any] = field(default_factory=dict)
    """What was typed, by the name of the control; empty at first."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Why it was refused, by the name of the control. Under "": what belongs to no single control."""
    key: str = ""
    """The idempotency key."""
    is_outdated: bool = False
    """Whether somebody has changed what the form overwrites. The page then says what is stored now."""
    suggested: Mapping[str, Sequence[Suggestion]] = field(default_factory=dict)
    """The players whom the text of a control may mean, by its name."""

    def value(self, name: str, suggested: Any = "") -> Any:
        """The content of a control: what was typed, or else a suggestion."""
        return self.typed.get(name, suggested)

    def errors_beside(self, names: Iterable[str]) -> Mapping[str, str]:
        """The errors of controls that are not among `names`. They are shown above the form."""
        return {name: error for name, error in self.errors.items() if name not in set(names)}


class Look(Struct, frozen=True):
    """A preview of what was typed, before it is stored: for example the points of a hand."""

    document: str
    """The file of a query."""
    template: str
    """The file of a part of the page. It gets the query's data as `looked`, or what prevents it as `look_errors`."""
    variables: Callable[[Mapping[str, Any], Request], Mapping[str, Any]] | None = None
    """The variables of the query, made from the `input` of the mutation."""
    question: Callable[[FormData, Request], Mapping[str, Any]] | None = None
    """Makes the variables from the form instead. Raises FieldErrors.

    The query then answers as a mutation does: with one field, whose errors stand beside the controls.
    """


class Question(Struct, frozen=True):
    """A question that comes up only for some content of a form: the form is stored once it is answered."""

    name: str
    """The control with the answer. Sent without it, the form comes back with the preview and the question."""
    words: Sentence
    """What to answer."""
    is_asked: Callable[[Mapping[str, Any]], bool]
    """Whether the question comes up, by the data of the form's preview."""


class NextPage(Struct, frozen=True):
    """The page to which a form leads after it was stored."""

    asks: str
    """The fields that are asked of the mutation's success, besides the position."""
    address: Callable[[Mapping[str, Any], Callable[..., str]], str] | None
    """Makes the address to go to from the answer and `url`. If None, the page itself shows the answer, as `answer`."""


def to(page: str, query: str = "", /, **parameters: str) -> NextPage:
    """To a page. `parameters`: the path in the answer, such as `edition.number`, for each parameter of its address."""
    paths = {name: path.split(".") for name, path in parameters.items()}
    asks = " ".join(" { ".join(path) + " }" * (len(path) - 1) for path in paths.values())

    def address(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
        return url(page, **{name: _at(answer, path) for name, path in paths.items()}) + query

    return NextPage(asks, address)


def _at(answer: Any, path: Sequence[str]) -> Any:
    return _at(answer[path[0]], path[1:]) if path else answer


STORED = "?stored=1"
"""The end of the address of a page that then says that something was stored."""


class Questions(Struct, frozen=True):
    """Questions that a form asks once somebody has sent it.

    They depend on what was typed. If that has changed since they were asked, they are asked anew, and the earlier
    answers are dropped. If the league has changed, the mutation itself must refuse.
    """

    variables: Callable[[FormData, Request], Mapping[str, Any]]
    """The variables of the query. Raises FieldErrors."""
    shown: Callable[[Any, FormData], Any]
    """Makes the questions, which the template gets as `reviewed`, from the answer of the query."""
    unanswered: Callable[[FormData], Mapping[str, Sentence]]
    """What was asked and is not answered, by the name of the control."""
    prefix: str
    """The beginning of the names of the controls with the answers."""


class Review(Struct, frozen=True):
    """What somebody must have seen before a form is stored.

    Sent for the first time, the form comes back with the answer as `reviewed`, and with its hash as `review_hash`. A
    hidden control named `reviewed` sends the hash: if nothing has changed since then, the form is stored.
    """

    document: str
    """The file of a query. Its only field gets the `input` of the mutation, and answers as a mutation does."""
    questions: "Questions | None" = None
    """Set if it asks questions instead, each with controls of its own."""


REVIEWED = "reviewed"
"""The name of the hidden control with the hash of what was reviewed."""


class FormPage(Page, frozen=True, kw_only=True):
    """A page with a form."""

    mutation: str
    """The field of the schema, such as `endMatch`. It is also the permission that the page requires."""
    name: str = ""
    """The name of the page. If left out, it follows from the mutation: `end_match`."""
    folder: Path = CONSOLE
    then: NextPage
    controls: tuple[Control, ...] = ()
    """The controls that are shown and read by the types of the input. The macro `controls` shows them."""
    address: Mapping[str, str] = field(default_factory=dict)
    """The parameter of the address for each field of the input that the address gives: `{"match": "id"}`."""
    input: Callable[[FormData, Request], Mapping[str, Any]] | None = None
    """Makes the `input`, without the key. If left out, `controls` and `address` do. Raises FieldErrors."""
    named: tuple[str, ...] = ()
    """Further controls in which people name a player. `input` gets the ids of the players."""
    is_for_all: bool = False
    """Whether everybody sees the page. Who may not send the form then does not see it, or is refused."""
    overwrites: bool = False
    """Whether it overwrites something. It then sends the log position of the page, so newer changes are noticed."""
    look: Look | None = None
    """What the button named `look` shows: a preview."""
    question: Question | None = None
    """A question that its preview may raise."""
    review: Review | None = None
    """What must have been seen before it is stored."""
    settings_at: Callable[[Mapping[str, str]], str | None] | None = None
    """Where the names of its controls for settings of the rules begin, by what was typed, such as `rulesets.chiva-4.`.

    None if the form does not show them. If left out, they have the keys of an edition.
    """
    filled_by: tuple[str, ...] = ()
    """Parameters of the address that fill controls. A draft is restored only if they are the same as before."""

    def __post_init__(self) -> None:
        """Name the page and its permission after the mutation."""
        if not self.name:
            force_setattr(self, "name", "".join(f"_{one.lower()}" if one.isupper() else one for one in self.mutation))
        if self.requires is None and not self.is_for_all:
            force_setattr(self, "requires", self.mutation)
        super().__post_init__()

    @property
    def sends(self) -> str:
        """The document of the mutation. Raises NotInSchema."""
        return document_of(self.mutation, self.then.asks)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all controls in which people name a player."""
        return (*self.named, *(one.name for one in self.controls if kind_of(self.mutation, one) == "player"))

    def read(self, form: FormData, request: Request) -> Mapping[str, Any]:
        """The `input` of the mutation, without the key. Raises FieldErrors, NoPage."""
        if self.input is not None:
            return self.input(form, request)
        return read_input(self.mutation, self.controls, self.address, form, request)

    def more(self, data: dict[str, Any], request: Request, visitor: Visitor) -> dict[str, Any]:
        """The data, with more values for the template."""
        data = super().more(data, request, visitor)
        controls = shown_controls(self.mutation, self.controls, data, visitor)
        return {**data, "controls": controls, "shown_names": [one.name for one in controls if one.kind != "hidden"]}


DESTROYS = (
    "cancel", "close", "decline", "drop", "end", "erase", "forfeit", "merge", "promote", "reject", "remove", "reopen",
    "revoke", "rollBack", "undo", "void", "withdraw",
)  # fmt: skip
"""The beginnings of the names of mutations that remove something or cannot be undone."""


class PageLink(Struct, frozen=True):
    """A link beside a form to another page."""

    page: str
    label: Sentence
    parameters: tuple[str, ...] = ()
    """Parameters of the form's address that the address of the other page has, too."""

    def address(self, request: Request, url: Callable[..., str]) -> str:
        """The address of the other page."""
        return url(self.page, **{name: request.path_params[name] for name in self.parameters})


class PlainForm(FormPage, frozen=True, kw_only=True):
    """A form that needs no template: a heading, what it is about, controls and a button."""

    template: str = "form.html"
    """The template of all plain forms."""
    heading: Sentence
    button: Sentence | None = None
    """The label of the button; None for the heading."""
    words: Sentence | None = None
    """What sending it does."""
    parts: str | None = None
    """A template with macros. The next three fields each name one of them."""
    about: str | None = None
    """The macro between heading and words: it shows the match or the member that the form is about."""
    shows: str | None = None
    """The macro after the words: it shows what the form would change."""
    inside: str | None = None
    """The macro in the form, above its controls."""
    hint: Sentence | None = None
    """A hint below the controls."""
    values: Callable[[Data], Mapping[str, Any]] | None = None
    """Values for the braces in the heading, the words and the button."""
    nothing: Callable[[Data], Sentence | None] | None = None
    """The sentence in place of the form if there is nothing to do; None if there is."""
    stored: Callable[[Data], Sequence[str]] | None = None
    """What is stored now, if the form overwrites something."""
    way: PageLink | None = None
    """The link above the heading."""
    back: PageLink | None = None
    """The link beside the button."""
    is_danger: bool = False
    """Whether the button warns."""
    is_live: bool = False
    """Whether the page refreshes when the league changes, while nobody has typed anything."""
    is_unsent: bool = False
    """Whether a device may queue it until there is a connection (`static/offline/`). It is about a match."""
    styles: tuple[str, ...] = ()

    @property
    def template_name(self) -> str:
        """The name of the template, which is not in the form's folder."""
        return self.template

    @property
    def keeps_no_draft(self) -> bool:
        """Whether it has no draft, because it destroys something."""
        return self.is_danger or self.mutation.startswith(DESTROYS)

    def more(self, data: dict[str, Any], request: Request, visitor: Visitor) -> dict[str, Any]:
        """The data, with what `form.html` shows."""
        data = super().more(data, request, visitor)
        return {
            **data,
            "page": self,
            "draft_name": ":".join(map(str, (self.name, *request.path_params.values()))),
            "said": {} if self.values is None else self.values(data),
            "nothing": None if self.nothing is None else self.nothing(data),
            "stored": () if self.stored is None else self.stored(data),
            "expected": data[self.needs]["position"] if self.overwrites and self.needs else None,
        }


def draft_of(page: FormPage, request: Request) -> str:
    """The end of the name of a form's draft: a hash of the parameters that fill controls; empty if there are none."""
    given = [(name, request.query_params.getlist(name)) for name in page.filled_by if name in request.query_params]
    return f":{hashlib.sha256(repr(given).encode()).hexdigest()[:16]}" if given else ""
