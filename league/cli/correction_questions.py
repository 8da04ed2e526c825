"""Questions about a hand that is recorded, to a person who corrects it. Enter always keeps what is recorded."""

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from league.cli import terminal
from league.cli.asking import ask_until, is_yes
from league.cli.hand_options import read_held, read_tile, with_corridos, with_held, with_side_leftover
from league.cli.hand_questions import NONE, asked_ending
from league.cli.match_page import MatchPage
from league.domain.hand import Closing, HandFacts, Held, has_boneyard
from league.domain.hand_faults import checked
from league.domain.refusals import InvalidInput
from league.domain.result import result_of
from league.domain.sentences import say
from league.wording.language import _

UNKNOWN = "?"
"""The answer that something is not known after all."""


def corrected_hand(page: MatchPage, number: int) -> HandFacts:
    """The facts of a hand as a person corrects them. Raises typer.Abort."""
    terminal.err.print(
        _("Enter keeps the value in brackets; {unknown} says that it is not known.", unknown=UNKNOWN), markup=False
    )
    return CorrectionQuestions(page, number).about(page.played.hands[number - 1])


class CorrectionQuestions:
    """Asks for what is recorded of one hand, and for what else can matter under the rules of its match."""

    def __init__(self, page: MatchPage, number: int) -> None:
        self.page, self.number = page, number
        self.seated, self.ruleset = page.seated, page.ruleset

    def about(self, facts: HandFacts) -> HandFacts:
        """The facts with the answers. An answer that cannot be is asked again. Raises typer.Abort."""
        facts = self._ending(facts)
        facts = self._leftover(facts)
        facts = self._passes(self._closing(facts))
        if facts.ended_by == "block" and (facts.stated_winner is not None or not self._has_winner(facts)):
            facts = self._asked(
                _("Which side won the hand?"),
                facts,
                self._side_shown(facts.stated_winner),
                lambda known, who: replace(known, stated_winner=who and self.seated.side(who, "winner")),
            )
        return self._checked(facts)

    # ---------------------------------------------------------------- endings

    def _ending(self, facts: HandFacts) -> HandFacts:
        ended = asked_ending(facts.ended_by)
        if ended != facts.ended_by:
            facts = replace(facts, ended_by=ended, seat=None, closing=Closing(), stated_capicua=None)
            facts = _without_empty_hands(facts)
        question = _("Who went out?") if ended == "domino" else _("Whose tile blocked it?")
        shown = self._names((facts.seat,) if facts.seat is not None else None)
        seat = ask_until(question, self._reading(shown, facts.seat, lambda who: self.seated.seat(who, "by")), shown)
        if seat != facts.seat:
            facts = self._with_seat(facts, seat)
        if ended == "domino" and facts.seat is None:
            shown = self._side_shown(facts.stated_winner)
            winner = ask_until(_("Which side won the hand?"), lambda who: self._winner(who, shown, facts), shown)
            facts = replace(facts, stated_winner=winner)
        return facts

    def _with_seat(self, facts: HandFacts, seat: int | None) -> HandFacts:
        """The facts when another seat ended the hand; what was said of who went out before is not known of them."""
        facts = replace(facts, seat=seat)
        if facts.ended_by == "block":
            return facts
        facts = _without_empty_hands(facts)
        if seat is None:
            return facts
        side = self.seated.side_of(seat)
        stated = facts.stated_winner if facts.stated_winner == side else None
        totals = facts.side_leftover and tuple(
            None if number == side else total for number, total in enumerate(facts.side_leftover)
        )
        return with_held(replace(facts, stated_winner=stated, side_leftover=totals), seat, None)

    def _winner(self, who: str, shown: str, facts: HandFacts) -> int | None:
        if who == shown and facts.stated_winner is not None:
            return facts.stated_winner
        return self.seated.side(who, "winner")

    def _has_winner(self, facts: HandFacts) -> bool:
        played = self.page.played
        before = played.hands[: self.number - 1]
        after = replace(played, hands=(*before, self._checked(facts)), ended_at=None)
        return result_of(after, self.ruleset).hands[-1].winner is not None

    # ---------------------------------------------------------------- pips

    def _leftover(self, facts: HandFacts) -> HandFacts:
        """Of the sides that can have lost, and of the winner's where pips are recorded or count."""
        out = facts.seat if facts.ended_by == "domino" else None
        winner = facts.stated_winner if out is None else self.seated.side_of(out)
        for side in range(len(self.seated.sides)):
            seats = [seat for seat in self.seated.seats_of(side) if seat != out]
            won = facts.ended_by == "domino" and side == winner
            counts = out is not None and self.ruleset.counted_pips == "all_others"
            total = None if facts.side_leftover is None else facts.side_leftover[side]
            if won and not counts and total is None and all(facts.leftover[seat] is None for seat in seats):
                continue
            facts = self._left_to_side(facts, side, seats, total)
        return facts

    def _left_to_side(self, facts: HandFacts, side: int, seats: Sequence[int], total: int | None) -> HandFacts:
        held = [facts.leftover[seat] for seat in seats]
        if len(seats) > 1 and (total is not None or held.count(None) == len(held) or _are_pips(held)):
            shown = str(total) if total is not None else " ".join(_held_shown(one) for one in held).strip()
            return self._asked(
                _("Left to {who} ({hint})", who=self.seated.side_name(side), hint=_("a total, or 20 15 for each")),
                facts,
                shown,
                lambda known, text: self._with_pips(_without_pips(known, side, seats), side, seats, text),
            )
        for seat in seats:
            facts = self._left_to_seat(facts, side, seat)
        return facts

    def _left_to_seat(self, facts: HandFacts, side: int, seat: int) -> HandFacts:
        def read(known: HandFacts, text: str | None) -> HandFacts:
            known = _without_pips(known, side, [seat])
            return known if text is None else with_held(known, seat, read_held(text, "leftover"))

        question = _("Left to {who} ({hint})", who=self.seated.names[seat], hint=_("pips, or tiles such as 6-6 3-1"))
        return self._asked(question, facts, _held_shown(facts.leftover[seat]), read)

    def _with_pips(self, facts: HandFacts, side: int, seats: Sequence[int], text: str | None) -> HandFacts:
        if text is None:
            return facts
        pips = re.split(r"[\s,+]+", text)
        if not all(one.isdecimal() for one in pips) or len(pips) not in (1, len(seats)):
            raise InvalidInput("leftover", say("enter one number for both players, or one for each: 20 15"))
        if len(pips) == 1:
            return with_side_leftover(facts, side, int(pips[0]), self.seated)
        for seat, one in zip(seats, pips, strict=True):
            facts = with_held(facts, seat, int(one))
        return facts

    # ---------------------------------------------------------------- the last tile

    def _closing(self, facts: HandFacts) -> HandFacts:
        bonuses, domino = self.ruleset.bonuses, facts.ended_by == "domino"
        matters = bonuses.double_out is not None or bonuses.chuchazo is not None or self.ruleset.capicua_void_on
        if facts.closing.tile is not None or (domino and matters):
            tile = facts.closing.tile
            facts = self._asked(
                _("Last tile, such as 6-3"),
                facts,
                "" if tile is None else _held_shown((tile,)),
                lambda known, text: _with_closing(known, "tile", None if text is None else read_tile(text, "tile")),
            )
        for name, question in (
            ("fits_both_ends", _("Could the last tile have gone on either end?")),
            ("ends_equal", _("Were both ends equal after it?")),
        ):
            if getattr(facts.closing, name) is not None:
                facts = self._yes_or_no(facts, question, name, in_closing=True)
        settled = getattr(facts.closing, self.ruleset.capicua) is not None
        if facts.stated_capicua is not None or (domino and not settled):
            facts = self._yes_or_no(facts, _("Capicúa?"), "stated_capicua")
        if facts.closing.blocks_too is not None or (domino and facts.stated_capicua):
            facts = self._yes_or_no(facts, _("Did it also block the table?"), "blocks_too", in_closing=True)
        return facts

    # ---------------------------------------------------------------- passes

    def _passes(self, facts: HandFacts) -> HandFacts:
        bonuses = self.ruleset.bonuses
        if bonuses.opening_pass is not None or facts.opening_pass is not None:
            facts = self._yes_or_no(facts, _("Opening pass that scores?"), "opening_pass")
        tie = facts.ended_by == "block" and self.ruleset.block_tie == "starter"
        if facts.starter is not None or facts.opening_pass or tie:
            facts = self._asked(
                _("Who started?"),
                facts,
                self._names(None if facts.starter is None else (facts.starter,)),
                lambda known, who: replace(known, starter=who and self.seated.seat(who, "starter")),
            )
        known = facts.corridos is not None or facts.side_corridos is not None
        if bonuses.pase_corrido is not None or known:
            facts = self._asked(
                _("Pases corridos, by whom? (A, A, B; -: none)"),
                facts,
                self._corridos_shown(facts),
                self._with_corridos,
            )
        drawn = has_boneyard(self.ruleset, len(facts.leftover))
        if drawn and (bonuses.domino_without_draw is not None or facts.drew is not None):
            facts = self._asked(
                _("Who drew from the boneyard? (A, B; -: nobody)"), facts, self._names(facts.drew), self._with_drew
            )
        return facts

    def _with_corridos(self, facts: HandFacts, text: str | None) -> HandFacts:
        facts = replace(facts, corridos=None, side_corridos=None)
        return facts if text is None else with_corridos(facts, _listed(text), self.seated)

    def _with_drew(self, facts: HandFacts, text: str | None) -> HandFacts:
        drew = None if text is None else tuple(self.seated.seat(who, "drew") for who in _listed(text))
        return replace(facts, drew=drew)

    def _corridos_shown(self, facts: HandFacts) -> str:
        if facts.side_corridos is None:
            return self._names(facts.corridos)
        by_side = zip(self.seated.sides, facts.side_corridos, strict=True)
        return ", ".join(side for side, count in by_side for _one in range(count)) or NONE

    # ---------------------------------------------------------------- what all questions share

    def _names(self, seats: Sequence[int] | None) -> str:
        """The players at these seats, as they are typed; for None no player is known."""
        return "" if seats is None else ", ".join(self.seated.names[seat] for seat in seats) or NONE

    def _side_shown(self, side: int | None) -> str:
        return "" if side is None else self.seated.side_name(side)

    def _reading(self, shown: str, kept: int | None, read: Callable[[str], int]) -> Callable[[str], int | None]:
        return lambda text: kept if text == shown else None if text == UNKNOWN else read(text)

    def _yes_or_no(self, facts: HandFacts, question: str, name: str, *, in_closing: bool = False) -> HandFacts:
        now = getattr(facts.closing if in_closing else facts, name)

        def read(known: HandFacts, text: str | None) -> HandFacts:
            value = None if text is None else is_yes(text)
            return _with_closing(known, name, value) if in_closing else replace(known, **{name: value})

        return self._asked(question, facts, "" if now is None else _("yes") if now else _("no"), read)

    def _asked(
        self, question: str, facts: HandFacts, shown: str, read: Callable[[HandFacts, str | None], HandFacts]
    ) -> HandFacts:
        """The facts that an answer makes; one that makes impossible facts is asked again. None: not known."""

        def possible(text: str) -> HandFacts:
            if text == shown:
                return facts
            found = read(facts, None if text == UNKNOWN else text)
            self._checked(found)
            return found

        return ask_until(question, possible, shown)

    def _checked(self, facts: HandFacts) -> HandFacts:
        return checked(facts, self.ruleset, self.page.played.mode, len(facts.leftover))


def _listed(text: str) -> list[str]:
    return [] if text == NONE else [who.strip() for who in re.split(r"[,;]", text)]


def _with_closing(facts: HandFacts, name: str, value: object) -> HandFacts:
    return replace(facts, closing=replace(facts.closing, **{name: value}))


def _without_pips(facts: HandFacts, side: int, seats: Sequence[int]) -> HandFacts:
    """Nothing is known of what these seats of a side hold, alone or together."""
    for seat in seats:
        facts = with_held(facts, seat, None)
    totals = facts.side_leftover and tuple(None if i == side else total for i, total in enumerate(facts.side_leftover))
    return replace(facts, side_leftover=totals if totals and set(totals) != {None} else None)


def _without_empty_hands(facts: HandFacts) -> HandFacts:
    """Nothing is known of the seats that were said to hold nothing: only who went out holds nothing."""
    return replace(facts, leftover=tuple(None if held in ((), 0) else held for held in facts.leftover))


def _are_pips(held: Sequence[Held]) -> bool:
    return all(isinstance(one, int) for one in held)


def _held_shown(held: Held) -> str:
    """What a player still holds, as it is typed."""
    if isinstance(held, tuple):
        return " ".join(f"{low}-{high}" for low, high in held)
    return "" if held is None else str(held)
