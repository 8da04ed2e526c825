"""The sides of a match to be opened, as people write them: the mode and the seats that they make."""

from collections.abc import Callable, Sequence

from league.cli.competitors import BETWEEN_PARTNERS
from league.domain.competitor import PARTNERS
from league.domain.refusals import InvalidInput
from league.domain.rules import Mode
from league.domain.seating import FULL_TABLE
from league.domain.sentences import say


def seats_of_sides(sides: Sequence[str], find: Callable[[str], str]) -> tuple[Mode, tuple[str, ...]]:
    """The mode and the players' ids by seat, in order of play; `find` gives the id of a name. Raises InvalidInput."""
    pairs = [_partners(side) for side in sides]
    sizes = {len(pair) for pair in pairs}
    if sizes == {PARTNERS} and len(pairs) == 2:  # noqa: PLR2004  # two pairs
        mode: Mode = "2v2"
    elif sizes == {1} and 2 <= len(pairs) <= FULL_TABLE:  # noqa: PLR2004  # from one against one on
        mode = "1v1" if len(pairs) == 2 else "individuals"  # noqa: PLR2004
    else:
        reason = say(
            "name two pairs, such as {pairs}, or two to four players; these are {given}",
            pairs='"Ana & Luis" "Rosa & Juan"',
            given=", ".join(repr(side) for side in sides),
        )
        raise InvalidInput("sides", reason)
    by_seat = [pair[place] for place in range(max(sizes)) for pair in pairs]
    ids = tuple(find(name) for name in by_seat)
    for seat, player in enumerate(ids):
        if player in ids[:seat]:
            raise InvalidInput("sides", say("{player} is named twice", player=repr(by_seat[seat])))
    return mode, ids


def _partners(side: str) -> list[str]:
    return [name for name in BETWEEN_PARTNERS.split(side.strip()) if name]
