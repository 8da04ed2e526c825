"""A round robin: everybody meets everybody once in each leg, in the order of Berger's tables."""

from collections.abc import Sequence


def berger(ids: Sequence[str], legs: int = 1) -> list[list[tuple[str, str]]]:
    """The rounds, each a list of meetings; a second leg has the same ones again.

    With an odd number one sits out in each round: whoever is in no meeting.
    """
    count = len(ids) + len(ids) % 2
    last = count - 1
    rounds = []
    for number in range(last):
        # Berger's tables: the last number stays, the others go round by half of the circle.
        turned = [(number * (count // 2) + place) % last for place in range(last)]
        fixed = (turned[0], last) if number % 2 == 0 else (last, turned[0])
        meetings = [fixed, *((turned[place], turned[-place]) for place in range(1, count // 2))]
        rounds.append([(ids[a], ids[b]) for a, b in meetings if a < len(ids) and b < len(ids)])
    return rounds * legs
