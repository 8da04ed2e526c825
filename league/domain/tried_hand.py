"""What a recorded hand would give under a ruleset that is not adopted."""

from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.dealing import next_starter
from league.domain.hand_faults import checked
from league.domain.refusals import InvalidInput, NotFound
from league.domain.result import MatchFacts, ScoredInPlace, result_of, score_recorded
from league.domain.rulebook_check import LARGEST
from league.domain.rules import Ruleset
from league.domain.seating import MODES
from league.domain.sentences import either, say
from league.domain.tiles import SETS


class TriedHand(Struct, frozen=True):
    """A hand under its own ruleset and under another one, each time after the earlier hands of its match."""

    now: ScoredInPlace
    """What the hand gives; nothing after the end of its match."""
    tried: ScoredInPlace
    next_starter: int | None
    """The seat that would start the next hand; None if the facts do not tell."""
    is_after_end: bool
    """Whether the match would have ended before this hand. `tried` has its points all the same."""


def try_on_hand(played: MatchFacts, number: int, known: Ruleset, ruleset: Ruleset) -> TriedHand:
    """Score hand `number` of a match under a ruleset. `known`: the ruleset of the match.

    Raises NotFound for a hand that there is not, InvalidInput for a ruleset under which it cannot have been played.
    """
    if not 1 <= number <= len(played.hands):
        raise NotFound("hand", "hand", str(number))
    recorded = played.hands[number - 1]
    _check_fits(played, known, ruleset)
    try:
        facts = checked(recorded, ruleset, played.mode, len(played.seats))
    except (InvalidInput, Faults) as refusal:
        fault = Faults.of(refusal)[0].sentence
        raise InvalidInput("ruleset", say("this hand cannot have been played so: {fault}", fault=fault)) from None
    endless = replace(ruleset, target=LARGEST)  # a hand after the end would give nothing
    earlier = replace(played, hands=played.hands[:number], ended_at=None, forfeited_by=None, voided=False)
    return TriedHand(
        now=score_recorded(recorded, number, played, known),
        tried=score_recorded(facts, number, played, endless),
        next_starter=next_starter(earlier, endless),
        is_after_end=not result_of(earlier, ruleset).hands[-1].counted,
    )


def _check_fits(played: MatchFacts, known: Ruleset, ruleset: Ruleset) -> None:
    """Raise InvalidInput for a ruleset with another set of tiles, or that is not played in the mode of the match."""
    if ruleset.set != known.set:
        reason = say(
            "it is played with a {set} set, and the hand with a {other} one",
            set=SETS[ruleset.set],
            other=SETS[known.set],
        )
        raise InvalidInput("ruleset", reason)
    if played.mode not in ruleset.modes:
        modes = either(MODES[mode] for mode in ruleset.modes)
        raise InvalidInput(
            "ruleset", say("it is played {modes}, and the hand {mode}", modes=modes, mode=MODES[played.mode])
        )
