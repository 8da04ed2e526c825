"""House rules computed a second time, in the plainest way, from lines of a recorded season.

Nothing here uses the code of the league. A hand is a table as a recorded season writes it, a ruleset is the table of
its settings. What is not known is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Settings = dict[str, Any]


@dataclass
class Ended:
    """A hand as it ended, with every fact that the rules read."""

    starter: int | None
    by: str
    seat: int | None
    """The seat that went out, or that locked."""
    pips: list[int | None]
    tile: list[int] | None = None
    fits: bool | None = None
    equal: bool | None = None
    totals: list[int | None] | None = None
    stated_winner: int | None = None
    stated_capicua: bool | None = None
    opening_pass: bool | None = False
    corridos: list[int] | None = field(default_factory=list)
    drew: list[int] | None = field(default_factory=list)


@dataclass
class Scored:
    """What a hand gives."""

    winner: int | None
    seat: int | None
    known: bool
    """False where nothing tells who has won."""
    terms: list[tuple[int, str, int]]
    unjudged: set[str]
    viajera_pips: int | None
    counted: bool = True

    def points(self, sides: int) -> list[int]:
        """The points of each side."""
        return [sum(points for of, _, points in self.terms if of == side) for side in range(sides)]


@dataclass
class Before:
    """The match before a hand."""

    number: int = 1
    last_winner: int | None = None
    last_known: bool = True
    draw: list[list[int]] | None = None


def side(seat: int, mode: str) -> int:
    """The side of a seat."""
    return seat % 2 if mode == "2v2" else seat


# ---------------------------------------------------------------- facts of a line


def read(hand: dict[str, Any]) -> Ended:
    """The facts of a hand of a recorded season; from its turns where they are written down."""
    ended = hand["ended"]
    pips = [held if held is None or isinstance(held, int) else sum(map(sum, held)) for held in hand["leftover"]]
    found = Ended(
        starter=hand["starter"],
        by=ended["by"],
        seat=ended.get("seat" if ended["by"] == "domino" else "locker"),
        pips=pips,
        tile=ended.get("tile"),
        fits=ended.get("fits_both_ends"),
        equal=ended.get("ends_equal"),
        totals=hand.get("side_leftover"),
        stated_winner=hand.get("stated_winner"),
        stated_capicua=hand.get("stated_capicua"),
    )
    if hand["plays"] is None:
        passes = hand.get("passes") or {}
        found.opening_pass, found.corridos, found.drew = map(passes.get, ("opening_pass", "corridos", "drew"))
    else:
        _read_turns(hand["plays"], found, len(pips))
    return found


def _read_turns(plays: list[Any], found: Ended, seats: int) -> None:
    left: int | None = None
    right: int | None = None
    turns = [turn for turn in plays if turn[2] != "draw"]
    for seat, tile, end in turns:
        if tile is None:
            continue
        before = (left, right)
        if end is None:
            left, right = tile
        elif end == "left":
            left = tile[0]
        else:
            right = tile[1]
        found.seat, found.tile = seat, tile
        found.fits = end is not None and all(half in tile for half in before)
        found.equal = left == right
    kinds = ["tile" if tile is not None else end or "pass" for _, tile, end in turns]
    found.opening_pass = seats > 2 and kinds[1:2] == ["pass"] and kinds[2:3] in (["tile"], ["timeout"])
    round_of_passes = ["tile", *["pass"] * (seats - 1), "tile"]
    found.corridos = [turns[at][0] for at in range(len(turns)) if kinds[at : at + seats + 1] == round_of_passes]
    found.drew = sorted({turn[0] for turn in plays if turn[2] == "draw"})


# ---------------------------------------------------------------- who has won


def pips_of_seats(hand: Ended) -> list[int | None]:
    """Who went out holds nothing."""
    out = hand.seat if hand.by == "domino" else None
    return [0 if held is None and seat == out else held for seat, held in enumerate(hand.pips)]


def pips_of_sides(hand: Ended, mode: str) -> list[int | None]:
    """A side's pips are the sum of its seats, else its total."""
    pips, found = pips_of_seats(hand), []
    for number in range(2 if mode == "2v2" else len(pips)):
        own = [held for seat, held in enumerate(pips) if side(seat, mode) == number]
        total = hand.totals[number] if hand.totals else None
        found.append(total if None in own else sum(own))  # type: ignore[arg-type]
    return found


def winner_of(hand: Ended, rules: Settings, mode: str, before: Before) -> tuple[int | None, int | None, bool]:
    """Side, seat, and whether it is known who has won (also that nobody has)."""
    by_facts = _winner_by_facts(hand, rules, mode, before)
    if by_facts is not None:
        return (*by_facts, True)
    if hand.stated_winner is None:
        return None, None, False
    return hand.stated_winner, None if mode == "2v2" else hand.stated_winner, True


def _winner_by_facts(hand: Ended, rules: Settings, mode: str, before: Before) -> tuple[int | None, int | None] | None:
    if hand.by == "domino":
        return None if hand.seat is None else (side(hand.seat, mode), hand.seat)
    count, pips = len(hand.pips), pips_of_seats(hand)
    compared = list(range(count))
    if rules["block_winner"] == "side_total":
        best = _lowest(dict(enumerate(pips_of_sides(hand, mode))))
    else:
        if rules["block_winner"] == "locker_vs_next":
            compared = [] if hand.seat is None else [hand.seat, (hand.seat + 1) % count]
        compared = _lowest({seat: pips[seat] for seat in compared})
        best = sorted({side(seat, mode) for seat in compared})
    if len(best) > 1 and rules["block_tie"] in ("no_score", "next_starts"):
        return None, None
    if len(best) > 1:
        named = _named_by_tie(hand, rules, before)
        after = [] if named is None else [side((named + step) % count, mode) for step in range(count)]
        best = [one for one in after if one in best]
    if not best:
        return None
    turn = [((hand.starter or 0) + step) % count for step in range(count)]
    own = [seat for seat in turn if side(seat, mode) == best[0] and seat in compared]
    if any(pips[seat] is None for seat in own):
        return best[0], None
    return best[0], min(own, key=lambda seat: pips[seat] or 0)


def _lowest(pips: dict[int, int | None]) -> list[int]:
    """The seats with the fewest pips; nobody where the pips of one are not known."""
    least = None if None in pips.values() else min(pips.values(), default=None)  # type: ignore[type-var]
    return [one for one, held in pips.items() if held == least is not None]


def _named_by_tie(hand: Ended, rules: Settings, before: Before) -> int | None:
    match rules["block_tie"]:
        case "starter":
            return hand.starter
        case "locker":
            return hand.seat
        case "previous_winner" if not before.last_known:
            return None
        case "previous_winner" if before.last_winner is not None:
            return before.last_winner
    drawn = [sum(tile) for tile in before.draw or []]
    if drawn and drawn.count(max(drawn)) == 1:
        return drawn.index(max(drawn))
    return hand.starter


def next_starter(hand: Ended, scored: Scored, rules: Settings) -> int | None:
    """Who starts the next hand; None where it is not known."""
    if scored.winner is not None or not scored.known:
        return scored.seat
    if rules["block_tie"] == "next_starts":
        return None if hand.starter is None else (hand.starter + 1) % len(hand.pips)
    return hand.starter


# ---------------------------------------------------------------- what it scores


def capicua(hand: Ended, rules: Settings) -> bool | None:
    """Whether the hand is a capicúa that is not void."""
    if hand.by == "block":
        return False
    made, tile = (hand.fits if rules["capicua"] == "fits_both_ends" else hand.equal), hand.tile
    if made is False or (tile is not None and any(_voids(kind, tile) for kind in rules["capicua_void_on"])):
        return False
    if made and (tile is not None or not rules["capicua_void_on"]):
        return True
    if hand.stated_capicua is None:
        return None
    return hand.stated_capicua and hand.fits is not False


def _voids(kind: str, tile: list[int]) -> bool:
    return {"double": tile[0] == tile[1], "blank_half": 0 in tile, "double_blank": sum(tile) == 0}[kind]


def leftover(hand: Ended, rules: Settings, mode: str, winner: int, seat: int | None) -> tuple[int | None, int | None]:
    """The pips that the winner scores, and those that can make a viajera."""
    sums, pips = pips_of_sides(hand, mode), pips_of_seats(hand)
    others = _sum([total for number, total in enumerate(sums) if number != winner])
    if rules["counted_pips"] == "all_others":
        if seat is not None and all(pips[other] is not None for other in range(len(pips)) if other != seat):
            others = sum(pips[other] for other in range(len(pips)) if other != seat)  # type: ignore[misc]
        else:
            own = 0 if hand.by == "domino" else None if seat is None else pips[seat]
            everything = _sum(sums)
            others = None if everything is None or own is None else everything - own
    if rules["counted_pips"] == "all_on_block" and hand.by == "block":
        return _sum(sums), others
    return others, others


def _sum(of: list[int | None]) -> int | None:
    return None if None in of else sum(of)  # type: ignore[arg-type]


def possible_endings(hand: Ended) -> set[str]:
    """The kinds of ending that the facts leave possible."""
    if hand.by == "block":
        return {"block"}
    found = set()
    for double in (False, True):
        for fitted in (False, True):
            # A double that is played on a 4 leaves a 4: both ends are then alike exactly if it fitted both. Another
            # tile that leaves both ends alike had one half for the end it was played on, and one for the other end.
            could_leave = {fitted} if double else ({False, True} if fitted else {False})
            if (
                (hand.tile is None or (hand.tile[0] == hand.tile[1]) == double)
                and hand.fits in (None, fitted)
                and (hand.equal is None or hand.equal in could_leave)
            ):
                found.add(("double_" if double else "") + ("both_ends" if fitted else "") or "domino")
    return {"double" if kind == "double_" else kind for kind in found}


def score(hand: Ended, rules: Settings, mode: str, before: Before) -> Scored:
    """A hand under a ruleset with points."""
    winner, seat, known = winner_of(hand, rules, mode, before)
    found = Scored(winner, seat, known, [], set(), 0)
    made, pays = capicua(hand, rules), rules.get("hand_points", "pips")
    if made is None:
        found.unjudged.add("capicua")
    what = "leftover" if pays == "pips" else "ending"
    if not known:
        found.unjudged.add(what)
        found.viajera_pips = None if pays == "pips" else 0
    elif winner is not None and pays == "pips":
        pips, found.viajera_pips = leftover(hand, rules, mode, winner, seat)
        _give(found, "leftover", pips)
        if rules.get("capicua_doubles") and made is not False:
            _give(found, "capicua_doubled", pips if made else None)
    elif winner is not None:
        numbers = {rules["ending"][kind] for kind in possible_endings(hand)}
        _give(found, "ending", numbers.pop() if len(numbers) == 1 else None)
    _bonuses(found, hand, rules, mode, before, made)
    return found


def _give(found: Scored, rule: str, points: int | None) -> None:
    if points is None:
        found.unjudged.add(rule)
    elif found.winner is not None:
        found.terms.append((found.winner, rule, points))


def _bonuses(found: Scored, hand: Ended, rules: Settings, mode: str, before: Before, made: bool | None) -> None:
    """Every bonus of the rulesets with points; the shutout of a match belongs to no hand."""
    plays = rules["bonuses"]
    domino, tile = hand.by == "domino", hand.tile
    for_winner: dict[str, bool | None] = {
        "first_hand": before.number == 1,
        "double_out": domino and (None if tile is None else tile[0] == tile[1]),
        "block_won": not domino,
        "capicua": made,
        "chuchazo": domino and (None if tile is None else sum(tile) == 0),
        "domino_without_draw": domino
        and rules["cannot_play"] != "pass"
        and len(hand.pips) < 4
        and (None if hand.drew is None else found.seat not in hand.drew),
    }
    for rule, earned in for_winner.items():
        if rule in plays and earned is not False and (earned is None or found.winner is not None or not found.known):
            _give(found, rule, plays[rule] if earned and found.known else None)
    rounds = plays.get("rounds", ())
    if before.number <= len(rounds) and (found.winner is not None or not found.known):
        _give(found, "round_bonus", rounds[before.number - 1] if found.known else None)
    if "opening_pass" in plays:
        if hand.opening_pass is None or (hand.opening_pass and hand.starter is None):
            found.unjudged.add("opening_pass")
        elif hand.opening_pass:
            found.terms.append((side(hand.starter, mode), "opening_pass", plays["opening_pass"]))  # type: ignore[arg-type]
    if "pase_corrido" in plays:
        if hand.corridos is None:
            found.unjudged.add("pase_corrido")
        for seat in hand.corridos or ():
            found.terms.append((side(seat, mode), "pase_corrido", plays["pase_corrido"]))


# ---------------------------------------------------------------- a match


@dataclass
class Match:
    """A match that is over."""

    hands: list[Scored]
    winner: int | None
    score: list[int]
    viajeras: int
    viajera_known: bool
    is_lower_bound: bool


def play(hands: list[Ended], rules: Settings, mode: str, draw: list[list[int]] | None) -> Match:
    """Score the hands of a match in order, up to its end."""
    sides = 2 if mode == "2v2" else len(hands[0].pips)
    total, latest, over = [0] * sides, [0] * sides, False
    before, found = Before(draw=draw), []
    for number, hand in enumerate(hands, 1):
        before.number = number
        scored = score(hand, rules, mode, before)
        if over:
            scored.terms, scored.unjudged, scored.counted = [], set(), False
        else:
            total = [have + more for have, more in zip(total, scored.points(sides), strict=True)]
            if scored.winner is not None:
                latest[scored.winner] = number
            if scored.winner is not None or not scored.known:
                before.last_winner, before.last_known = scored.winner, scored.known
            over = max(total) >= rules["target"] and _leader(total, latest) is not None
        found.append(scored)
    counted = [hand for hand in found if hand.counted]
    for_the_end = {"leftover", "capicua_doubled", "ending"}
    bound = any(hand.winner is not None and hand.unjudged & for_the_end for hand in counted)
    winner = _leader(total, latest)
    losers = [points for number, points in enumerate(total) if number != winner]
    if winner is not None and rules["shutout"] == "per_match" and not bound and not any(losers):
        total[winner] += rules["bonuses"].get("shutout", 0)
    pips = [hand.viajera_pips for hand in counted if hand.winner in (winner, None)]
    has_viajera = rules.get("hand_points", "pips") == "pips"
    won = [hand.viajera_pips or 0 for hand in counted if hand.winner == winner]
    viajeras = sum(points >= rules["viajera_from"] for points in won) if has_viajera else 0
    return Match(found, winner, total, viajeras, not has_viajera or None not in pips, bound)


def _leader(total: list[int], latest: list[int]) -> int | None:
    best = [number for number, points in enumerate(total) if points == max(total)]
    if len(best) == 1:
        return best[0]
    best.sort(key=lambda number: latest[number])
    return best[-1] if latest[best[-1]] else None
