"""Earlier rules: the timelines that the log adopted, and what bringing one of them back would put in force.

Rulesets under which matches were played since are added to the earlier rules (`rulesets_in_use`), so every recorded
match keeps its ruleset.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from league.application.rulesets_in_use import InUse, with_rulesets_in_use
from league.domain.deciders import Event
from league.domain.refusals import NotFound
from league.domain.rulebook import EditionAdopted, EditionPublished
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.timeline import OtherRules, rules_that_differ
from league.domain.wrong_states import AlreadyInForce, NothingToRollBack
from league.projections.folds.match_fold import HashedEdition, RulesTimeline


class AdoptedTimeline(Struct, frozen=True):
    """A timeline of the rules, and the position of the event that adopted it."""

    position: int
    rules: RulesTimeline


def adopted_timelines(events: Iterable[tuple[int, Event]]) -> list[AdoptedTimeline]:
    """Every timeline that was adopted, oldest first. `events`: the stream of the rulebook, each with its position."""
    editions: dict[int, HashedEdition] = {}
    adopted = []
    for position, event in events:
        match event:
            case EditionPublished():
                editions[event.edition] = HashedEdition(event.hash, event.document)
            case EditionAdopted():
                adopted.append(AdoptedTimeline(position, RulesTimeline(event.timeline, dict(editions))))
    return adopted


def is_same(one: RulesTimeline, other: RulesTimeline) -> bool:
    """Whether the same editions hold over the same spans."""
    return one.hashes() == other.hashes()


def decide_alike(one: RulesTimeline, other: RulesTimeline) -> bool:
    """Whether two timelines differ at most in titles and descriptions."""
    return all(
        _without_titles(one.by_hash[span.before].rulebook) == _without_titles(other.by_hash[span.after].rulebook)
        for span in spans_that_differ(one, other)
    )


def _without_titles(rulebook: Rulebook) -> Rulebook:
    rulesets = {name: replace(ruleset, title="", description="") for name, ruleset in rulebook.rulesets.items()}
    return replace(rulebook, title="", rulesets=rulesets)


def rules_to_bring_back(adopted: Sequence[AdoptedTimeline], position: int | None, in_use: InUse) -> AdoptedTimeline:
    """The earlier timeline that the event at `position` adopted, with the rulesets that are in use.

    `position` None: the latest one that differs from the rules in force. Raises NotFound if no event at this position
    adopted rules, WrongState if nothing would change.
    """
    if position is not None and position not in (one.position for one in adopted):
        raise NotFound("position", "adoption", str(position), tuple(str(one.position) for one in adopted))
    wanted = [one for one in reversed(adopted) if position in (None, one.position)]
    for one in wanted:
        back = with_rulesets_in_use(adopted[-1].rules, one.rules, in_use)
        if not decide_alike(back, adopted[-1].rules):
            return AdoptedTimeline(one.position, back)
    if position is not None:
        raise AlreadyInForce(
            say("the timeline that position {position} adopted", position=position),
            say("in force"),
            say("nothing would change"),
        )
    raise NothingToRollBack(
        say("the league"), say("under its first rules"), say("no other rules were ever in force, so none can come back")
    )


def spans_that_differ(before: RulesTimeline, after: RulesTimeline) -> list[OtherRules[str]]:
    """The spans of play time for which two timelines have different editions, by hash, in order."""
    return rules_that_differ(before.hashes(), after.hashes())
