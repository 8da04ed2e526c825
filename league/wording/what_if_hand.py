"""A hand under other rules, in one sentence."""

from league.domain.scoring import HandScore
from league.domain.sentences import say
from league.wording.language import spoken


def tried_in_words(now: HandScore, tried: HandScore) -> str:
    """What a hand would give, beside what it gives. Points of several sides stand side by side, such as `45-10`."""
    points = {"points": _points(tried), "before": _points(now)}
    if now.winner != tried.winner:
        if tried.winner is None:
            return spoken(say("Nobody would have won this hand: it would give {points} instead of {before}.", **points))
        return spoken(
            say("Another side would have won this hand: it would give {points} instead of {before}.", **points)
        )
    if now.points == tried.points:
        return spoken(say("This hand would give {points}, as it does.", **points))
    return spoken(say("This hand would give {points} instead of {before}.", **points))


def _points(hand: HandScore) -> str:
    total = sum(hand.points)
    return str(total) if total == max(hand.points) else "-".join(map(str, hand.points))
