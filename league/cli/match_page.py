"""A match and its hands as they stand in the log, for people and for scripts."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.competitors import player_id
from league.cli.opening import reading
from league.cli.seated import Seated
from league.domain.bonuses import HAND_TERMS
from league.domain.disputes import Review
from league.domain.match import MatchState
from league.domain.not_judged import NotJudged, not_judged_in_match
from league.domain.refusals import NotFound
from league.domain.result import Played, Result, result_of
from league.domain.rules import Ruleset
from league.domain.scoring import HandScore
from league.projections.queries.official import names_of
from league.wording.language import _, spoken
from league.wording.matches import competition_in_words, status_in_words
from league.wording.not_judged import fact_in_words, not_judged_in_words, rule_in_words
from league.wording.numbers import moment_of, signed


class MatchPage(Struct, frozen=True):
    """A match with its rules, its result and its players."""

    id: str
    played: Played
    ruleset: Ruleset
    seated: Seated
    zone: ZoneInfo
    review: Review
    """What its players said about its result."""
    last_hand_at: datetime | None = None
    """When its last hand ended."""

    @property
    def result(self) -> Result:
        """The result as it stands."""
        return result_of(self.played, self.ruleset)

    def with_state(self, state: MatchState) -> "MatchPage":
        """The page as it would be after other events."""
        assert state.played is not None, "a match that was opened stays so"
        return MatchPage(self.id, state.played, self.ruleset, self.seated, self.zone, state.review, state.last_hand_at)

    def not_judged(self, hand: int | None = None) -> list[NotJudged]:
        """What the rules did not judge, in one hand or in all of the match."""
        found = not_judged_in_match(self.played, self.ruleset, self.result)
        return [one for one in found if hand is None or one.hand == hand]


def page_of(league: League, match: str) -> MatchPage:
    """The page of a match. Raises NotFound."""
    states = StreamStates(league.store, clock())
    state = states.match(match)
    played = state.played
    if played is None:
        raise NotFound("match", "match", match, listed_by="league match list")
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    with reading(league) as conn:
        names = names_of(conn, played.seats)
    return MatchPage(match, played, ruleset, Seated.of(played, names), states.zone(), state.review, state.last_hand_at)


def player_of_match(league: League, match: str, who: str) -> str:
    """The id of a player of a match, by what the table calls them; of another player by id or name. Raises Refusal."""
    seated = page_of(league, match).seated
    called = seated.called(who)
    return seated.ids[called[0]] if len(called) == 1 else player_id(league, who)


# ---------------------------------------------------------------- for people


def print_match(page: MatchPage) -> None:
    """The match, its score, its hands, and what was not judged."""
    result, seated = page.result, page.seated
    print_summary(page)
    if result.hands:
        terminal.out.print()
        rows = [
            (number, _winner(hand, seated), _points(hand), "; ".join(term_lines(hand, seated)))
            for number, hand in enumerate(result.hands, 1)
        ]
        columns = (_("hand"), _("won by"), _("points"), _("terms"))
        terminal.table(_("Hands"), columns, rows, numbers=(columns[0], columns[2]))
    print_not_judged(page)


def print_summary(page: MatchPage) -> None:
    """Who plays what, since when, and how it stands."""
    began = moment_of(page.played.began_at, page.zone)
    terminal.out.print(f"{page.id}: {' - '.join(page.seated.sides)}", markup=False, style="bold")
    about = (page.played.ruleset, page.played.mode, competition_in_words(page.played.competition))
    terminal.out.print(f"{', '.join(about)}, {began} ({page.zone})", markup=False)
    terminal.out.print(in_words(page), markup=False)
    for said in review_lines(page):
        terminal.out.print(terminal.shown(said), markup=False)


def in_words(page: MatchPage) -> str:
    """The score and the status in one sentence."""
    result, seated = page.result, page.seated
    score = score_in_words(page)
    if result.winner is not None:
        winner, status = seated.side_name(result.winner), status_in_words(result.status)
        if score:
            return _("{winner} won the match: {score} ({status}).", winner=winner, score=score, status=status)
        return _("{winner} won the match ({status}).", winner=winner, status=status)
    if result.status == "voided":
        return _("The match is voided.")
    return _("The match is open: {score}.", score=score) if score else _("The match is open.")


def review_lines(page: MatchPage) -> Iterator[str]:
    """Until when the match awaits confirmation, and its open dispute."""
    names = dict(zip(page.seated.ids, page.seated.names, strict=True))
    if page.review.due_at is not None:
        due = moment_of(page.review.due_at, page.zone)
        yield _("It awaits confirmation; without a dispute it is decided at {time}.", time=due)
    if (dispute := page.review.open_dispute) is not None:
        yield _("Dispute {number}, by {player}: {reason}", number=dispute.number, reason=dispute.reason,
                player=names.get(dispute.player, dispute.player))  # fmt: skip


def score_in_words(page: MatchPage) -> str:
    """`Ana & Luis 60, Rosa & Juan 35`; empty under rules without a score."""
    score = page.result.score
    return "" if score is None else _by_side(page.seated.sides, score)


def term_lines(hand: HandScore, seated: Seated) -> list[str]:
    """Each term of a hand: `+35 Ana & Luis: leftover pips`."""
    return [
        f"{signed(term.points)} {seated.side_name(term.side)}: {spoken(HAND_TERMS[term.rule].label)}"
        for term in hand.terms
    ]


def print_not_judged(page: MatchPage, hand: int | None = None) -> None:
    """What was not judged, in one hand or in all of the match, and what would be needed: a line for each rule."""
    lacked: dict[tuple[int | None, str], list[str]] = {}
    for one in page.not_judged(hand):
        if one.why == "unknown":
            lacked.setdefault((one.hand, one.rule), []).append(fact_in_words(one.at))
        else:
            terminal.out.print(_of_hand(one.hand, not_judged_in_words(one), alone=hand is not None), markup=False)
    if lacked:
        terminal.out.print(_("Not judged, because these facts are not known:"))
    for (number, rule), facts in lacked.items():
        line = _of_hand(number, f"{rule_in_words(rule)}: {'; '.join(facts)}", alone=hand is not None)
        terminal.out.print(f"  {line}", markup=False)


def _of_hand(number: int | None, text: str, *, alone: bool) -> str:
    """The text with the number of the hand that it is about, where several are printed."""
    return text if number is None or alone else _("Hand {hand}: {text}", hand=number, text=text)


def _by_side(sides: Sequence[str], score: Sequence[int]) -> str:
    return ", ".join(f"{side} {points}" for side, points in zip(sides, score, strict=True))


def _winner(hand: HandScore, seated: Seated) -> str:
    return "-" if hand.winner is None else seated.side_name(hand.winner)


def _points(hand: HandScore) -> str:
    return "-".join(map(str, hand.points))


# ---------------------------------------------------------------- for scripts


def document_of(page: MatchPage) -> dict[str, Any]:
    """The match as JSON: sides and hands from the first, sides by their number from 0, hands from 1."""
    played, result, seated = page.played, page.result, page.seated
    return {
        "match": page.id,
        "ruleset": played.ruleset,
        "mode": played.mode,
        "competition": played.competition,
        "began_at": played.began_at,
        "ended_at": played.ended_at,
        "status": result.status,
        "winner": result.winner,
        "score": result.score,
        "confirm_by": page.review.confirm_by,
        "confirmed_by": [one.player for one in page.review.confirmations],
        "disputes": page.review.disputes,
        "sides": [
            [{"id": seated.ids[seat], "name": seated.names[seat], "seat": seat} for seat in seated.seats_of(side)]
            for side in range(len(seated.sides))
        ],
        "hands": [document_of_hand(page, number) for number in range(1, len(result.hands) + 1)],
        "not_judged": [_plain(one) for one in page.not_judged() if one.hand is None],
    }


def document_of_hand(page: MatchPage, number: int) -> dict[str, Any]:
    """A hand as JSON: its facts, its score, and what was not judged."""
    hand = page.result.hands[number - 1]
    return {
        "hand": number,
        "facts": page.played.hands[number - 1],
        "winner": hand.winner,
        "winner_by": hand.winner_by,
        "points": hand.points,
        "terms": [{"side": term.side, "rule": term.rule, "points": term.points} for term in hand.terms],
        "counted": hand.counted,
        "not_judged": [_plain(one) for one in page.not_judged(number)],
    }


def _plain(found: NotJudged) -> dict[str, Any]:
    return {"rule": found.rule, "why": found.why, "at": found.at, "text": str(not_judged_in_words(found))}
