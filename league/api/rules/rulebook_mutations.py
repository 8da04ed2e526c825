"""Publishing editions of the rules, and adopting them."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, carry_out, mutation
from league.api.graphql.shaping.rules_success import RulesSuccess
from league.api.graphql.shaping.user_errors import (
    AlreadyExistsError,
    InvalidRulebookError,
)
from league.domain.refusals import NotFound
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.domain.rulebook_document import content_hash, parse_rulebook


@strawberry.input(description="An edition to publish under the next number.")
class PublishEditionInput(MutationInput):
    document: str = field(description="The edition as TOML; it may contain only what it changes.")
    base_edition: int | None = field(
        default=None, description="The number of the edition that it changes; null: the one in force now."
    )


@strawberry.input(description="An edition to adopt for matches that began within a span.")
class AdoptEditionInput(MutationInput):
    edition: int = field(description="The number of a published edition.")
    start: datetime | None = field(default=None, name="from", description="From here on; null: from the beginning.")
    end: datetime | None = field(default=None, name="to", description="Until here, exclusive; null: without end.")


@strawberry.type
class RulebookMutations:
    @mutation(
        "Publish an edition under the next number. Role: admin.",
        of=RulesSuccess,
        refusals=(InvalidRulebookError, AlreadyExistsError, *USUAL),
        result="The result of publishing an edition.",
    )
    async def publish_edition(self, info: Info, given: PublishEditionInput) -> Answer:
        hashes: list[str] = []

        def command() -> PublishEdition:
            states, number = info.context.states(), given.base_edition
            rules = states.rulebook()
            if number is not None and not 1 <= number <= len(rules.editions):
                raise NotFound("base_edition", "edition", str(number))
            base = rules.at(states.now) if number is None else rules.edition(number)
            rulebook = parse_rulebook(given.document, base)
            hashes.append(content_hash(rulebook))
            return PublishEdition(rulebook)

        position = await carry_out(info, given, command)
        return {"position": position, "edition_hash": hashes[-1]}

    @mutation(
        "Adopt an edition for a span of play time. Role: admin.",
        of=RulesSuccess,
        refusals=USUAL,
        result="The result of adopting an edition.",
    )
    async def adopt_edition(self, info: Info, given: AdoptEditionInput) -> Answer:
        position = await carry_out(
            info,
            given,
            lambda: AdoptEdition(given.edition, given.start, given.end),
            paths={"start": "from", "end": "to", "rulesets.*": "edition"},
        )
        return {"position": position}
