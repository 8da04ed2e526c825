"""A recorded hand under rules that are not adopted: what it would give, beside what it gives."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import argument, optional
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.mutations import with_input_path
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.shared_fields import match_field
from league.api.graphql.shaping.user_errors import (
    InvalidInputError,
    InvalidRulebookError,
    NotFoundError,
    WrongStateError,
)
from league.api.graphql.threads import in_thread
from league.api.matches.scoring import ScoredHand
from league.application import replay_requests
from league.application.stream_states import StreamStates
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.result import ScoredInPlace
from league.domain.rulebook import parse_rulebook
from league.domain.rules import Mode, Rulebook, Ruleset
from league.domain.sentences import say
from league.domain.tried_hand import try_on_hand
from league.wording.what_if_hand import tried_in_words


@strawberry.input(description="A recorded hand, and the rules to try on it.")
class WhatIfHandInput:
    match: strawberry.ID = field(description="The match: global id, or the id in the league.")
    hand: int = field(description="The number of the hand, from 1.")
    settings: str = field(
        description="The settings that change in the rules of `baseEdition` or `baseReplay`, or without them in the "
        "edition in force, as TOML. They may make a new ruleset, such as one named `house-…`."
    )
    base_edition: int | None = optional("The number of the edition that they change; null: the one in force now.")
    base_replay: int | None = optional("Instead of an edition, the number of the replay whose rules they change.")
    ruleset: str | None = optional("The ruleset to try, by its name; null: that of the match.")


@strawberry.type(description="A recorded hand under rules that are not adopted.")
class WhatIfHand:
    match_id: strawberry.Private[str]
    now: ScoredHand = field(description="What the hand gives under the rules of its match; nothing after its end.")
    tried: ScoredHand = field(
        description="What it would give under the tried rules, after the earlier hands of its match under them."
    )
    next_starter: int | None = field(
        description="The seat that would start the next hand; null where the facts do not tell."
    )
    is_after_end: bool = field(
        description="Whether the match would have ended before this hand. `tried` then says what it would give if it "
        "had not."
    )
    summary: str = field(description="Both in one sentence, such as: This hand would give 62 instead of 45.")

    match = match_field("Its match.", "match_id")


WhatIfHandPayload = Annotated[
    WhatIfHand | InvalidInputError | InvalidRulebookError | NotFoundError | WrongStateError,
    strawberry.union("WhatIfHandPayload", description="A hand under the tried rules, or why they cannot be tried."),
]

PATHS = {"document": "settings", "rulesets.*": "settings", "edition": "baseEdition", "replay": "baseReplay"}
"""Maps the fields that a refusal names to those of the input."""


@strawberry.type
class WhatIfHandQueries:
    @field(
        description="What a recorded hand would give under other rules. Nothing is stored. Role: admin; "
        + REFUSED_TO_OTHERS
    )
    async def what_if_hand(
        self, info: Info, given: Annotated[WhatIfHandInput, argument("A hand, and the rules to try.", name="input")]
    ) -> WhatIfHandPayload:
        check_may_read(info.context.viewer, "whatIfHand")
        try:
            return await in_thread(_tried, info, given)
        except Refusal as refusal:
            raise with_input_path(refusal, PATHS) from None


def _tried(info: Info, given: WhatIfHandInput) -> WhatIfHand:
    """Blocks; raises Refusal."""
    states, match = info.context.states(), local_id("Match", given.match)
    played = states.match(match).played
    if played is None:
        raise NotFound("match", "match", match)
    known = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    rulebook = parse_rulebook(given.settings, _base(info, given, states))
    name = given.ruleset or played.ruleset
    ruleset = rulebook.ruleset(name)
    if ruleset is None:
        raise NotFound("ruleset", "ruleset", name, tuple(sorted(rulebook.rulesets)))
    hand = try_on_hand(played, given.hand, known, ruleset)
    return WhatIfHand(
        match_id=match,
        now=_scored(hand.now, known, played.mode),
        tried=_scored(hand.tried, ruleset, played.mode),
        next_starter=hand.next_starter,
        is_after_end=hand.is_after_end,
        summary=tried_in_words(hand.now.score, hand.tried.score),
    )


def _base(info: Info, given: WhatIfHandInput, states: StreamStates) -> Rulebook:
    """The rules that the settings change. Blocks; raises NotFound, InvalidInput."""
    rules = states.rulebook()
    if given.base_edition is not None and given.base_replay is not None:
        raise InvalidInput("replay", say("give the number of an edition or of a replay, not both"))
    if given.base_edition is not None:
        return rules.edition(given.base_edition)
    if given.base_replay is not None:
        return replay_requests.rules_of(info.context.league, given.base_replay)
    return rules.at(states.now)


def _scored(hand: ScoredInPlace, ruleset: Ruleset, mode: Mode) -> ScoredHand:
    return ScoredHand.of(hand.facts, ruleset, mode, hand.score, hand.before, paths=None)
