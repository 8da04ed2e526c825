"""The source texts, sentence by sentence: each one that states a scoring rule is quoted by the test that holds it.

Cuban: "Cuban Domino Rules for Web App"; Caribbean: "Caribbean Domino Game Rules"; Dominican: "Dominican Dominoes —
Rules Plan"; CDS: "Cuban Domino Score (CDS): Framework". The text on series states no rule of a hand or match.
"""

# ruff: noqa: RUF002 - quotations keep the dashes and signs of the texts

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from given import (
    BEGAN,
    EDITION,
    FORMULA,
    NOW,
    Given,
    block,
    domino,
    ended,
    hand_terms,
    modifier,
    points_of,
    ruleset,
    scored,
)
from msgspec.structs import replace

from league.domain.hand import HandFacts, has_boneyard
from league.domain.match import OpenMatch
from league.domain.play import Turn
from league.domain.rating import capped, expected_score, formula_of, k_factor, shown
from league.domain.refusals import InvalidInput
from league.domain.result import Achievements
from league.domain.tiles import full_set, tile_pips, total_pips
from league.domain.transcript import Transcript, derive_facts
from league.projections.folds.league_fold import LedgerChange, RatingState, evolve, rating_rows
from league.projections.folds.match_fold import DecidedMatch

CUBAN = ruleset("cuban-150")
DOSCIENTOS = ruleset("doscientos-200")
BONUS = ruleset("caribbean-500-bonus")
PARTNERSHIP = ruleset("partnership-6")
CHIVA = ruleset("chiva-4")
DOMINICAN = ruleset("dominican-200")
ROUNDS = ruleset("dominican-500-bonus")
RATING = EDITION.rating
CAPICUA = domino(0, (), 10, 5, 5, tile=(3, 4), both=True, equal=True)


def won(seat: int, pips: int, seats: int = 2) -> HandFacts:
    """A domino that scores this many pips."""
    return domino(seat, *[pips if other == (seat + 1) % seats else 0 for other in range(seats)])


def turns(*written: tuple[int, tuple[int, int] | None] | tuple[int, tuple[int, int] | None, str]) -> tuple[Turn, ...]:
    return tuple(Turn(*turn) for turn in written)


def refused_turn(dealt: object, plays: tuple[Turn, ...], saying: str, name: str = "cuban-150") -> None:
    with pytest.raises(InvalidInput, match=saying):
        derive_facts(Transcript(dealt, plays), ruleset(name, tiles_each=2), len(dealt))


SMALL = (((1, 2), (2, 3)), ((1, 4), (5, 5)))


# ================================================================ Cuban


def test_cuban_objective() -> None:
    """Cuban, Objective: "Be the first player or team to score 150 points."."""
    assert ended(CUBAN, won(0, 149), over=False).winner is None
    assert ended(CUBAN, won(0, 149), won(0, 1)).winner == 0


def test_cuban_overview() -> None:
    """Cuban, Overview: "The first player or team to reach 150 points wins."."""
    assert ended(CUBAN, won(1, 100), won(0, 150), won(1, 100)).winner == 0


def test_cuban_fixed_target() -> None:
    """Cuban, Fixed Target Score: "All games are played to 150 points to maintain consistent rankings."."""
    assert CUBAN.target == 150


def test_cuban_players() -> None:
    """Cuban, Players: "4 players in fixed partnerships (2v2) or 2 players (1v1)."."""
    assert set(CUBAN.modes) == {"2v2", "1v1"}
    three = OpenMatch("m", "cuban-150", "2v2", "competitive", ("ana", "bea", "coc"), None, BEGAN)
    Given().when(three).refused(InvalidInput, "seats", "2v2 is played by 4")


def test_cuban_tiles() -> None:
    """Cuban, Tiles: "A Double-Nine domino set with 55 tiles."."""
    assert CUBAN.set == "double-nine"
    assert len(full_set(CUBAN.set)) == 55


def test_cuban_deal() -> None:
    """Cuban, Shuffling and Drawing: "Each player is dealt 10 tiles." and 15 or 35 are excluded from play."""
    assert CUBAN.tiles_each == 10
    assert (55 - 4 * CUBAN.tiles_each, 55 - 2 * CUBAN.tiles_each) == (15, 35)
    assert not has_boneyard(CUBAN, 2)


def test_cuban_first_starter() -> None:
    """Cuban, Determining the Starting Player: "The player with the highest pip count on their drawn domino starts"."""
    assert CUBAN.first_starter == "starting_draw"
    tied = block(0, 20, 20, starter=None)
    assert scored(tied, CUBAN, number=1, draw=((5, 4), (9, 1))).winner == 1


def test_cuban_tied_draw() -> None:
    """Cuban, Determining the Starting Player: "In case of a tie, the tied players draw again."."""
    tied = block(0, 20, 20, starter=0)
    assert scored(tied, CUBAN, number=1, draw=((5, 5), (9, 1))).winner == 0


def test_cuban_next_starter() -> None:
    """Cuban, Determining the Starting Player: "For subsequent rounds, the winner of the previous round starts."."""
    assert CUBAN.next_starter == "hand_winner"


def test_cuban_seating() -> None:
    """Cuban, Seating Arrangement: "Players are seated so that teammates sit opposite each other."."""
    assert scored(domino(2, 7, 20, (), 30), CUBAN).points == (50, 0)


def test_cuban_first_tile() -> None:
    """Cuban, Starting the Round: "The starting player plays any tile from their hand"."""
    refused_turn(SMALL, turns((0, (9, 9))), "does not hold")


def test_cuban_move() -> None:
    """Cuban, Making a Move: "a player must place a tile that matches one open end of the domino chain."."""
    refused_turn(SMALL, turns((0, (1, 2)), (1, (5, 5), "left")), "does not meet the left end")


def test_cuban_doubles() -> None:
    """Cuban, Making a Move: "Doubles are … treated as regular tiles (not spinners)."."""
    dealt = (((2, 2), (2, 3)), ((1, 2), (0, 0)))
    plays = turns((0, (2, 2)), (1, (1, 2), "left"), (0, (2, 3), "right"))
    facts = derive_facts(Transcript(dealt, plays), ruleset("cuban-150", tiles_each=2), 2)
    assert (facts.closing.fits_both_ends, facts.closing.ends_equal) == (False, False)


def test_cuban_pass() -> None:
    """Cuban, Passing a Turn: "If a player cannot make a valid move, they must pass (knock)."."""
    assert CUBAN.cannot_play == "pass"
    refused_turn(SMALL, turns((0, (1, 2)), (1, (6, 6), "draw")), "no seat draws")


def test_cuban_mandatory_play() -> None:
    """Cuban, Mandatory Play: "If a player has a valid move, they must play a tile."."""
    refused_turn(SMALL, turns((0, (1, 2)), (1, None)), "passed although it could play")


def test_cuban_end_by_domino() -> None:
    """Cuban, Ending a Round: "A player plays all their tiles (“Domino!”)"."""
    plays = turns((0, (1, 2)), (1, (4, 1), "left"), (0, (2, 3), "right"))
    facts = derive_facts(Transcript(SMALL, plays), ruleset("cuban-150", tiles_each=2), 2)
    assert (facts.ended_by, facts.seat) == ("domino", 0)


def test_cuban_end_by_block() -> None:
    """Cuban, Ending a Round: "No player can make a valid move (the game is blocked)."."""
    dealt = (((1, 1), (2, 3)), ((5, 5), (4, 6)))
    facts = derive_facts(Transcript(dealt, turns((0, (1, 1)))), ruleset("cuban-150", tiles_each=2), 2)
    assert (facts.ended_by, facts.seat) == ("block", 0)


def test_cuban_domino_wins() -> None:
    """Cuban, Winning a Round: won by "The team/player who plays all their tiles."."""
    assert scored(domino(3, 1, 90, 1, ()), CUBAN).winner == 1


def test_cuban_block_wins() -> None:
    """Cuban, Winning a Round: "In a blocked game, the team/player with the lowest pip count in their hand wins."."""
    assert scored(block(0, 30, 29), CUBAN).winner == 1
    assert scored(block(1, 20, 1, 20, 40), CUBAN).winner == 0


def test_cuban_points() -> None:
    """Cuban, Calculating Points: "The winner scores the total pip value of the losing side's remaining tiles."."""
    assert scored(domino(0, (), ((9, 9), (0, 1)), ((5, 5),), ((3, 4),)), CUBAN).points == (26, 0)


def test_cuban_capicua() -> None:
    """Cuban, Special Scenarios: "If the last tile is placed at both ends of the chain … does not double points."."""
    hand = scored(domino(0, (), 20, both=True), CUBAN)
    assert (hand.capicua, hand.points) == (True, (20, 0))


def test_cuban_pollona() -> None:
    """Cuban, Special Scenarios: "Winning a game where the opponents score zero points."."""
    assert ended(CUBAN, won(0, 150)).achievements.pollona is True
    assert ended(CUBAN, won(1, 1), won(0, 150)).achievements.pollona is False


def test_cuban_viajera() -> None:
    """Cuban, Special Scenarios: "Scoring 100+ points in a single round."."""
    assert ended(CUBAN, won(0, 100)).achievements.viajeras == 1
    assert ended(CUBAN, won(0, 99), won(0, 99)).achievements.viajeras == 0


def test_cuban_first_round_tie() -> None:
    """Cuban, First Round Tie: "Winner is determined by who played the highest domino at the start of the match."."""
    assert scored(block(0, 20, 20), CUBAN, number=1, draw=((1, 1), (9, 0))).winner == 1


def test_cuban_other_round_tie() -> None:
    """Cuban, Other Round Ties: "Winner is the team/player who won the previous round."."""
    assert scored(block(0, 20, 20), CUBAN, last_winner=1, draw=((9, 9), (0, 0))).winner == 1


def test_cuban_tie_points() -> None:
    """Cuban, Round Tie Resolution: "The losing team/player's pip total is added to their score."."""
    assert scored(block(0, 20, 20), CUBAN, number=1, draw=((1, 1), (9, 0))).points == (0, 20)
    assert scored(block(0, 20, 20), CUBAN, last_winner=0).points == (20, 0)


def test_cuban_tie_principle() -> None:
    """Cuban, Key Principle: "Ties always have a clear winner, and only the losing side's points are added."."""
    for last in (None, 0, 1):
        hand = scored(block(0, 20, 20), CUBAN, last_winner=last)
        assert hand.winner is not None
        assert hand_terms(hand) == [(hand.winner, "leftover", 20)]


def test_cuban_tiebreakers() -> None:
    """Cuban, Tiebreakers: "Ties are always resolved, and points only add to the losing side's total."; see rules."""
    hand = scored(block(0, 10, 25, 20, 5), CUBAN)
    assert (hand.winner, sum(hand.points)) == (0, 30)


# ================================================================ Caribbean


def test_caribbean_set() -> None:
    """Caribbean, Equipment: "Double-Six set (28 tiles/bones)"."""
    assert DOSCIENTOS.set == "double-six"
    assert len(full_set("double-six")) == 28


def test_caribbean_players() -> None:
    """Caribbean, Equipment: "2-4 players"."""
    for mode, seats in (("1v1", 2), ("individuals", 3), ("individuals", 4), ("2v2", 4)):
        players = ("ana", "bea", "coc", "dan")[:seats]
        assert Given().when(OpenMatch("m", "doscientos-200", mode, "casual", players, None, BEGAN)).refusal is None


def test_caribbean_first_starter() -> None:
    """Caribbean, Starting: "Player with double-six (6-6) starts first game"."""
    assert DOSCIENTOS.first_starter == "highest_double"


def test_caribbean_deal() -> None:
    """Caribbean, Starting a Game: "Each player draws 7 dominoes"."""
    assert DOSCIENTOS.tiles_each == 7


def test_caribbean_next_starter() -> None:
    """Caribbean, Starting a Game: "Subsequent rounds: winner of previous hand starts"."""
    assert DOSCIENTOS.next_starter == "hand_winner"


def test_caribbean_moves() -> None:
    """Caribbean, Playing Turns: "Players must play matching dominoes to either end of the line"."""
    refused_turn(SMALL, turns((0, (1, 2)), (1, (5, 5), "right")), "does not meet the right end", "doscientos-200")


def test_caribbean_boneyard() -> None:
    """Caribbean, Playing Turns: "must pass (4-player) or draw from boneyard (2-3 player)"."""
    assert [has_boneyard(DOSCIENTOS, seats) for seats in (2, 3, 4)] == [True, True, False]
    refused_turn((((1, 1), (1, 2)), ((3, 3), (4, 4))), turns((0, (1, 1)), (1, None)), "could draw", "doscientos-200")


def test_caribbean_end_out() -> None:
    """Caribbean, Playing Turns: game ends when "One player plays all dominoes (goes out)"."""
    plays = turns((0, (1, 2)), (1, (4, 1), "left"), (0, (2, 3), "right"))
    assert derive_facts(Transcript(SMALL, plays), ruleset("doscientos-200", tiles_each=2), 2).ended_by == "domino"


def test_caribbean_end_blocked() -> None:
    """Caribbean, Playing Turns: game ends when "Game becomes blocked (no legal moves)"."""
    dealt = (((1, 1), (2, 3)), ((5, 5), (4, 6)), ((0, 0), (2, 2)), ((3, 3), (4, 4)))
    facts = derive_facts(Transcript(dealt, turns((0, (1, 1)))), ruleset("doscientos-200", tiles_each=2), 4)
    assert facts.ended_by == "block"


@pytest.mark.parametrize(
    ("name", "target"), [("doscientos-100", 100), ("doscientos-200", 200), ("caribbean-500-bonus", 500)]
)
def test_caribbean_target(name: str, target: int) -> None:
    """Caribbean, Point Accumulation: "100, 200 (traditional “Doscientos”), or 500 points with bonus"."""
    assert ruleset(name).target == target


def test_caribbean_round_scoring() -> None:
    """Caribbean, Point Accumulation: "Count spots on remaining dominoes in losing players' hands"."""
    assert scored(domino(0, (), 12, 20), DOSCIENTOS).points == (32, 0, 0)


def test_caribbean_winner() -> None:
    """Caribbean, Point Accumulation: "First player/team to reach target score"."""
    rules = ruleset("doscientos-100")
    assert ended(rules, won(0, 99), won(1, 99), won(1, 1)).winner == 1
    assert ended(rules, won(0, 60, 3), won(2, 100, 3)).winner == 2


def test_caribbean_500() -> None:
    """Caribbean, 500 Point Game: "500 points"."""
    assert ended(BONUS, won(0, 160), won(0, 160), over=False).last_hand is None
    assert ended(BONUS, won(0, 168), won(0, 168), won(0, 168)).last_hand == 3


def test_caribbean_first_round() -> None:
    """Caribbean, First Round Bonus: "+100 points to the team/player that wins the first round"."""
    assert points_of("first_hand", scored(won(1, 9), BONUS, number=1)) == 100
    assert points_of("first_hand", scored(won(1, 9), BONUS, number=2)) is None


def test_caribbean_double_out() -> None:
    """Caribbean, Double Out: "+50 points for going out with a double domino"."""
    assert points_of("double_out", scored(domino(0, (), 9, tile=(6, 6)), BONUS)) == 50
    assert points_of("double_out", scored(domino(0, (), 9, tile=(6, 5)), BONUS)) is None


def test_caribbean_domino() -> None:
    """Caribbean, Domino: "+25 points for going out without drawing from boneyard"."""
    assert points_of("domino_without_draw", scored(domino(0, (), 9, drew=()), BONUS)) == 25
    assert points_of("domino_without_draw", scored(domino(0, (), 9, drew=(0,)), BONUS)) is None


def test_caribbean_block_win() -> None:
    """Caribbean, Block Win: "+25 points for winning a blocked game with lowest count"."""
    assert scored(block(0, 30, 20), BONUS).points == (0, 55)


def test_caribbean_shutout() -> None:
    """Caribbean, Shutout: "+100 points for preventing opponent from scoring any points in a round"; once a match."""
    assert ended(BONUS, *[won(0, 168)] * 3).terms == ((0, "shutout", 100),)
    assert points_of("shutout", scored(won(0, 9), replace(BONUS, shutout="per_hand"))) == 100


def test_caribbean_goes_out_winner() -> None:
    """Caribbean, Player Goes Out: "Player who played their last domino"."""
    assert scored(domino(2, 1, 1, ()), DOSCIENTOS).winner == 2


def test_caribbean_goes_out_points() -> None:
    """Caribbean, Player Goes Out: "Sum of all spots on remaining dominoes in other players' hands"."""
    assert scored(domino(0, (), 10, 7, 8), DOSCIENTOS).points == (25, 0)


def test_caribbean_goes_out_example() -> None:
    """Caribbean, Player Goes Out: "Remaining players have dominoes totaling 45 spots → winner gets 45 points"."""
    assert scored(domino(1, 20, (), 25), DOSCIENTOS).points == (0, 45, 0)


def test_caribbean_block_winner() -> None:
    """Caribbean, Blocked Game: "Player with lowest total spots on remaining dominoes"."""
    assert scored(block(0, 20, 1, 20, 40), DOSCIENTOS).winning_seat == 1


def test_caribbean_block_points() -> None:
    """Caribbean, Blocked Game: "Sum of spots on ALL other players' dominoes"."""
    assert scored(block(0, 20, 1, 20, 40), DOSCIENTOS).points == (0, 80)


def test_caribbean_block_example() -> None:
    """Caribbean, Blocked Game: "Player A has 12 spots, others have 15, 18, 22 → Player A wins and scores 55 points"."""
    hand = scored(block(2, 12, 15, 18, 22), DOSCIENTOS, mode="individuals")
    assert (hand.winner, hand.points) == (0, (55, 0, 0, 0))


def test_caribbean_partnership() -> None:
    """Caribbean, Partnership Variations: "1 point per hand won, first to 6 points wins"."""
    assert scored(won(1, 30, 4), PARTNERSHIP).points == (0, 1)
    assert ended(PARTNERSHIP, *[won(1, 30, 4)] * 6).last_hand == 6


def test_caribbean_key_bone() -> None:
    """Caribbean, Key Bone: "2 points if winning with the last playable domino when both ends are blocked"."""
    assert scored(domino(0, (), 9, 9, 9, both=True), PARTNERSHIP).points == (2, 0)


def test_caribbean_reset() -> None:
    """Caribbean, Reset Rule: "If losing team wins a hand, score resets to 0-0"."""
    assert ended(PARTNERSHIP, won(0, 1, 4), won(0, 1, 4), won(1, 1, 4), over=False).score == (0, 0)


def test_caribbean_chiva() -> None:
    """Caribbean, Chiva: "Must win 4 consecutive games to win match"."""
    assert ended(CHIVA, *[won(0, 9)] * 3, won(1, 9), *[won(0, 9)] * 3, over=False).last_hand is None
    assert ended(CHIVA, won(1, 9), *[won(0, 9)] * 4).winner == 0


def test_caribbean_chiva_score() -> None:
    """Caribbean, Chiva: "No cumulative scoring - consecutive wins only"."""
    result = ended(CHIVA, *[won(0, 9)] * 4)
    assert result.score is None
    assert {hand.points for hand in result.hands} == {(0, 0)}


def test_caribbean_tile_value() -> None:
    """Caribbean, Domino Representation: "[3|5] = 8 points, [6|6] = 12 points, [0|1] = 1 point"."""
    assert [tile_pips(tile) for tile in ((3, 5), (6, 6), (0, 1))] == [8, 12, 1]


def test_caribbean_function_value() -> None:
    """Caribbean, Score Calculation Functions: "calculateDominoValue(domino) → sum of both sides"."""
    assert tile_pips((2, 6)) == 8


def test_caribbean_function_total() -> None:
    """Caribbean, Score Calculation Functions: "calculateHandTotal(dominoes[]) → sum of all domino values in hand"."""
    assert total_pips([(2, 6), (0, 0), (5, 5)]) == 18


def test_caribbean_function_winner() -> None:
    """Caribbean, Score Calculation Functions: "determineRoundWinner(players[]) → lowest total wins in blocked game"."""
    assert scored(block(0, ((6, 6),), ((1, 1), (2, 2))), DOSCIENTOS).winner == 1


def test_caribbean_function_points() -> None:
    """Caribbean, Score Calculation Functions: "calculateRoundPoints(…) → sum of losers' remaining points"."""
    assert scored(block(0, ((6, 6),), ((1, 1), (2, 2))), DOSCIENTOS).points == (0, 12)


def test_caribbean_cumulative() -> None:
    """Caribbean, Game State Requirements: "Calculate cumulative scores toward target (100/200)"."""
    assert ended(DOSCIENTOS, won(0, 30), won(1, 40), won(0, 50), over=False).score == (80, 40)


def test_caribbean_overall_winner() -> None:
    """Caribbean, Game State Requirements: "Determine overall game winner"."""
    assert ended(DOSCIENTOS, won(0, 120), won(1, 40), won(0, 90)).winner == 0


# ================================================================ Dominican


@pytest.mark.parametrize("target", [200, 250, 500])
def test_dominican_goal(target: int) -> None:
    """Dominican 1, Goal: "Be the first team to reach the target score (200, 250, or 500)."."""
    rules = ruleset(f"dominican-{target}")
    hands = [won(0, target // 5, 4)] * 5
    assert ended(rules, *hands[:4], over=False).last_hand is None
    assert ended(rules, *hands).winner == 0


def test_dominican_teams() -> None:
    """Dominican 1, Teams: "Two teams … Partners sit across from each other."."""
    assert DOMINICAN.modes == ("2v2",)
    assert scored(domino(2, 5, 10, (), 5), DOMINICAN).winner == 0


def test_dominican_deck() -> None:
    """Dominican 1, Deck: "Double-six set (0–0 through 6–6) … each player draws 7 pieces."."""
    assert (DOMINICAN.set, DOMINICAN.tiles_each) == ("double-six", 7)


def test_dominican_open_ends() -> None:
    """Dominican 1, Play: "you may only play from the open ends of the chain, not off the sides of doubles."."""
    four = (((2, 2), (2, 3)), ((1, 2), (0, 0)), ((2, 4), (5, 5)), ((2, 6), (6, 6)))
    plays = turns((0, (2, 2)), (1, (1, 2), "left"), (2, (2, 4), "right"), (3, (6, 2), "left"))
    refused_turn(four, plays, "does not meet the left end", "dominican-200")


def test_dominican_hand_winner() -> None:
    """Dominican 2.1: "When a player gets rid of all their pieces, their team wins the hand."."""
    assert scored(domino(3, 9, 9, 9, ()), DOMINICAN).winner == 1


def test_dominican_leftover() -> None:
    """Dominican 2.1: "Add up the dots on all pieces not played." and "added to the winning team's score"."""
    assert scored(domino(3, 9, 2, 8, ()), DOMINICAN).points == (0, 17)


def test_dominican_leftover_of_all() -> None:
    """Dominican 2.1: "In 500-point games, some play that you count all players' remaining pieces for the winner"."""
    rules = ruleset("dominican-500", counted_pips="all_others")
    assert scored(domino(3, 9, 2, 8, ()), rules).points == (0, 19)


def test_dominican_opening_pass_when() -> None:
    """Dominican 2.2: "Only on the very first play of the hand … If the next player has nothing …, they pass."."""
    dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((1, 5), (0, 0)), ((6, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, (5, 1), "left"), (3, None), (0, (1, 2), "right"))
    assert derive_facts(Transcript(dealt, plays), ruleset("dominican-200", tiles_each=2), 4).opening_pass is True


@pytest.mark.parametrize(
    ("name", "points"),
    [("dominican-200", 10), ("dominican-250", 10), ("dominican-500", 25), ("dominican-500-bonus", 25)],
)
def test_dominican_opening_pass_points(name: str, points: int) -> None:
    """Dominican 2.2: "The team of the first player gets 10 (games to 200 or 250) or 25 (games to 500)."."""
    hand = scored(domino(0, (), 9, 9, 9, starter=3, opening=True), ruleset(name), number=5)
    assert [term for term in hand_terms(hand) if term[1] == "opening_pass"] == [(1, "opening_pass", points)]


def test_dominican_opening_pass_nullified() -> None:
    """Dominican 2.2: "If the next player after that also cannot play, the points are not awarded"."""
    dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((0, 5), (0, 0)), ((1, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, None), (3, (6, 1), "left"), (0, (1, 2), "right"))
    facts = derive_facts(Transcript(dealt, plays), ruleset("dominican-200", tiles_each=2), 4)
    assert points_of("opening_pass", scored(facts, DOMINICAN)) is None


def test_dominican_pase_corrido() -> None:
    """Dominican 2.3: "A player plays a piece and all three opponents cannot play in turn." "25 to the team"."""
    dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((0, 5), (0, 0)), ((5, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, None), (3, None), (0, (1, 2), "right"))
    facts = derive_facts(Transcript(dealt, plays), ruleset("dominican-200", tiles_each=2), 4)
    assert points_of("pase_corrido", scored(facts, DOMINICAN)) == 25


def test_dominican_pase_corrido_again() -> None:
    """Dominican 2.3: "That player then plays again (no limit on how many pase corridos in one hand)."."""
    hand = scored(domino(0, (), 9, 9, 9, corridos=(0, 0, 0, 2)), DOMINICAN)
    assert points_of("pase_corrido", hand) == 100


def test_dominican_capicua_when() -> None:
    """Dominican 2.4: "its free end matches the number at the opposite end of the chain"."""
    assert scored(CAPICUA, DOMINICAN).capicua is True
    fitted_only = domino(0, (), 10, 5, 5, tile=(3, 4), both=True, equal=False)
    assert scored(fitted_only, DOMINICAN).capicua is False


def test_dominican_capicua_points() -> None:
    """Dominican 2.4: "50 to the winning team (default; configurable in Options)."."""
    assert points_of("capicua", scored(CAPICUA, DOMINICAN)) == 50
    other = replace(DOMINICAN, bonuses=replace(DOMINICAN.bonuses, capicua=30))
    assert points_of("capicua", scored(CAPICUA, other)) == 30


@pytest.mark.parametrize("tile", [(0, 4), (3, 3), (0, 0)])
def test_dominican_capicua_nullified(tile: tuple[int, int]) -> None:
    """Dominican 2.4: "If that closing play is made with a blank or a double, the Capicúa bonus is not awarded."."""
    hand = scored(domino(0, (), 10, 5, 5, tile=tile, both=True, equal=True), DOMINICAN)
    assert points_of("capicua", hand) is None


def test_dominican_chuchazo() -> None:
    """Dominican 2.5: "The winning piece (the one that empties the player's hand) is the double-blank": 50."""
    assert points_of("chuchazo", scored(domino(0, (), 10, 5, 5, tile=(0, 0)), DOMINICAN)) == 50
    assert points_of("chuchazo", scored(domino(0, (), 10, 5, 5, tile=(0, 1)), DOMINICAN)) is None


def test_dominican_lock() -> None:
    """Dominican 2.6: "The board is locked — no one can play (all playable numbers are blocked)."."""
    dealt = (((1, 1), (2, 3)), ((5, 5), (4, 6)), ((0, 0), (2, 2)), ((3, 3), (4, 4)))
    facts = derive_facts(Transcript(dealt, turns((0, (1, 1)))), ruleset("dominican-200", tiles_each=2), 4)
    assert (facts.ended_by, facts.seat) == ("block", 0)


def test_dominican_lock_winner() -> None:
    """Dominican 2.6: "shows their hand to the player to their right … Whoever has fewer pips in hand wins"."""
    assert scored(block(3, 10, 1, 1, 9), DOMINICAN).winning_seat == 3
    assert scored(block(3, 8, 1, 1, 9), DOMINICAN).winning_seat == 0


def test_dominican_lock_points() -> None:
    """Dominican 2.6: "that team gets the sum of the opponents' leftover pips."."""
    assert scored(block(3, 10, 1, 7, 9), DOMINICAN).points == (0, 17)


def test_dominican_lock_tie() -> None:
    """Dominican 2.6: "If the two compared hands are tied, the player who started the hand … wins for their team."."""
    assert scored(block(0, 8, 8, 3, 9, starter=1), DOMINICAN).winner == 1
    assert scored(block(0, 8, 8, 3, 9, starter=2), DOMINICAN).winner == 0


def test_dominican_lock_with_everybody() -> None:
    """Dominican 2.6: "Some play “tranquar con todo el mundo” and compare with everyone; the lowest hand wins."."""
    rules = replace(DOMINICAN, block_winner="lowest_hand")
    assert scored(block(0, 8, 9, 7, 1), rules).winning_seat == 3


@pytest.mark.parametrize(("number", "points"), [(1, 100), (2, 75), (3, 50), (4, 25), (5, None)])
def test_dominican_round_bonuses(number: int, points: int | None) -> None:
    """Dominican 3: "Round 1: +100 Round 2: +75 Round 3: +50 Round 4: +25 Round 5+: no extra round bonus"."""
    assert points_of("round_bonus", scored(won(1, 9, 4), ROUNDS, number=number)) == points


def test_dominican_round_bonus_on_top() -> None:
    """Dominican 3: "The round bonus is added on top of leftover pips and any Pase primera mano / …"."""
    facts = domino(0, (), 10, 5, 5, tile=(3, 4), both=True, equal=True, opening=True, corridos=(0,))
    assert scored(facts, ROUNDS, number=2).points == (15 + 50 + 75 + 25 + 25, 0)


@pytest.mark.parametrize(
    ("name", "target"),
    [("dominican-200", 200), ("dominican-250", 250), ("dominican-500", 500), ("dominican-500-bonus", 500)],
)
def test_dominican_game_types(name: str, target: int) -> None:
    """Dominican 3: "First to 200." "First to 250." "First to 500." "First to 500, plus round bonuses"."""
    assert ruleset(name).target == target
    assert bool(ruleset(name).bonuses.rounds) == (name == "dominican-500-bonus")


def test_dominican_options() -> None:
    """Dominican 4: "Pase corrido — default 25 pts. Capicúa — default 50 pts. Chuchazo — default 50 pts."."""
    bonuses = DOMINICAN.bonuses
    assert (bonuses.pase_corrido, bonuses.capicua, bonuses.chuchazo) == (25, 50, 50)


def test_dominican_opening_pass_by_game_type() -> None:
    """Dominican 4: "Opening pass stays 10 (200/250) or 25 (500) by game type."."""
    names = ("dominican-200", "dominican-250", "dominican-500")
    assert [ruleset(name).bonuses.opening_pass for name in names] == [10, 10, 25]


# ================================================================ CDS


def decided(
    number: int, *sides: tuple[str, ...], winner: int = 0, difference: int = 0, competition: str = "competitive"
) -> DecidedMatch:
    """A match in which nothing special happened."""
    when = BEGAN + timedelta(hours=number)
    return DecidedMatch(
        match=f"m-{number}",
        ruleset="cuban-150",
        mode="1v1" if len(sides[0]) == 1 else "2v2",
        competition=competition,
        began_at=when,
        decided_at=when,
        sides=sides,
        winner=winner,
        difference=difference,
        status="completed",
        achievements=Achievements(),
        edition="e",
        position=number,
    )


def folded(*matches: DecidedMatch) -> tuple[RatingState, list[LedgerChange]]:
    """The league after these matches, and all its rating changes."""
    state, changes = RatingState(), list[LedgerChange]()
    for match in matches:
        changes += evolve(state, match, FORMULA)
    return state, changes


def terms(won: bool = True, difference: int = 0, gap: float = 0.0, **achieved: object) -> dict[str, Decimal]:
    """The terms of M; `gap`: by how much the loser is rated higher."""
    own, opponents = (1500.0, 1500.0 + gap) if won else (1500.0 + gap, 1500.0)
    return modifier(won, Achievements(**achieved), difference, own, opponents)


def gain(own: float, opponents: float, outcome: float) -> float:
    return 20.0 * (outcome - expected_score(own, opponents, 400.0))


def test_cds_skill_reflective() -> None:
    """CDS 1.1: "Ratings should rise significantly when beating higher-rated opponents and drop more when losing"."""
    assert gain(1500, 1900, 1.0) > gain(1500, 1500, 1.0) > 0
    assert gain(1500, 1100, 0.0) < gain(1500, 1500, 0.0) < 0


def test_cds_skill_reflective_conversely() -> None:
    """CDS 1.1: "gain fewer rating points when beating a much weaker opponent and lose fewer points …"."""
    assert 0 < gain(1500, 1100, 1.0) < gain(1500, 1500, 1.0)
    assert gain(1500, 1500, 0.0) < gain(1500, 1900, 0.0) < 0


def test_cds_context() -> None:
    """CDS 1.2: "Incorporates special domino achievements (Pollonas, Viajeras, Capicuas) and game dynamics"."""
    everything = terms(pollona=True, viajeras=1, capicuas=1, blocks_won=1, trailed_by=50)
    assert set(everything) == {"pollona", "viajera", "capicua", "block_won", "recovery"}


def test_cds_context_rewards() -> None:
    """CDS 1.2: "Rewards significant point differentials and momentum recoveries."."""
    assert all(value > 0 for value in terms(difference=60, trailed_by=60).values())


def test_cds_separate_ratings() -> None:
    """CDS 1.3: "Maintains separate ratings for 1v1 and 2v2."."""
    state, _ = folded(decided(1, ("a",), ("b",)), decided(2, ("a", "c"), ("b", "d"), winner=1))
    rows = {row.mode: row.rating for row in rating_rows(state, "player", "a", RATING)}
    assert rows["1v1"] > 1500 > rows["2v2"]


def test_cds_overall_weights() -> None:
    """CDS 1.3: "60% weight on the mode a player most frequently participates in"."""
    matches = [decided(number, ("a",), ("b",)) for number in range(1, 4)]
    state, _ = folded(*matches, decided(4, ("a", "c"), ("b", "d"), winner=1))
    rows = {row.mode: row.rating for row in rating_rows(state, "player", "a", RATING)}
    assert rows["overall"] == pytest.approx(0.6 * rows["1v1"] + 0.4 * rows["2v2"])


def test_cds_overall_balanced() -> None:
    """CDS 1.3: "or a 50/50 split if usage is balanced"."""
    state, _ = folded(decided(1, ("a",), ("b",)), decided(2, ("a", "c"), ("b", "d"), winner=1))
    rows = {row.mode: row.rating for row in rating_rows(state, "player", "a", RATING)}
    assert rows["overall"] == pytest.approx((rows["1v1"] + rows["2v2"]) / 2)


def test_cds_start() -> None:
    """CDS 1.4: "New players start with a provisional rating (e.g., 1500)."."""
    state, changes = folded(decided(1, ("a",), ("b",)))
    assert {change.before for change in changes} == {1500.0}
    assert all(row.provisional for row in rating_rows(state, "player", "a", RATING))


def test_cds_higher_k() -> None:
    """CDS 1.4: "Use a higher K-factor in their initial matches so the rating quickly converges"."""
    matches = [decided(number, ("a",), ("b",), winner=number % 2) for number in range(1, 32)]
    rules = [change.k_rule for change in folded(*matches)[1] if change.id == "a"]
    assert rules == ["provisional"] * 30 + ["standard"]


def test_cds_outcome() -> None:
    """CDS 2: "the outcome S is either 1 (win) or 0 (loss)"; "no draws", "ties do not exist"."""
    _, changes = folded(decided(1, ("a", "c"), ("b", "d")))
    assert {(change.id, change.outcome) for change in changes if change.subject == "player"} == {
        ("a", 1.0), ("c", 1.0), ("b", 0.0), ("d", 0.0)
    }  # fmt: skip


def test_cds_formula() -> None:
    """CDS 2: "R′ = R + K × [(S + M) − E]"."""
    _, changes = folded(decided(1, ("a",), ("b",), difference=40))
    for change in changes:
        assert change.after == change.before + change.k * ((change.outcome + change.modifier) - change.expected)


def test_cds_pre_match_rating() -> None:
    """CDS 2: "R: Current rating (pre-match)."; all ratings read are those before the match."""
    _, changes = folded(decided(1, ("a", "c"), ("b", "d")), decided(2, ("a",), ("e",)))
    assert {change.expected for change in changes[:4]} == {0.5}
    last = [change for change in changes if change.match == "m-2"]
    assert {change.before for change in last} == {1500.0}


def test_cds_expected_score() -> None:
    """CDS 2.1: "E = 1 / (1 + 10^((R_opponent − R) / 400))"."""
    assert expected_score(1500.0, 1550.0, 400.0) == pytest.approx(1 / (1 + 10 ** (50 / 400)), abs=1e-15)


def test_cds_modifier_is_a_sum() -> None:
    """CDS 3: "M is a sum of bonuses or penalties reflecting specific achievements or scenarios in the match."."""
    _, changes = folded(decided(1, ("a",), ("b",), difference=40))
    assert [change.modifier for change in changes] == [0.2, -0.2]
    assert all(change.modifier == float(sum(value for _, value in change.modifier_terms)) for change in changes)


def test_cds_cap() -> None:
    """CDS 3: "you may apply an optional cap to M (e.g., M_max = +1.0 and M_min = −1.0)"."""
    one = FORMULA.one
    assert capped(one + 1, FORMULA) == one
    assert capped(-one - 1, FORMULA) == -one
    assert capped(one + 1, formula_of(replace(RATING, cap=False))) == one + 1


def test_cds_differential_above() -> None:
    """CDS 3.1: "+0.05 for every 10 points above opponent's total."."""
    assert terms(difference=30) == {"differential": Decimal("0.15")}
    assert terms(difference=9) == {}


def test_cds_differential_below() -> None:
    """CDS 3.1: "-0.05 for every 10 points below opponent's total."."""
    assert terms(won=False, difference=39) == {"differential": Decimal("-0.15")}


def test_cds_differential_example() -> None:
    """CDS 3.1: "Winning 150–120 nets (30/10)×0.05=+0.15."."""
    assert terms(difference=150 - 120)["differential"] == Decimal("0.15")


def test_cds_pollona() -> None:
    """CDS 3.2: "Pollona (opponent scores 0): +0.2"."""
    assert terms(pollona=True) == {"pollona": Decimal("0.2")}


def test_cds_viajera() -> None:
    """CDS 3.2: "Viajera (100+ points in a single round): +0.1"."""
    assert terms(viajeras=ended(CUBAN, won(0, 100)).achievements.viajeras) == {"viajera": Decimal("0.1")}


def test_cds_capicua() -> None:
    """CDS 3.2: "Capicua (last tile matches both ends): +0.1"."""
    assert terms(capicuas=ended(CUBAN, domino(0, (), 150, both=True)).achievements.capicuas) == {
        "capicua": Decimal("0.1")
    }


def test_cds_capicua_blocked() -> None:
    """CDS 3.2: "Capicua in a Blocked Game: Additional +0.1 (total +0.2)"."""
    achieved = ended(CUBAN, won(1, 1), domino(0, (), 150, both=True, blocks=True)).achievements
    terms = modifier(True, replace(achieved, viajeras=0), 0)
    assert terms == {"capicua": Decimal("0.1"), "capicua_blocks": Decimal("0.1")}


def test_cds_recovery_50() -> None:
    """CDS 3.3: "Winning after trailing by 50+ points at any stage: +0.15"."""
    achieved = ended(CUBAN, won(1, 50), won(0, 150)).achievements
    assert terms(trailed_by=achieved.trailed_by) == {"recovery": Decimal("0.15")}
    assert terms(trailed_by=49) == {}


def test_cds_recovery_100() -> None:
    """CDS 3.3: "Winning after trailing by 100+ points: +0.25"."""
    achieved = ended(CUBAN, won(1, 60), won(1, 40), won(0, 150)).achievements
    assert terms(trailed_by=achieved.trailed_by) == {"recovery": Decimal("0.25")}


def test_cds_recovery_exclusive() -> None:
    """CDS 3.3: "These are mutually exclusive—use the highest that applies."."""
    assert sum(terms(trailed_by=140).values()) == Decimal("0.25")


def test_cds_block_won() -> None:
    """CDS 3.4: "Blocked Round Win: +0.1"."""
    achieved = ended(CUBAN, block(1, 1, 60), won(0, 90)).achievements
    assert terms(blocks_won=achieved.blocks_won) == {"block_won": Decimal("0.1")}


def test_cds_critical_block() -> None:
    """CDS 3.4: "Win Secured by a Critical Block (e.g., you forced the block or made the key move): +0.1"."""
    assert terms(critical_block=ended(CUBAN, block(0, 1, 150)).achievements.critical_block) == {
        "critical_block": Decimal("0.1")
    }


def test_cds_stronger() -> None:
    """CDS 3.5: "+0.05 for every 100-point gap when defeating a stronger opponent."."""
    assert terms(gap=250.0) == {"strength": Decimal("0.10")}
    assert terms(gap=99.0) == {}


def test_cds_weaker() -> None:
    """CDS 3.5: "-0.05 for every 100-point gap when losing to a weaker opponent."."""
    assert terms(won=False, gap=250.0) == {"strength": Decimal("-0.10")}


def test_cds_high_k() -> None:
    """CDS 4.1: "High K (40)": "New players (first X matches) or special tournaments."."""
    assert k_factor(1500.0, 0, "competitive", FORMULA) == ("provisional", 40)
    assert k_factor(1500.0, 50, "special", FORMULA) == ("special", 40)


def test_cds_medium_k() -> None:
    """CDS 4.2: "Medium K (20)": "Standard for most matches once players have established ratings."."""
    assert k_factor(1500.0, 30, "competitive", FORMULA) == ("standard", 20)


def test_cds_low_k() -> None:
    """CDS 4.3: "Low K (10)": "High-rated veterans, or casual/friendly matches"."""
    assert k_factor(2000.0, 100, "competitive", FORMULA) == ("veteran", 10)
    assert k_factor(1500.0, 50, "casual", FORMULA) == ("casual", 10)


def test_cds_blocked_games() -> None:
    """CDS 5: "the side with the lowest pip total in hand wins a blocked round."."""
    assert scored(block(1, 20, 1, 20, 40), CUBAN).winner == 0


def test_cds_no_tie() -> None:
    """CDS 5: "There is no possibility of a tie."."""
    for last in (None, 0, 1):
        assert scored(block(0, 20, 20), CUBAN, last_winner=last).winner is not None


def test_cds_blocked_bonuses() -> None:
    """CDS 5: "Bonuses for blocked round … remain as part of the performance modifier."."""
    achieved = ended(CUBAN, won(1, 1), block(0, 1, 99), block(0, 1, 99)).achievements
    assert set(terms(blocks_won=achieved.blocks_won, critical_block=achieved.critical_block)) == {
        "block_won", "critical_block"
    }  # fmt: skip


def test_cds_example() -> None:
    """CDS 6: "Hence, Player A's new rating is 1569 (rounded)."; by the unrounded E it is 1568.57…."""
    terms = modifier(True, Achievements(capicuas=1, capicuas_blocking=1, trailed_by=50), 30, 1550.0, 1500.0)
    total = sum(terms.values(), Decimal(0))
    after = 1550.0 + 20.0 * ((1.0 + float(total)) - expected_score(1550.0, 1500.0, 400.0))
    assert total == Decimal("0.5")
    assert after == pytest.approx(1568.57, abs=5e-3)
    assert shown(after) == 1569


def test_cds_always_a_winner() -> None:
    """CDS 8.1: "Cuban Dominoes always has a winner—so S is strictly 0 or 1."."""
    result = ended(CUBAN, won(0, 80), won(1, 80))
    assert result.winner == 1


def test_cds_flexible() -> None:
    """CDS 8.4: "Each mode remains distinct, yet merges into an Overall rating if desired."."""
    state, _ = folded(decided(1, ("a",), ("b",)))
    assert [row.mode for row in rating_rows(state, "player", "a", RATING)] == ["1v1", "overall"]


def test_no_quoted_rule_needs_the_clock() -> None:
    """Every text: a score is a function of facts and rules; when the test runs does not matter."""
    early = OpenMatch("m", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, BEGAN)
    assert Given().when(early).events == Given().when(replace(early, played_at=NOW)).events
