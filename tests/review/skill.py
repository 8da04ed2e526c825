"""Does a review measure skill? `python -m tests.review.skill levels heuristic inference 1000 SEED`, or `season FOLDER`.

`levels` plays mirrored matches between two levels and reviews every decision of them. The level `reviewer` makes the
play that a review with other deals finds best: what it loses then is what the choice of deals costs, and how much less
it loses than the others is how much the reviewer favours itself. `season` reviews a recorded season, and sets what
a decision of each player cost beside their rating.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from math import atanh, sqrt, tanh
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from leagues import ratings  # noqa: E402  # the path is set above
from played_hands import RULESETS  # noqa: E402
from rich.progress import track  # noqa: E402

from league.ai.matches import Chooser, MatchInPlay, chooser, play_hand, seat_seed  # noqa: E402  # noqa: E402
from league.application.bootstrap import clock, founding, open_league  # noqa: E402
from league.application.stream_states import StreamStates  # noqa: E402
from league.domain.play import HandInPlay, Level, Play, SeenHand  # noqa: E402  # noqa: E402
from league.domain.transcript import Transcript  # noqa: E402
from league.infra.settings import Settings  # noqa: E402
from league.review.commands import hands_to_review  # noqa: E402
from league.review.decisions import PlayDecision, TranscribedHand, decisions  # noqa: E402
from league.review.options import WeighedDecision, weigh  # noqa: E402
from league.transfer.recorded_season import import_season  # noqa: E402

DEALS, SAMPLES, RULESET, SEATS = 16, 20, "dominican-200", 4
Losses = dict[str, list[tuple[float, int, int]]]
"""For each level or player, one entry a match: points lost, decisions, and decisions with the best play."""


def main() -> None:
    """Print what was found, as one document of JSON."""
    kind, *rest = sys.argv[1:]
    losses, more = _of_levels(*rest) if kind == "levels" else _of_season(*rest)
    found = {who: summed(of) for who, of in losses.items()}
    sys.stdout.write(json.dumps({"found": found, **more}) + "\n")


def weighed_choices(hand: TranscribedHand, seed: int) -> Iterator[tuple[int, WeighedDecision]]:
    """The seat and the weighing of each decision with a choice."""
    for decision in decisions(hand):
        weighed = weigh(decision, seed, DEALS)
        if len(weighed.options) > 1:
            yield decision.seat, weighed


def add(losses: Losses, who: dict[int, str], hand_losses: list[tuple[int, WeighedDecision]]) -> None:
    """Add the decisions of a match; `who`: by seat."""
    of_match: dict[str, list[WeighedDecision]] = defaultdict(list)
    for seat, weighed in hand_losses:
        of_match[who[seat]].append(weighed)
    for name, choices in of_match.items():
        lost = sum(one.loss.value for one in choices)
        losses[name].append((lost, len(choices), sum(one.loss.value == 0 for one in choices)))


def summed(of: list[tuple[float, int, int]]) -> dict[str, float]:
    """Points lost a decision with 1.96 standard errors over matches, and how often the best play was made."""
    lost, count = sum(one[0] for one in of), sum(one[1] for one in of)
    mean = lost / count
    error = 1.96 * sqrt(sum((one[0] - mean * one[1]) ** 2 for one in of)) / count
    return {
        "matches": len(of), "decisions": count, "lost": round(mean, 3), "error": round(error, 3),
        "best": round(sum(one[2] for one in of) / count, 3),
    }  # fmt: skip


def _of_levels(one: str, other: str, matches: str, seed: str) -> tuple[Losses, dict[str, Any]]:
    """Half as many deals, each played twice with the levels exchanged."""
    losses: Losses = defaultdict(list)
    won = {one: 0, other: 0}
    for number in track(range(int(matches) // 2)):
        for levels in ((one, other), (other, one)):
            who = {seat: levels[seat % 2] for seat in range(SEATS)}
            match = MatchInPlay(f"{seed}-{number}", RULESETS[RULESET], "2v2", ("a", "b", "c", "d"), number)
            weighed: list[tuple[int, WeighedDecision]] = []
            while match.result.last_hand is None:
                weighed += _played(match, who, number)
            winner = match.result.winner
            won[levels[winner or 0]] += 1
            add(losses, who, weighed)
    return losses, {"won": won}


def _played(match: MatchInPlay, who: dict[int, str], number: int) -> list[tuple[int, WeighedDecision]]:
    """Play and review the next hand."""
    score, hand = match.result.score or (0, 0), match.deal()
    dealt = tuple(tuple(hand.tiles.of_mask(held)) for held in hand.held)
    choosers = [_chooser(who[seat], seat_seed(number, match.number, seat)) for seat in range(SEATS)]
    of_match = match.number
    play_hand(hand, "2v2", choosers, score, of_match)
    match.record(hand)
    played = TranscribedHand(Transcript(dealt, tuple(hand.turns)), match.ruleset, "2v2", of_match, score)
    return list(weighed_choices(played, number))


def _chooser(level: str, seed: int) -> Chooser:
    """A level, or the reviewer itself, which thinks with deals that its later reviews do not use."""
    if level != "reviewer":
        return chooser(cast(Level, level), seed, SAMPLES)
    return lambda seen: _best(seen, -1 - seed)


def _best(seen: SeenHand, seed: int) -> Play:
    nothing = HandInPlay(seen.ruleset, [()] * len(seen.counts), 0)  # a review follows from what was seen alone
    weighed = weigh(PlayDecision(len(seen.turns), seen, seen.plays[0], nothing), seed, DEALS)
    return weighed.options[weighed.best].play


def _of_season(folder: str) -> tuple[Losses, dict[str, Any]]:
    """The losses of each player of a season, and how they correlate with the overall ratings."""
    losses: Losses = defaultdict(list)
    with TemporaryDirectory() as place, open_league(Settings(data_dir=Path(place)), prepare=True) as league:
        import_season(Path(folder), league.store, clock, "study", founding=founding())
        league.project()
        lines = Path(folder, "matches.jsonl").read_text(encoding="utf-8").splitlines()
        for line in track([json.loads(line) for line in lines]):
            played, hands = hands_to_review(line["match"], StreamStates(league.store, clock()))
            weighed = [
                one for hand in hands if hand.hand is not None for one in weighed_choices(hand.hand, hand.number)
            ]
            add(losses, dict(enumerate(played.seats)), weighed)
        overall = {who: rating for (who, mode), rating in ratings(league.database.url).items() if mode == "overall"}
    pairs = [(summed(of)["lost"], overall[who]) for who, of in losses.items() if who in overall]
    return losses, {"players": len(pairs), **correlation(pairs)}


def correlation(pairs: list[tuple[float, float]]) -> dict[str, float]:
    """Pearson's correlation with an interval of 95 % by Fisher's transformation."""
    count = len(pairs)
    means = [sum(pair[at] for pair in pairs) / count for at in (0, 1)]
    spread = [sqrt(sum((pair[at] - means[at]) ** 2 for pair in pairs)) for at in (0, 1)]
    r = sum((a - means[0]) * (b - means[1]) for a, b in pairs) / (spread[0] * spread[1])
    error = 1.96 / sqrt(count - 3)
    return {"r": round(r, 3), "low": round(tanh(atanh(r) - error), 3), "high": round(tanh(atanh(r) + error), 3)}


if __name__ == "__main__":
    main()
