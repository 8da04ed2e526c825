"""What a mutation or a score did not judge: the rule, why, and the fact that it would need."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.rules import NotJudgedRule
from league.api.graphql.shaping.user_errors import graphql_name
from league.domain import not_judged as domain
from league.domain.result import result_of
from league.wording.not_judged import not_judged_in_words

HAND_RECORDED = "hand-recorded/"
"""How the stored names of the events begin that record a hand; a version follows."""


@strawberry.enum(description="Why something was not judged.")
class NotJudgedReason(Enum):
    UNKNOWN = word("unknown", description="It needs a fact that is not known; the rule gave nothing.")
    NOT_PLAYED = word("not_played", description="The ruleset does not play this; the fact is kept and not used.")
    FACTS_HOLD = word("facts_hold", description="The facts of the hands say something else, and they hold.")
    AFTER_END = word("after_end", description="The hand came after the end of the match; it counts for nothing.")


@strawberry.type(description="Something that the rules did not judge.")
class NotJudged:
    rule: NotJudgedRule = field(description="What was not judged.")
    reason: NotJudgedReason = field(description="Why.")
    hand: int | None = field(description="The number of the hand; null: the match as a whole, or a hand by itself.")
    field_: list[str] | None = strawberry.field(
        name="field",
        description="The path within `input` of the fact that is needed, or was not used. Null: the input has no such "
        "field, as where the hand was sent turn by turn.",
    )
    message: str = field(description="What was not judged and what would be needed, in the language of the request.")

    @classmethod
    def of(cls, found: domain.NotJudged, paths: Mapping[str, str] | None = None) -> "NotJudged":
        """Of the domain's; `paths`: those of the input by the first part of the domain's, None: it has none."""
        path = None
        if found.at not in (None, domain.PREVIOUS) and paths is not None:
            first, *rest = found.at.split(".")
            path = [graphql_name(part) for part in (*paths.get(first, first).split("."), *rest)]
        return cls(
            rule=NotJudgedRule(found.rule),
            reason=NotJudgedReason(found.why),
            hand=found.hand,
            field_=path,
            message=not_judged_in_words(found),
        )


async def number_recorded(info: Info, match_id: str, position: int) -> int:
    """The number of the hand that the event at a position recorded."""
    events = await loaders.log.events(info, f"match:{match_id}")
    return sum(event.name.startswith(HAND_RECORDED) and event.position <= position for event in events)


async def not_judged_after(
    info: Info, match_id: str, position: int, *, hand: int | None, paths: Mapping[str, str] | None
) -> list[NotJudged]:
    """What is not judged of what a mutation said: of its hand, of the end of the match, and of what was announced.

    `hand`: the number of the hand that it is about; 0: the one that it recorded at this position. `paths`: those of
    the hand in the input; None: the input has not the facts of the hand.
    """
    facts, row = await loaders.matches.facts(info, match_id), await loaders.matches.match(info, match_id)
    if row is None or facts is None or facts.state.played is None or facts.state.played.voided:
        return []
    if hand == 0:
        hand = await number_recorded(info, match_id, position)
    played = facts.state.played
    rulebook = await loaders.rules.rulebook(info, row.edition)
    ruleset = rulebook.rulesets[played.ruleset]
    found = domain.not_judged_in_match(played, ruleset, result_of(played, ruleset))

    def paths_of(one: domain.NotJudged) -> Any:
        return paths if one.hand == hand else None

    # Only the end of the match asks who locked its last hand.
    of_the_match = (
        one for one in found if one.hand in (None, hand) or one.why == "after_end" or one.rule == domain.LAST_BLOCK
    )
    return [NotJudged.of(one, paths_of(one)) for one in of_the_match]
