"""How a match ends: the end condition, hands after it, cut short, announced, and what its winner did."""

from __future__ import annotations

from datetime import timedelta

import pytest
from given import BEGAN, announced, block, domino, ended, match_of, ruleset
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.hand import HandFacts
from league.domain.result import Achievements, AnnouncedResult, result_of
from league.domain.rules import Mode, Ruleset
from league.rulebook import shipped_edition

CUBAN = ruleset("cuban-150")
DOSCIENTOS = ruleset("doscientos-100")
BONUS = ruleset("caribbean-500-bonus")
PARTNERSHIP = ruleset("partnership-6")
CHIVA = ruleset("chiva-4")
DOMINICAN = ruleset("dominican-200")


def won(seat: int, pips: int, seats: int = 2, **more: object) -> HandFacts:
    """A domino that scores this many pips, held by the next seat."""
    held = [0 if other == seat else pips if other == (seat + 1) % seats else 0 for other in range(seats)]
    return domino(seat, *held, **more)


# ---------------------------------------------------------------- the end condition


def test_the_first_to_reach_the_target_wins() -> None:
    """150 exactly is reached; the hand that reached it is named."""
    result = ended(CUBAN, won(0, 80), won(1, 90), won(0, 70))
    assert (result.status, result.winner, result.score, result.last_hand) == ("completed", 0, (150, 90), 3)


def test_one_point_short_of_the_target_is_not_the_end() -> None:
    """149 does not end a match to 150."""
    result = ended(CUBAN, won(0, 80), won(0, 69), over=False)
    assert (result.status, result.winner, result.score, result.last_hand) == ("open", None, (149, 0), None)


@pytest.mark.parametrize(
    ("name", "target"),
    [("cuban-150", 150), ("doscientos-100", 100), ("doscientos-200", 200), ("caribbean-500-bonus", 500),
     ("partnership-6", 6), ("chiva-4", 4), ("dominican-200", 200), ("dominican-250", 250), ("dominican-500", 500),
     ("dominican-500-bonus", 500)],
)  # fmt: skip
def test_every_ruleset_has_its_target(name: str, target: int) -> None:
    """The end of each ruleset of edition 1."""
    assert ruleset(name).target == target


def test_both_sides_past_the_target_the_higher_total_wins() -> None:
    """The losers' passes brought them over 200 in the same hand, the winner's hand brought less."""
    hands = (won(0, 190, 4), won(1, 195, 4), won(0, 10, 4, corridos=(1, 1)))
    result = ended(DOMINICAN, *hands)
    assert (result.score, result.winner, result.last_hand) == ((200, 245), 1, 3)


def test_equal_totals_past_the_target_go_to_the_winner_of_the_hand() -> None:
    """220-220: the side that won the last hand has won."""
    hands = (won(0, 190, 4), won(1, 195, 4), won(0, 30, 4, corridos=(1,)))
    result = ended(DOMINICAN, *hands)
    assert (result.score, result.winner) == ((220, 220), 0)


def test_equal_totals_past_the_target_after_a_hand_that_nobody_won() -> None:
    """The last hand was tied under `no_score`, its pases corridos ended the match: the latest hand won decides."""
    rules = replace(DOMINICAN, block_tie="no_score")
    tied = block(0, 5, 5, 9, 9, corridos=(0, 1))
    result = ended(rules, won(1, 180, 4), won(0, 180, 4), tied)
    assert (result.score, result.winner, result.status) == ((205, 205), 0, "completed")


def test_a_match_ends_by_points_of_a_hand_that_nobody_won() -> None:
    """A pase corrido in a block without a winner can reach the target."""
    rules = replace(DOMINICAN, block_tie="no_score")
    result = ended(rules, won(1, 180, 4), block(0, 5, 5, 9, 9, corridos=(1,)))
    assert (result.score, result.winner, result.last_hand) == ((0, 205), 1, 2)


def test_a_bonus_counts_toward_the_target_in_its_own_hand() -> None:
    """150 pips and a capicúa of 50 end a match to 200."""
    result = ended(DOMINICAN, won(0, 150, 4, tile=(3, 4), both=True, equal=True))
    assert (result.score, result.winner, result.status) == ((200, 0), 0, "completed")


# ---------------------------------------------------------------- hands after the end


def test_a_hand_after_the_end_is_kept_and_counts_for_nothing() -> None:
    """It has a winner and an end, but no points, terms or rules that were not judged."""
    result = ended(CUBAN, won(0, 160), won(1, 170, both=None))
    late = result.hands[1]
    assert (result.winner, result.score, result.last_hand) == (0, (160, 0), 1)
    assert (late.counted, late.winner, late.ended_by) == (False, 1, "domino")
    assert (late.points, late.terms, late.not_judged) == ((0, 0), (), ())


def test_a_hand_after_the_end_earns_no_achievement() -> None:
    """A capicúa, a block and a viajera after the end are not the winner's."""
    late = (won(0, 150, both=True), block(0, 1, 120))
    assert ended(CUBAN, won(0, 160), *late).achievements == ended(CUBAN, won(0, 160)).achievements


def test_a_hand_after_the_end_settles_no_later_tie() -> None:
    """`previous_winner` is who won the last hand that counted: side 0, though side 1 won a hand after the end."""
    result = ended(CUBAN, won(0, 150), won(1, 20), block(1, 20, 20, starter=1))
    assert [(hand.winner, hand.counted) for hand in result.hands] == [(0, True), (1, False), (0, False)]


def test_another_edition_may_end_a_match_earlier() -> None:
    """To 100 the same hands end one hand earlier; the rest is kept and counts for nothing."""
    hands = (won(0, 60), won(0, 60), won(1, 90), won(0, 40))
    assert ended(replace(CUBAN, target=100), *hands).last_hand == 2
    assert ended(CUBAN, *hands).last_hand == 4


# ---------------------------------------------------------------- reset, row, shutout


def test_a_reset_sends_both_sides_back_to_nothing() -> None:
    """Partnership: side 1 wins while it is behind, the score becomes 0-0, and the hand scores nothing."""
    result = ended(PARTNERSHIP, won(0, 1, 4), won(0, 1, 4), won(1, 1, 4), won(1, 1, 4), over=False)
    assert result.score == (0, 1)


def test_a_reset_may_leave_the_winner_its_hand() -> None:
    """`winner_keeps_hand`: 0-0, then the point of the hand."""
    rules = replace(PARTNERSHIP, reset="winner_keeps_hand")
    assert ended(rules, won(0, 1, 4), won(0, 1, 4), won(1, 1, 4), over=False).score == (0, 1)
    assert ended(rules, won(0, 1, 4), won(0, 1, 4), won(1, 1, 4, both=True), over=False).score == (0, 2)


def test_without_a_reset_hand_points_add_up() -> None:
    """`off`: 2-1."""
    rules = replace(PARTNERSHIP, reset="off")
    assert ended(rules, won(0, 1, 4), won(0, 1, 4), won(1, 1, 4), over=False).score == (2, 1)


def test_six_hand_points_win_a_partnership() -> None:
    """The key bone may bring it to seven."""
    result = ended(PARTNERSHIP, *[won(0, 1, 4)] * 5, won(2, 1, 4, both=True))
    assert (result.status, result.score, result.winner, result.last_hand) == ("completed", (7, 0), 0, 6)


def test_four_hands_in_a_row_win_a_chiva() -> None:
    """Three and one and four: the row is what counts, and there is no score."""
    result = ended(CHIVA, *[won(0, 9)] * 3, won(1, 9), *[won(0, 9)] * 4)
    assert (result.status, result.winner, result.score, result.last_hand) == ("completed", 0, None, 8)


def test_a_hand_that_nobody_won_breaks_a_row() -> None:
    """Three, a tie without a winner, one: no four in a row."""
    rules = replace(CHIVA, block_tie="no_score")
    result = ended(rules, *[won(0, 9)] * 3, block(0, 5, 5), won(0, 9), over=False)
    assert (result.status, result.last_hand) == ("open", None)


def test_the_shutout_adds_100_to_the_final_score_and_to_no_hand() -> None:
    """`per_match`: once, when the match ends with every loser on 0."""
    result = ended(BONUS, won(0, 168, drew=(0,)), won(0, 168, drew=(0,)), won(0, 168, drew=(0,)))
    assert [hand.points for hand in result.hands] == [(268, 0), (168, 0), (168, 0)]
    assert (result.score, result.terms) == ((704, 0), ((0, "shutout", 100),))


def test_no_shutout_when_a_loser_has_scored() -> None:
    """With individuals every loser has to be on 0."""
    result = ended(BONUS, won(0, 100, 3), won(1, 1, 3), won(0, 100, 3), won(0, 100, 3), won(0, 100, 3))
    assert result.terms == ()
    assert ended(BONUS, *[won(0, 130, 3)] * 4).terms == ((0, "shutout", 100),)


def test_the_shutout_does_not_end_a_match() -> None:
    """It is given when the match has ended, so it cannot bring a side to the target."""
    assert ended(BONUS, won(0, 168), won(0, 132), over=False).score == (450, 0)


def test_a_shutout_is_given_when_a_match_is_cut_short_too() -> None:
    """Its achievements count as usual."""
    result = ended(BONUS, won(0, 100))
    assert (result.status, result.terms) == ("cut_short", ((0, "shutout", 100),))


@pytest.mark.parametrize(("option", "score"), [("per_hand", (636, 0)), ("off", (604, 0))])
def test_other_shutouts_leave_the_final_score_alone(option: str, score: tuple[int, int]) -> None:
    """`per_hand` adds the bonus to the hands, so the match ends after two; `off` adds it nowhere."""
    result = ended(replace(BONUS, shutout=option), *[won(0, 168, drew=(0,))] * 3)
    assert (result.terms, result.score) == ((), score)


# ---------------------------------------------------------------- cut short, announced, forfeited, voided


def test_a_match_that_stopped_early_is_won_by_the_higher_score() -> None:
    """Cut short: the end condition never held."""
    result = ended(CUBAN, won(0, 80), won(1, 90))
    assert (result.status, result.winner, result.score, result.last_hand) == ("cut_short", 1, (80, 90), None)


def test_a_match_that_stopped_on_equal_scores_is_won_by_the_latest_hand() -> None:
    """80-80: the side among them that won the latest hand."""
    assert ended(CUBAN, won(0, 80), won(1, 80)).winner == 1
    assert ended(CUBAN, won(1, 80), won(0, 80)).winner == 0


def test_among_individuals_the_latest_hand_of_those_in_front_decides() -> None:
    """Seats 0 and 1 are level; seat 2 won later than both, but is behind."""
    assert ended(DOSCIENTOS, won(1, 30, 3), won(0, 30, 3), won(2, 5, 3)).winner == 0


def test_a_chiva_that_stopped_is_led_by_the_running_row() -> None:
    """The row that runs at the end, not the longest one there was."""
    result = ended(CHIVA, *[won(0, 9)] * 3, won(1, 9))
    assert (result.status, result.winner) == ("cut_short", 1)


def test_a_chiva_that_stopped_on_a_hand_that_nobody_won_goes_to_the_latest_hand_won() -> None:
    """No row runs; the last hand that had a winner leads."""
    rules = replace(CHIVA, block_tie="no_score")
    assert ended(rules, won(1, 9), won(0, 9), block(0, 5, 5)).winner == 0


def test_a_match_without_any_hand_won_stays_open() -> None:
    """If all hands are ties without a winner, the match has no winner."""
    rules = replace(CUBAN, block_tie="no_score")
    result = ended(rules, block(0, 5, 5))
    assert (result.status, result.winner) == ("open", None)


def test_the_announced_score_of_a_match_with_hands_is_read_by_no_fold() -> None:
    """Side 1 was announced with 150-0; by its hands side 0 has won."""
    announced = AnnouncedResult(1, (0, 150))
    assert ended(CUBAN, won(0, 160), announced=announced) == ended(CUBAN, won(0, 160))


def test_a_match_without_hands_is_taken_from_what_was_announced() -> None:
    """Winner and score count; what needs hands is listed as not judged."""
    result = announced(CUBAN, 0, 152, 87)
    assert (result.status, result.winner, result.score) == ("announced", 0, (152, 87))
    assert result.not_judged == ("viajera", "capicua", "capicua_blocks", "recovery", "block_won", "critical_block")


def test_an_announced_match_without_a_score_has_only_a_winner() -> None:
    """No score, no pollona."""
    result = announced(CUBAN, 1)
    assert (result.winner, result.score, result.achievements.pollona) == (1, None, False)


def test_an_announced_chiva_has_no_score() -> None:
    """This holds even if the edition has turned a game with points into a row."""
    assert announced(CHIVA, 1, 3, 4).score is None


def test_an_announced_pollona_is_one() -> None:
    """The loser's 0 is known from the announced score."""
    assert announced(CUBAN, 1, 0, 150).achievements.pollona is True
    assert announced(CUBAN, 1, 1, 150).achievements.pollona is False


def test_a_forfeited_match_is_won_by_the_other_side() -> None:
    """The score does not matter, and neither side has achievements."""
    result = ended(CUBAN, won(0, 140, both=True), forfeited_by=0)
    assert (result.status, result.winner, result.score) == ("forfeited", 1, (140, 0))
    assert (result.achievements, result.terms) == (ended(CUBAN, over=False).achievements, ())


def test_a_forfeited_match_without_hands_has_the_announced_score() -> None:
    """It may have no score; the forfeit outweighs the announced winner."""
    assert ended(CUBAN, forfeited_by=0).score is None
    result = ended(CUBAN, forfeited_by=0, announced=AnnouncedResult(0, (140, 20)))
    assert (result.status, result.winner, result.score) == ("forfeited", 1, (140, 20))
    assert ended(CHIVA, forfeited_by=0, announced=AnnouncedResult(1, (0, 4))).score is None


def test_a_forfeit_has_no_bonus_for_a_shutout() -> None:
    """The score stays as it was played."""
    assert ended(BONUS, won(0, 120), forfeited_by=1).score == (100 + 120 + 25, 0)


def test_of_several_individuals_the_one_who_leads_wins_by_a_forfeit() -> None:
    """The score decides, then the latest hand; if no other won a hand, the match is voided."""

    def forfeited(*hands: HandFacts, by: int = 0) -> tuple[str, int | None]:
        result = ended(DOSCIENTOS, *hands, forfeited_by=by)
        return result.status, result.winner

    assert forfeited(won(0, 60, 3), won(1, 30, 3), won(2, 20, 3)) == ("forfeited", 1)
    assert forfeited(won(1, 30, 3), won(2, 30, 3)) == ("forfeited", 2)
    assert forfeited(won(2, 30, 3), won(1, 30, 3)) == ("forfeited", 1)
    assert forfeited(won(0, 60, 3), won(0, 30, 3)) == ("voided", None)
    assert forfeited(won(0, 60, 3), won(1, 10, 3), by=1) == ("forfeited", 0)


def test_a_forfeit_stands_whatever_the_hands_say() -> None:
    """Under this edition its first hand has ended the match, and was won by the side that gave up."""
    result = ended(replace(CUBAN, target=50), won(0, 60, both=True), won(0, 90), forfeited_by=0)
    assert (result.winner, result.score, result.achievements, result.tallies) == (1, (60, 0), Achievements(), ())


def test_a_voided_match_has_no_winner() -> None:
    """A voided match counts for nothing, but its hands are still listed."""
    result = ended(CUBAN, won(0, 160), voided=True)
    assert (result.status, result.winner, len(result.hands)) == ("voided", None, 1)


# ---------------------------------------------------------------- what the winner did


def test_pollona_is_a_loser_on_0() -> None:
    """One point is enough to be no pollona."""
    assert ended(CUBAN, won(0, 150)).achievements.pollona is True
    assert ended(CUBAN, won(1, 1), won(0, 150)).achievements.pollona is False


def test_pollona_with_individuals_asks_for_every_loser() -> None:
    """One loser with points spoils it."""
    assert ended(DOSCIENTOS, won(0, 100, 3)).achievements.pollona is True
    assert ended(DOSCIENTOS, won(2, 5, 3), won(0, 100, 3)).achievements.pollona is False


@pytest.mark.parametrize(("pips", "viajeras"), [(99, 0), (100, 1), (101, 1)])
def test_a_viajera_is_100_leftover_pips_in_a_hand(pips: int, viajeras: int) -> None:
    """99 is none, 100 is one."""
    assert ended(CUBAN, won(0, pips)).achievements.viajeras == viajeras


def test_bonuses_do_not_make_a_viajera() -> None:
    """99 pips and 100 points for the first hand are none."""
    assert ended(BONUS, won(0, 99)).achievements.viajeras == 0


def test_a_rulesets_own_border_of_a_viajera() -> None:
    """`viajera_from` is a setting."""
    assert ended(replace(CUBAN, viajera_from=60), won(0, 60), won(0, 59)).achievements.viajeras == 1


def test_only_the_match_winners_hands_earn_achievements() -> None:
    """The loser's viajera, capicúa and block are not counted."""
    hands = (won(1, 120, both=True, blocks=True), block(1, 20, 10), won(0, 149), won(0, 60))
    achieved = ended(CUBAN, *hands).achievements
    assert (achieved.viajeras, achieved.capicuas, achieved.capicuas_blocking, achieved.blocks_won) == (1, 0, 0, 0)


def test_capicuas_and_those_that_block_are_counted() -> None:
    """Two capicúas, one of which also blocked the chain."""
    achieved = ended(CUBAN, won(0, 50, both=True), won(0, 50, both=True, blocks=True), won(0, 50)).achievements
    assert (achieved.capicuas, achieved.capicuas_blocking) == (2, 1)


def test_a_last_tile_that_blocks_without_a_capicua_is_nothing() -> None:
    """`blocks_too` counts for a capicúa only."""
    assert ended(CUBAN, won(0, 150, blocks=True)).achievements.capicuas_blocking == 0


def test_a_capicua_that_blocks_is_no_block_won() -> None:
    """It is a domino."""
    assert ended(CUBAN, won(0, 150, both=True, blocks=True)).achievements.blocks_won == 0


def test_a_void_capicua_is_none() -> None:
    """Dominican: equal ends by a double."""
    hands = (won(0, 200, 4, tile=(3, 3), both=True, equal=True, blocks=True),)
    achieved = ended(DOMINICAN, *hands).achievements
    assert (achieved.capicuas, achieved.capicuas_blocking) == (0, 0)


def test_trailing_is_measured_at_the_end_of_hands() -> None:
    """0-30, 0-70, 80-70, 80-100: the most was 70."""
    hands = (won(1, 30), won(1, 40), won(0, 80), won(1, 30), won(0, 80))
    assert ended(CUBAN, *hands).achievements.trailed_by == 70


def test_a_side_that_never_trailed_trailed_by_nothing() -> None:
    """Level is not behind."""
    assert ended(CUBAN, won(0, 50), won(1, 50), won(0, 100)).achievements.trailed_by == 0


def test_blocks_won_counts_hands_that_the_winner_won_by_a_block() -> None:
    """Hands won by a block count, regardless of the locker."""
    assert ended(CUBAN, block(0, 1, 50), block(1, 1, 50), block(0, 50, 1), won(0, 60)).achievements.blocks_won == 2


def test_a_critical_block_ends_the_match_by_the_winners_own_lock() -> None:
    """The last hand that counted was a block, locked by the winning side and won by it."""
    assert ended(CUBAN, won(0, 100), block(0, 1, 50)).achievements.critical_block is True
    assert ended(CUBAN, won(0, 100), block(1, 1, 50)).achievements.critical_block is False
    assert ended(CUBAN, block(0, 1, 50), won(0, 100)).achievements.critical_block is False


def test_a_partners_lock_is_a_critical_block() -> None:
    """It is the side that counts."""
    assert ended(CUBAN, block(2, 100, 100, 10, 90)).achievements.critical_block is True


def test_a_hand_after_the_end_does_not_take_a_critical_block_away() -> None:
    """The last hand that counted is looked at, not the last one played."""
    assert ended(CUBAN, block(0, 1, 160), won(1, 50)).achievements.critical_block is True


def test_a_critical_block_with_an_unknown_locker_is_not_judged() -> None:
    """The locker was not recorded."""
    result = ended(CUBAN, won(0, 100), block(None, 1, 50))
    assert result.achievements.critical_block is False
    assert result.not_judged == ("critical_block",)


def test_unknown_facts_of_a_match_are_listed_by_the_term_that_needs_them() -> None:
    """An unknown leftover, capicúa or block keeps a term of the modifier from being judged."""
    assert ended(CUBAN, won(0, 160), over=True).not_judged == ()
    score_terms = ("differential", "pollona", "recovery")
    assert ended(CUBAN, domino(0, 0, None), won(0, 160)).not_judged == ("viajera", *score_terms)
    assert ended(CUBAN, won(0, 160, both=None)).not_judged == ("capicua",)
    assert ended(CUBAN, won(0, 160, both=True, blocks=None)).not_judged == ("capicua_blocks",)
    assert ended(CUBAN, won(1, 20, both=None), won(0, 160)).not_judged == ()


def test_a_score_that_is_not_known_earns_nothing() -> None:
    """The loser won a hand with unknown pips: no pollona, no shutout, and the differential is not judged."""
    unknown = ended(CUBAN, domino(1, None, 0), won(0, 160))
    assert not unknown.achievements.pollona
    assert unknown.not_judged == ("differential", "pollona", "recovery")
    bonus = shipped_edition(1).rulesets["caribbean-500-bonus"]
    assert ended(bonus, domino(1, None, 0), *[won(0, 130)] * 4).terms == ()


def test_games_without_points_know_no_pollona_viajera_or_recovery() -> None:
    """Partnership and chiva."""
    for rules in (PARTNERSHIP, CHIVA):
        result = ended(rules, *[won(0, 120, 4)] * 6)
        assert (result.achievements.pollona, result.achievements.viajeras, result.achievements.trailed_by) == (
            False,
            0,
            0,
        )


# ---------------------------------------------------------------- laws


@st.composite
def hands(draw: st.DrawFn, seats: int) -> HandFacts:
    """Facts by pips, with every bonus there is, known or not."""
    held = draw(st.lists(st.one_of(st.none(), st.integers(0, 40)), min_size=seats, max_size=seats))
    maybe = st.sampled_from([True, False, None])
    who = st.integers(0, seats - 1)
    tile = draw(st.sampled_from([None, (0, 0), (3, 3), (0, 4), (2, 5)]))
    more = {
        "starter": draw(st.one_of(st.none(), who)),
        "opening": draw(maybe),
        "corridos": draw(st.one_of(st.none(), st.lists(who, max_size=3).map(tuple))),
        "drew": draw(st.one_of(st.none(), st.sets(who).map(tuple))) if seats < 4 else (),
        "tile": tile,
        "both": draw(maybe),
        "equal": draw(maybe),
    }
    if draw(st.booleans()):
        return block(draw(st.one_of(st.none(), who)), *held, **more)
    seat = draw(who)
    held[seat] = 0
    return domino(seat, *held, blocks=draw(maybe), **more)


@st.composite
def matches(draw: st.DrawFn) -> tuple[Ruleset, Mode, tuple[HandFacts, ...]]:
    """A ruleset with its options turned at random, a mode, and hands."""
    name = draw(st.sampled_from(["cuban-150", "doscientos-100", "caribbean-500-bonus", "partnership-6", "chiva-4",
                                 "dominican-200", "dominican-500-bonus"]))  # fmt: skip
    rules = ruleset(
        name,
        block_winner=draw(st.sampled_from(["side_total", "lowest_hand", "locker_vs_next"])),
        block_tie=draw(st.sampled_from(["previous_winner", "starting_draw", "starter", "locker", "no_score"])),
        counted_pips=draw(st.sampled_from(["opponents", "all_others"])),
        capicua=draw(st.sampled_from(["fits_both_ends", "ends_equal"])),
        shutout=draw(st.sampled_from(["per_match", "per_hand", "off"])),
        reset=draw(st.sampled_from(["to_zero", "winner_keeps_hand", "off"])),
    )
    mode, seats = draw(st.sampled_from([("1v1", 2), ("2v2", 4), ("individuals", 3), ("individuals", 4)]))
    return rules, mode, tuple(draw(st.lists(hands(seats), min_size=1, max_size=12)))


@pytest.mark.heavy
@given(matches())
def test_terms_add_up_to_the_points_of_each_side(drawn: tuple[Ruleset, Mode, tuple[HandFacts, ...]]) -> None:
    """A hand's points are the sum of its terms, by side; a match's score is the sum of its hands and its own terms."""
    rules, mode, played = drawn
    result = ended(rules, *played, mode=mode)
    for hand in result.hands:
        for side, points in enumerate(hand.points):
            assert points == sum(term.points for term in hand.terms if term.side == side)
    if result.score is not None and not any(term.rule == "reset" for hand in result.hands for term in hand.terms):
        for side, total in enumerate(result.score):
            own = sum(points for at, _, points in result.terms if at == side)
            assert total == own + sum(hand.points[side] for hand in result.hands)


@pytest.mark.heavy
@given(matches())
def test_a_match_that_is_decided_has_exactly_one_winner(drawn: tuple[Ruleset, Mode, tuple[HandFacts, ...]]) -> None:
    """Completed and cut short matches have one winning side, and it leads; an open one has none."""
    rules, mode, played = drawn
    result = ended(rules, *played, mode=mode)
    assert (result.winner is None) == (result.status == "open")
    if result.winner is not None and result.score is not None:
        assert result.score[result.winner] == max(result.score)
    if result.status == "open" and result.score is not None:
        leaders = {side for side, points in enumerate(result.score) if points == max(result.score)}
        assert len(leaders) > 1
        assert not leaders & {hand.winner for hand in result.hands}


@pytest.mark.heavy
@given(matches())
def test_scoring_is_a_function_of_facts_and_rules_alone(drawn: tuple[Ruleset, Mode, tuple[HandFacts, ...]]) -> None:
    """The time of play and the players do not change the result."""
    rules, mode, played = drawn
    match = match_of(*played, mode=mode)
    others = tuple(reversed(match.seats))
    later = replace(match, seats=others, began_at=BEGAN - timedelta(days=9), competition="casual")
    assert result_of(match, rules) == result_of(match, rules) == result_of(later, rules)


@pytest.mark.heavy
@given(matches())
def test_the_end_is_the_first_hand_that_meets_the_condition(drawn: tuple[Ruleset, Mode, tuple[HandFacts, ...]]) -> None:
    """No shorter row of hands had ended the match, and nothing after the last hand changes its result."""
    rules, mode, played = drawn
    last = ended(rules, *played, mode=mode).last_hand
    for count in range(1, len(played)):
        shorter = ended(rules, *played[:count], mode=mode)
        assert shorter.last_hand == (last if last is not None and count >= last else None)


@pytest.mark.heavy
@given(matches())
def test_what_is_not_judged_awards_nothing(drawn: tuple[Ruleset, Mode, tuple[HandFacts, ...]]) -> None:
    """A rule that is listed for a hand has no term in it, nor any side points from it."""
    rules, mode, played = drawn
    for hand in ended(rules, *played, mode=mode).hands:
        assert not {term.rule for term in hand.terms} & (set(hand.not_judged) - {"opening_pass"})
