"""The levels of the AI: from what a seat sees to the play that it makes."""

from random import Random

from league.ai.heuristic import best_play
from league.ai.inference import think
from league.domain.play import Level, Play, Seen


def choose(seen: Seen, level: Level, seed: int, samples: int | None = None, time_limit: float | None = None) -> Play:
    """The play of a level for the seat to move; equal arguments give an equal play.

    `seed` decides whatever is left to chance; the number of the turn is mixed in, so that one seed serves a whole game.
    `samples` is the effort of `inference`: how many deals it imagines (None: its own choice). `time_limit`, in seconds,
    ends its thinking sooner; what it then plays depends on the machine. Raises ValueError when the seat has no play.
    """
    if not seen.plays:
        raise ValueError("the seat has no play to choose from")
    if len(seen.plays) == 1:
        return seen.plays[0]
    random = Random(f"{seed} {len(seen.turns)}")
    match level:
        case "random":
            return random.choice(seen.plays)
        case "heuristic":
            return best_play(seen)
        case "inference":
            return think(seen, random, samples, time_limit)
