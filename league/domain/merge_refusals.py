"""How the league refuses to merge players."""

from dataclasses import dataclass
from typing import ClassVar

from league.domain.refusals import Refusal
from league.domain.sentences import say


@dataclass(eq=True)
class AlreadyMerged(Refusal):
    """An id that has been merged into another one takes part in no further merge: the other id does."""

    code: ClassVar[str] = "ALREADY_MERGED"
    at: str
    player: str
    into: str

    @property
    def sentence(self) -> str:
        return say("{player!r} was merged into {into!r}: name that id instead", player=self.player, into=self.into)


@dataclass(eq=True)
class MergeCircle(Refusal):
    """The kept id is read as the dropped one already."""

    code: ClassVar[str] = "MERGE_CIRCLE"
    at: ClassVar[str] = "drop"
    keep: str
    drop: str

    @property
    def sentence(self) -> str:
        return say(
            "{keep!r} was merged into {drop!r}, so {drop!r} cannot be merged into {keep!r}",
            keep=self.keep,
            drop=self.drop,
        )


@dataclass(eq=True)
class PlayedTogether(Refusal):
    """No player sits twice in a match: two ids that do are two people."""

    code: ClassVar[str] = "PLAYED_TOGETHER"
    at: ClassVar[str] = "drop"
    match: str
    players: tuple[str, str]
    """The ids with which they sit there."""

    @property
    def sentence(self) -> str:
        one, other = self.players
        return say(
            "{one!r} and {other!r} both sit in match {match!r}: void it first if they are one person",
            one=one,
            other=other,
            match=self.match,
        )


@dataclass(eq=True)
class NotMerged(Refusal):
    """A merge that is not in force cannot be undone."""

    code: ClassVar[str] = "NOT_MERGED"
    at: ClassVar[str] = "drop"
    keep: str
    drop: str
    into: str | None
    """The id that `drop` was merged into, if any."""

    @property
    def sentence(self) -> str:
        if self.into is None:
            return say("{drop!r} is not merged into any player", drop=self.drop)
        return say(
            "{drop!r} is merged into {into!r}, not into {keep!r}", drop=self.drop, into=self.into, keep=self.keep
        )
