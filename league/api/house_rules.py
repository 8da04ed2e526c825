"""House rules: the mutation that makes and adopts them, and what it would do."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import argument, optional
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.mutations import (
    USUAL,
    Answer,
    MutationInput,
    RulesSuccess,
    carry_out,
    mutation,
    with_input_path,
)
from league.api.graphql.shaping.user_errors import (
    AlreadyExistsError,
    InvalidInputError,
    InvalidRulebookError,
    NotFoundError,
    WrongStateError,
)
from league.api.graphql.threads import in_thread
from league.api.rules import RuleDifference
from league.domain.house_rules import AdoptHouseRules, adopt_house_rules, house_name, house_rules
from league.domain.refusals import AlreadyExists, Refusal
from league.domain.rulebook import EditionAdopted, EditionPublished, RulebookState
from league.domain.sentences import say
from league.domain.timeline import edition_at
from league.wording.house_rules import called, ruleset_changes

PATHS = {"start": "from", "base": "ruleset", "document": "settings", "edition": "seenEdition"}
"""Maps the fields that a refusal names to those of the input."""


@strawberry.input(description="House rules: a ruleset that a club makes from another one.")
class AdoptHouseRulesInput(MutationInput):
    ruleset: str = field(description="The ruleset to start from, of the edition that holds at `from`.")
    title: str = field(
        description="What the club calls it, at most 50 characters. Its name is made of it: `house-el-patio`. No other "
        "ruleset has this title, in any language."
    )
    settings: str | None = optional("What it changes, as TOML: `target = 100`. Null: nothing.")
    seen_edition: int | None = optional(
        "The number of the edition beside whose ruleset somebody read the settings: those that are as there are no "
        "change. So a form may send all of them, and does not undo what `from` changes. Null: all are changes."
    )
    start: datetime = field(description="It can be played in matches that begin at or after this time.", name="from")


@strawberry.type(description="What house rules would change, before they are adopted.")
class HouseRulesPreview:
    name: str = field(description="The name that the ruleset would have, such as `house-el-patio`.")
    title: str = field(description="What the club calls it.")
    base_title: str = field(description="The title of the ruleset that it is made from.")
    start: datetime = field(description="It can be played in matches that begin at or after this time.", name="from")
    edition: int = field(description="The number of the edition that holds then, without it.")
    publishes: list[int] = field(
        description="The numbers of the editions that would be published: each one that holds from then on once more, "
        "with the ruleset. The first holds at `from`."
    )
    differences: list[RuleDifference] = field(description="The settings that it has otherwise than its base.")


PreviewHouseRulesPayload = Annotated[
    HouseRulesPreview | InvalidInputError | InvalidRulebookError | NotFoundError | AlreadyExistsError | WrongStateError,
    strawberry.union("PreviewHouseRulesPayload", description="What house rules would change, or why they are refused."),
]


@strawberry.type
class HouseRulesQueries:
    @field(
        description="What `adoptHouseRules` would do with this input. Nothing is stored. Role: admin; "
        + REFUSED_TO_OTHERS
    )
    async def preview_house_rules(
        self,
        info: Info,
        given: Annotated[AdoptHouseRulesInput, argument("The input of the mutation.", name="input")],
    ) -> PreviewHouseRulesPayload:
        check_may_read(info.context.viewer, "adoptHouseRules")
        try:
            return await in_thread(_preview, info, given)
        except Refusal as refusal:
            raise with_input_path(refusal, PATHS) from None


@strawberry.type
class HouseRulesMutations:
    @mutation(
        "Make house rules of a ruleset: publish the editions that hold from a time on with it added, and adopt "
        "them. All other rules stay as they are. `edition` of the success is the one that holds at that time. "
        "`previewHouseRules` says what it would change. Role: admin.",
        of=RulesSuccess,
        refusals=(InvalidRulebookError, AlreadyExistsError, *USUAL),
        result="The result of making house rules.",
    )
    async def adopt_house_rules(self, info: Info, given: AdoptHouseRulesInput) -> Answer:
        def command() -> AdoptHouseRules:
            return _command(given, info.context.states().rulebook())

        def adopted_at(position: int) -> str:
            # The rules may have changed since this request was stored, so its event says which edition it adopted.
            (stored,) = info.context.league.store.read_after(position - 1, 1)
            assert isinstance(stored.event, EditionAdopted)
            number = edition_at(stored.event.timeline, given.start)
            return info.context.states().rulebook().editions[number - 1].hash

        position = await carry_out(info, given, command, paths=PATHS)
        return {"position": position, "edition_hash": await in_thread(adopted_at, position)}


def _preview(info: Info, given: AdoptHouseRulesInput) -> HouseRulesPreview:
    """Blocks; raises Refusal."""
    rules = info.context.states().rulebook()
    command = _command(given, rules)
    made = house_rules(command, rules)
    published = [event for event in adopt_house_rules(command, rules) if isinstance(event, EditionPublished)]
    return HouseRulesPreview(
        name=made.name,
        title=made.ruleset.title,
        base_title=say(made.base.title),
        start=given.start,
        edition=made.extended.edition,
        publishes=[event.edition for event in published],
        differences=[RuleDifference.of(change) for change in ruleset_changes(made.name, made.base, made.ruleset)],
    )


def _command(given: AdoptHouseRulesInput, rules: RulebookState) -> AdoptHouseRules:
    """The command. Raises InvalidInput, and AlreadyExists if another ruleset has the title in some language."""
    name = house_name(given.title)
    for published in rules.editions:
        other = called(given.title, published.document.rulesets, but=name)
        if other is not None:
            raise AlreadyExists("title", "ruleset", other, say("choose another name"))
    return AdoptHouseRules(given.ruleset, given.title, given.settings or "", given.start, given.seen_edition)
