"""A form: a page that sends a mutation. What the schema says of the mutation is not said again.

The document of the mutation follows from its name and from what the answer is asked for. The name of a control is the
path of its value in the mutation's `input`: `name`, `hand.seat`, `players.0`. So an error of the API finds its control
by itself.
"""

import hashlib
import uuid
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
"""The name of the button that asks what would be stored, and stores nothing."""


class FilledForm(Struct, frozen=True):
    """A form as its template sees it."""

    typed: Mapping[str, Any] = field(default_factory=dict)
    """What was typed, by the name of the control; empty at first."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """By the name of the control, why it was refused. Under "": what belongs to no single control."""
    key: str = ""
    """The idempotency key."""
    is_outdated: bool = False
    """Whether somebody has changed what the form overwrites. The page then says what is stored now."""
    suggested: Mapping[str, Sequence[Suggestion]] = field(default_factory=dict)
    """By the name of a control, the players whom its text may mean."""

    def value(self, name: str, suggested: Any = "") -> Any:
        """The content of a control: what was typed, else a suggestion."""
        return self.typed.get(name, suggested)

    def errors_beside(self, names: Iterable[str]) -> Mapping[str, str]:
        """Those errors whose controls are none of `names`: they are said above the form."""
        return {name: error for name, error in self.errors.items() if name not in set(names)}


class Look(Struct, frozen=True):
    """What a form shows of what was typed before it is stored, such as the points of a hand."""

    document: str
    """The file of a query."""
    variables: Callable[[Mapping[str, Any], Request], Mapping[str, Any]]
    """Of the query, made from the `input` of the mutation."""
    template: str
    """The file of a part of the page. It gets the query's data as `looked`, and why there is none as `look_errors`."""


class NextPage(Struct, frozen=True):
    """Where a form leads after it was stored."""

    asks: str
    """What the mutation's answer is asked for, besides the position."""
    address: Callable[[Mapping[str, Any], Callable[..., str]], str] | None
    """The address to go to, made from the answer and `url`. None: the page itself shows the answer, as `answer`."""


def to(page: str, query: str = "", /, **parameters: str) -> NextPage:
    """To a page. `parameters`: by parameter of its address, the path of its value in the answer: `edition.number`."""
    paths = {name: path.split(".") for name, path in parameters.items()}
    asks = " ".join(" { ".join(path) + " }" * (len(path) - 1) for path in paths.values())

    def address(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
        return url(page, **{name: _at(answer, path) for name, path in paths.items()}) + query

    return NextPage(asks, address)


def _at(answer: Any, path: Sequence[str]) -> Any:
    return _at(answer[path[0]], path[1:]) if path else answer


STORED = "?stored=1"
"""After the address of a page that says so when something was stored."""


class FormPage(Page, frozen=True, kw_only=True):
    """A page with a form."""

    mutation: str
    """The field of the schema, such as `endMatch`. It is also the permission that the page requires."""
    name: str = ""
    """As of every page; left out, it is that of the mutation: `end_match`."""
    folder: Path = CONSOLE
    then: NextPage
    controls: tuple[Control, ...] = ()
    """The controls that follow from the types of the input. The macro `controls` shows them."""
    address: Mapping[str, str] = field(default_factory=dict)
    """By field of the input, the parameter of the address that gives it: `{"match": "id"}`."""
    input: Callable[[FormData, Request], Mapping[str, Any]] | None = None
    """Reads what was typed as `input`, without the key; left out, controls and address say it. Raises FieldErrors."""
    named: tuple[str, ...] = ()
    """Further controls in which people name a player. `input` gets the ids of the players."""
    is_for_all: bool = False
    """Whether everybody sees the page. The form is then refused to those who may not send it, or not shown to them."""
    overwrites: bool = False
    """Whether it overwrites something: it then sends the position up to which its page knows that."""
    look: Look | None = None
    """What the button named `look` shows."""
    filled_by: tuple[str, ...] = ()
    """Parameters of the address that fill controls. A draft is restored only where these are as they were."""

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
        """The controls in which people name a player."""
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
"""How the names of mutations begin that take something away or cannot be taken back."""


class PageLink(Struct, frozen=True):
    """A link beside a form to another page."""

    page: str
    label: Sentence
    parameters: tuple[str, ...] = ()
    """Parameters of the form's address that the other page has, too."""

    def address(self, request: Request, url: Callable[..., str]) -> str:
        """The address of the other page."""
        return url(self.page, **{name: request.path_params[name] for name in self.parameters})


class PlainForm(FormPage, frozen=True, kw_only=True):
    """A form that needs no template: a heading, what it is about, controls and a button."""

    template: str = "form.html"
    """Of all plain forms."""
    heading: Sentence
    button: Sentence | None = None
    """None: as the heading."""
    words: Sentence | None = None
    """What sending it does."""
    parts: str | None = None
    """A template with macros; the next three name one each."""
    about: str | None = None
    """Between the heading and the words: the match or the member that it is about."""
    shows: str | None = None
    """After the words: what it would change."""
    inside: str | None = None
    """In the form, above its controls."""
    hint: Sentence | None = None
    """Below the controls."""
    values: Callable[[Data], Mapping[str, Any]] | None = None
    """For the places in the heading, the words and the button."""
    nothing: Callable[[Data], Sentence | None] | None = None
    """What is said in place of the form where there is nothing to do; None where there is."""
    stored: Callable[[Data], Sequence[str]] | None = None
    """Of a form that overwrites something: what is stored now."""
    way: PageLink | None = None
    """Above the heading."""
    back: PageLink | None = None
    """Beside the button."""
    is_danger: bool = False
    """Whether the button warns."""
    is_live: bool = False
    """Whether the page follows the league while nobody has typed anything."""
    is_unsent: bool = False
    """Whether a device keeps it until there is a connection (`static/offline/`). It is about a match."""
    styles: tuple[str, ...] = ()

    @property
    def template_name(self) -> str:
        """The one for all plain forms."""
        return self.template

    @property
    def keeps_no_draft(self) -> bool:
        """Whether no draft fills it in, since it destroys something."""
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
    """The end of the name of a form's draft: a hash of the parameters of the address that fill controls, if any."""
    given = [(name, request.query_params.getlist(name)) for name in page.filled_by if name in request.query_params]
    return f":{hashlib.sha256(repr(given).encode()).hexdigest()[:16]}" if given else ""


def new_key() -> str:
    """A new idempotency key."""
    return uuid.uuid4().hex
