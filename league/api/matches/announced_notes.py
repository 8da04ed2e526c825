"""What somebody may want to check of an announced score."""

from enum import Enum

import strawberry
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.domain import announced_notes as domain
from league.domain.result import Announced
from league.features import declared
from league.wording.language import spoken


@strawberry.enum(description="Why an announced score may be wrong.")
class ScoreDoubt(Enum):
    BELOW_TARGET = word("below_target", description="The winner has less than the target: was play stopped early?")
    LOSER_AT_TARGET = word(
        "loser_at_target", description="A loser has the target, where only the winner of a hand scores in it."
    )
    ABOVE_ONE_HAND = word(
        "above_one_hand",
        description="The winner has more than one hand can give on top of less than the target, by the settings.",
    )


@strawberry.type(description="An announced score that may be a slip of the pen. It is stored all the same.")
class ScoreNote:
    doubt: ScoreDoubt = field(description="What is doubtful.")
    score: int = field(description="The score in doubt.")
    target: int = field(description="The target of the ruleset.")
    most: int | None = field(description="For `ABOVE_ONE_HAND`, the most that a winner can have; else null.")
    message: str = field(description="What to check, in the language of the request.")

    @classmethod
    def of(cls, found: domain.AnnouncedNote) -> "ScoreNote":
        """A note of the domain."""
        return cls(
            doubt=ScoreDoubt(found.doubt), score=found.score, target=found.target, most=found.most,
            message=spoken(found.sentence),
        )  # fmt: skip


@strawberry.input(description="What the table announced.")
class AnnouncedInput:
    winner: int = field(description="The side that won.")
    score: list[int] | None = field(default=None, description="The score by side; null when it was not announced.")

    def read(self) -> Announced:
        """The input as the domain's type."""
        return Announced(self.winner, None if self.score is None else tuple(self.score))


async def score_notes(info: Info, match_id: str, announced: Announced | None = None) -> list[ScoreNote]:
    """Notes on what was announced of a match without hands; on `announced`, if given, as if it were recorded."""
    facts, row = await loaders.matches.facts(info, match_id), await loaders.matches.match(info, match_id)
    if row is None or facts is None or facts.state.played is None:
        return []
    played = facts.state.played
    if announced is None and played.ended_at is not None:
        announced = played.announced
    if announced is None or played.hands or played.voided or played.forfeited_by is not None:
        return []
    if not 0 <= announced.winner < len(played.sides) or len(announced.score or played.sides) != len(played.sides):
        return []
    bells = [await info.context.reader.load(question, match_id) for question in declared("has_bell")]
    ruleset = (await loaders.rules.rulebook(info, row.edition)).rulesets[played.ruleset]
    found = domain.notes_on(announced, ruleset, played.mode, len(played.seats), has_bell=any(bells))
    return [ScoreNote.of(note) for note in found]
