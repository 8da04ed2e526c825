"""Shared by all mutations: one `input` with an idempotency key, and on success the position of the change."""

import hashlib
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Union

import msgspec
import strawberry
from strawberry import field
from strawberry.types.base import has_object_definition

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument, optional
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.object_fields import ReplayRef, TimelineSpanRef, field_of
from league.api.graphql.shaping.shared_fields import edition_field
from league.api.graphql.shaping.user_errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    UserError,
    WrongStateError,
    graphql_name,
)
from league.application.dispatch import InputPath
from league.domain.collected_refusals import Faults, InvalidRulebook
from league.domain.deciders import Command
from league.domain.refusals import Forbidden, InvalidInput, Refusal
from league.domain.sentences import say
from league.eventlog.recorder import StoreUnavailable
from league.projections.queries.catalogue import ReplayRow
from league.projections.runs import HashSpan

INPUT = argument("The input of the mutation.", name="input")

NEW_ID = "The id in the league: 1 to 64 characters, no spaces, no `:` and no `+`. Null: made up."

LONGEST_KEY = 200

_IDS = uuid.UUID("6f1f4b1e-6f0c-5c4f-9a52-5f0d3b7a1c11")
"""The namespace of ids that are derived from idempotency keys."""


@strawberry.input(description="The fields that the input of every mutation has.")
class MutationInput:
    idempotency_key: str | None = optional(
        "Made up by the client, new for each thing it wants done, at most 200 characters. A key that "
        "comes again with its input gets the first answer again and stores nothing; keys are per `sub` of the token."
    )


@strawberry.input(description="The fields of the input of a mutation that overwrites what is stored.")
class OverwritingInput(MutationInput):
    expected_position: BigInt | None = optional(
        "The position of the log up to which you know what this overwrites: its own `position`, or that of "
        "any later answer, such as `league { position }`. If somebody has changed it after that, nothing is stored, "
        "and the error is a `ChangedSinceError`. Null: it is overwritten without this check."
    )


@strawberry.interface(description="The success of a mutation whose change is an event of the log.")
class Success:
    position: BigInt = field(
        description="The log position of the change. A repeated request, which changes nothing, may get a later one. "
        "Give it to a query, as `@readFrom(afterPosition:)`, to read your own write."
    )


@strawberry.interface(
    description="The success of a mutation whose effect is not an event that a client could read by its position."
)
class Done:
    at: datetime = field(description="When it was done.")


@strawberry.type(description="A mutation that published or adopted rules.")
class RulesSuccess(Success):
    edition_hash: strawberry.Private[str | None] = None
    replay_number: strawberry.Private[int | None] = None

    @field_of(
        list[TimelineSpanRef] | None,
        "The timeline in force; null with an error when the read side does not follow in time.",
    )
    async def timeline(self, info: Info) -> list[HashSpan]:
        return await loaders.runs.timeline(info)

    edition = edition_field("The edition that was published; null where none was.", null=True)

    @field_of(ReplayRef | None, "The replay that was promoted; null where none was.")
    async def replay(self, info: Info) -> ReplayRow | None:
        return None if self.replay_number is None else await loaders.runs.replay(info, self.replay_number)


Answer = Mapping[str, Any]
"""The fields of a success, by name."""
UsualErrors = tuple[type[UserError], ...]
USUAL_OF_NEW: UsualErrors = (WrongStateError, KeyReusedError, ConflictError)
"""Errors of a mutation whose input names nothing that could be missing, besides those that every mutation has."""
USUAL: UsualErrors = (NotFoundError, *USUAL_OF_NEW)
"""Errors of nearly every mutation, besides those that every mutation has."""


_UNION: Any = Union  # of types that the type checker cannot know


def mutation(
    description: str,
    *,
    result: str,
    of: type[Any],
    refusals: tuple[type[UserError], ...] = (),
) -> Callable[[Callable[..., Awaitable[Answer]]], Any]:
    """A mutation `doThis`, from a function `do_this` that takes the input `DoThisInput` and returns an answer.

    Its payload `DoThisPayload`, described by `result`, is a success, or one of the refusals, or an error that every
    mutation may have. `of` is the success: all mutations of one subject share it.
    """

    def declare(do: Callable[..., Awaitable[Answer]]) -> Any:
        name = "".join(word.title() for word in do.__name__.split("_"))
        errors = dict.fromkeys((InvalidInputError, ForbiddenError, *refusals))
        payload: Any = Annotated[_UNION[of, *errors], strawberry.union(f"{name}Payload", description=result)]
        kind = do.__annotations__["given"]

        async def resolve(self: Any, info: Info, given: Annotated[kind, INPUT]) -> Any:  # type: ignore[valid-type]
            return of(**await do(self, info, given))

        resolve.__name__ = do.__name__
        return strawberry.mutation(resolver=resolve, description=description, graphql_type=payload)

    return declare


async def carry_out(
    info: Info,
    given: MutationInput,
    make: Callable[[], Command | list[Command]],
    *,
    owners: Callable[[], list[str]] | None = None,
    owned: str | None = None,
    match: str | None = None,
    paths: Mapping[str, str | None] | None = None,
    place: InputPath | None = None,
) -> BigInt:
    """Execute the command, or the list, that `make` builds from the input of a mutation, and return its position.

    `owners`: the players whose own data it concerns; `owned`: the input field that says so; `match`: the match that it
    changes; `paths`: the input path of a domain field, by its first part, or None for one that is not in the input;
    `place`: the input path of a field of a command of the list. Raises Refusal, which the union turns into data.
    """
    check(given)
    expected = given.expected_position if isinstance(given, OverwritingInput) else None
    try:
        position = await info.context.send(info.field_name, make, given.idempotency_key, owners, match, expected, place)
        return BigInt(position)
    except Refusal as refusal:
        if isinstance(refusal, Forbidden) and refusal.of_others:
            refusal.at = refusal.at or owned
        raise with_input_path(refusal, paths or {}) from None
    except StoreUnavailable as error:
        error.stored = error.stored or "no"  # a read that came before the append
        raise


def check(given: MutationInput) -> None:
    """Raise InvalidInput for an invalid idempotency key or a text that cannot be stored, Faults for several."""
    texts = (partial(check_text, graphql_name(name), value) for name, value in vars(given).items())
    Faults.check(Faults.found_by(*texts, partial(check_key, given.idempotency_key)))


def check_key(key: str | None) -> None:
    """Raise InvalidInput for an invalid idempotency key."""
    if key is not None and not (1 <= len(key) <= LONGEST_KEY and not key.startswith("~")):
        raise InvalidInput(
            "idempotencyKey",
            say("a key has 1 to {longest_key} characters and does not start with '~'", longest_key=LONGEST_KEY),
        )


def hash_of(operation: str, given: MutationInput) -> str:
    """A hash of the input of a request that is not a command; identifies repetitions."""
    asked = {name: value for name, value in vars(given).items() if name != "idempotency_key"}
    return hashlib.sha256(msgspec.json.encode((operation, asked), order="deterministic")).hexdigest()


def new_id(info: Info, given: MutationInput) -> str:
    """A new id if the caller gave none; the same idempotency key always gives the same id."""
    return new_id_of(info.context.viewer.sub, given.idempotency_key)


def new_id_of(sub: str | None, key: str | None) -> str:
    """A new id; the same idempotency key of the same actor always gives the same one."""
    if key is None:
        return str(uuid.uuid4())
    # The key may still turn out to be invalid and be refused.
    named = f"{sub}\n{key}".encode(errors="replace").decode()
    return str(uuid.uuid5(_IDS, named))


def check_text(at: str, value: object) -> None:
    """Raise InvalidInput for text that cannot be stored; `at`: its path in the input."""
    if isinstance(value, list):
        for number, one in enumerate(value):
            check_text(f"{at}.{number}", one)
    elif has_object_definition(value):
        for name, one in vars(value).items():
            check_text(f"{at}.{graphql_name(name)}", one)
    elif isinstance(value, str) and ("\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value)):
        raise InvalidInput(at, say("the text has a character that cannot be stored"))


def with_input_path(refusal: Refusal, paths: Mapping[str, str | None]) -> Refusal:
    """The refusal with its field as a path of the input. The refusals that it consists of are converted, too.

    `paths` maps a field of the domain, or the beginning of its path, to the path in the input; None: the input does not
    have it. A key that ends with `.*` covers everything below: its parts have no path of their own.
    """
    if isinstance(refusal, Faults):
        for one in refusal.refusals:
            with_input_path(one, paths)
    if isinstance(refusal, InvalidRulebook):
        refusal.given_as = paths.get(refusal.given_as) or refusal.given_as
    at = getattr(refusal, "at", None)
    if isinstance(at, str) and at != "idempotencyKey":
        refusal.at = _input_path(at, paths)  # type: ignore[attr-defined]  # it has one, as read above
    return refusal


def _input_path(at: str, paths: Mapping[str, str | None]) -> str | None:
    # A seat's leftover is a list of tiles in the domain, and an object with such a list in the API.
    parts = re.sub(r"^leftover\.(\d+)\.(\d+)$", r"leftover.\1.tiles.\2", at).split(".")
    for length in range(len(parts), 0, -1):
        begin, rest = ".".join(parts[:length]), parts[length:]
        if rest and f"{begin}.*" in paths:
            begin, rest = f"{begin}.*", []
        if begin in paths:
            path = paths[begin]
            parts = [] if path is None else [*path.split("."), *rest]
            break
    return ".".join(map(graphql_name, parts)) or None
