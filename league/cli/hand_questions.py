"""Questions about a hand to a person at a terminal. Enter always means: not known."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from league.cli.asking import ask_until, is_yes
from league.cli.hand_options import (
    read_held,
    read_tile,
    with_corridos,
    with_held,
    with_side_leftover,
)
from league.cli.match_page import MatchPage
from league.domain.hand import HandFacts, has_boneyard
from league.domain.hand_faults import checked
from league.domain.refusals import InvalidInput
from league.domain.result import result_of
from league.domain.sentences import say
from league.wording.language import _

NONE = "-"
"""The answer that no player did something, where several may have done it."""


def asked_ending(suggested: Literal["domino", "block", ""] = "") -> Literal["domino", "block"]:
    """How the hand ended. Raises typer.Abort."""
    return ask_until(_("How did the hand end: domino or block (tranque)?"), _ending, suggested)


def _ending(text: str) -> Literal["domino", "block"]:
    answer = text.lower()
    if answer and "domino".startswith(answer.replace("ó", "o")):
        return "domino"
    if answer and any(word.startswith(answer) for word in ("block", "tranque")):
        return "block"
    raise InvalidInput("ended", say("enter d for domino or b for block"))


class HandQuestions:
    """Asks what is not known of one hand and can matter under the rules of its match."""

    def __init__(self, page: MatchPage) -> None:
        self.page, self.seated, self.ruleset = page, page.seated, page.ruleset

    def about(self, facts: HandFacts) -> HandFacts:
        """The facts with the answers. An answer that cannot be is asked again. Raises typer.Abort."""
        facts = self._ending(facts)
        facts = self._leftover(facts)
        facts = self._block(facts) if facts.ended_by == "block" else self._last_tile(facts)
        return self._passes(facts)

    def _ending(self, facts: HandFacts) -> HandFacts:
        if facts.seat is None:
            question = (
                _("Who went out? (Enter: not known)")
                if facts.ended_by == "domino"
                else _("Whose tile blocked it? (Enter: not known)")
            )
            by = ask_until(question, lambda who: self.seated.seat(who, "by") if who else None)
            facts = replace(facts, seat=by)
        if facts.ended_by == "domino" and facts.seat is None and facts.stated_winner is None:
            winner = ask_until(_("Which side won the hand?"), lambda who: self.seated.side(who, "winner"))
            facts = replace(facts, stated_winner=winner)
        return facts

    # ---------------------------------------------------------------- pips

    def _leftover(self, facts: HandFacts) -> HandFacts:
        """First the sides that can have lost, then the partner of who went out, where that counts."""
        out = facts.seat if facts.ended_by == "domino" else None
        winner = facts.stated_winner if out is None else self.seated.side_of(out)
        for side in range(len(self.seated.sides)):
            if self._is_known(facts, side) or (facts.ended_by == "domino" and side == winner):
                continue
            facts = self._asked_side(facts, side)
        if out is not None and self.ruleset.counted_pips == "all_others":
            for seat in self.seated.seats_of(self.seated.side_of(out)):
                if seat != out and facts.leftover[seat] is None:
                    facts = self._asked_seats(facts, [seat], self.seated.names[seat])
        return facts

    def _is_known(self, facts: HandFacts, side: int) -> bool:
        total = facts.side_leftover and facts.side_leftover[side]
        return total is not None or all(facts.leftover[seat] is not None for seat in self.seated.seats_of(side))

    def _asked_side(self, facts: HandFacts, side: int) -> HandFacts:
        seats = [seat for seat in self.seated.seats_of(side) if facts.leftover[seat] is None]
        if len(seats) == 1:
            return self._asked_seats(facts, seats, self.seated.names[seats[0]])
        return self._asked_seats(facts, seats, self.seated.side_name(side))

    def _asked_seats(self, facts: HandFacts, seats: Sequence[int], who: str) -> HandFacts:
        def read(text: str) -> HandFacts:
            pips = re.split(r"[\s,+]+", text)
            if not text:
                return facts
            if len(seats) == 1:
                return with_held(facts, seats[0], read_held(text, "leftover"))
            if not all(one.isdecimal() for one in pips) or len(pips) > len(seats):
                raise InvalidInput("leftover", say("enter one number for both players, or one for each: 20 15"))
            if len(pips) == 1:
                return with_side_leftover(facts, self.seated.side_of(seats[0]), int(pips[0]), self.seated)
            found = facts
            for seat, one in zip(seats, pips, strict=True):
                found = with_held(found, seat, int(one))
            return found

        hint = _("pips, or tiles such as 6-6 3-1") if len(seats) == 1 else _("a total, or 20 15 for each")
        return self._asked(_("Left to {who} ({hint})", who=who, hint=hint), read)

    # ---------------------------------------------------------------- endings

    def _block(self, facts: HandFacts) -> HandFacts:
        if self._has_winner(facts):
            return facts
        if facts.starter is None and self.ruleset.block_tie == "starter":
            facts = self._starter(facts)
        if facts.stated_winner is None and not self._has_winner(facts):
            return self._asked(
                _("Which side won the hand? (Enter: not known)"),
                lambda who: replace(facts, stated_winner=self.seated.side(who, "winner")) if who else facts,
            )
        return facts

    def _has_winner(self, facts: HandFacts) -> bool:
        played = self.page.played
        after = replace(played, hands=(*played.hands, self._checked(facts)), ended_at=None)
        return result_of(after, self.ruleset).hands[-1].winner is not None

    def _last_tile(self, facts: HandFacts) -> HandFacts:
        bonuses = self.ruleset.bonuses
        matters = bonuses.double_out is not None or bonuses.chuchazo is not None or self.ruleset.capicua_void_on
        if matters and facts.closing.tile is None:
            before = facts
            facts = self._asked(
                _("Last tile, such as 6-3 (Enter: not known)"),
                lambda text: (
                    replace(before, closing=replace(before.closing, tile=read_tile(text, "tile"))) if text else before
                ),
            )
        if facts.stated_capicua is None and getattr(facts.closing, self.ruleset.capicua) is None:
            facts = self._yes_or_no(facts, _("Capicúa?"), lambda known, yes: replace(known, stated_capicua=yes))
        if facts.stated_capicua and facts.closing.blocks_too is None:
            facts = self._yes_or_no(
                facts,
                _("Did it also block the table?"),
                lambda known, yes: replace(known, closing=replace(known.closing, blocks_too=yes)),
            )
        return facts

    # ---------------------------------------------------------------- passes

    def _passes(self, facts: HandFacts) -> HandFacts:
        bonuses = self.ruleset.bonuses
        if bonuses.opening_pass is not None and facts.opening_pass is None:
            facts = self._yes_or_no(
                facts, _("Opening pass that scores?"), lambda known, yes: replace(known, opening_pass=yes)
            )
        if facts.opening_pass and facts.starter is None:
            facts = self._starter(facts)
        if bonuses.pase_corrido is not None and facts.corridos is None and facts.side_corridos is None:
            facts = self._several(
                facts,
                _("Pases corridos, by whom? (A, A, B; -: none)"),
                lambda known, whose: with_corridos(known, whose, self.seated),
            )
        drawn = bonuses.domino_without_draw is not None and has_boneyard(self.ruleset, len(facts.leftover))
        if drawn and facts.drew is None:
            facts = self._several(
                facts,
                _("Who drew from the boneyard? (A, B; -: nobody)"),
                lambda known, whose: replace(known, drew=tuple(self.seated.seat(who, "drew") for who in whose)),
            )
        return facts

    def _starter(self, facts: HandFacts) -> HandFacts:
        return self._asked(
            _("Who started? (Enter: not known)"),
            lambda who: replace(facts, starter=self.seated.seat(who, "starter")) if who else facts,
        )

    # ---------------------------------------------------------------- kinds of answers

    def _yes_or_no(self, facts: HandFacts, question: str, apply: Callable[[HandFacts, bool], HandFacts]) -> HandFacts:
        def read(text: str) -> HandFacts:
            if not text:
                return facts
            return apply(facts, is_yes(text))

        return self._asked(_("{question} (y, n; Enter: not known)", question=question), read)

    def _several(
        self, facts: HandFacts, question: str, apply: Callable[[HandFacts, list[str]], HandFacts]
    ) -> HandFacts:
        def read(text: str) -> HandFacts:
            if not text:
                return facts
            return apply(facts, [] if text == NONE else [who.strip() for who in re.split(r"[,;]", text)])

        return self._asked(question, read)

    def _asked(self, question: str, read: Callable[[str], HandFacts]) -> HandFacts:
        """The facts that an answer makes; one that makes impossible facts is asked again."""

        def possible(text: str) -> HandFacts:
            facts = read(text)
            self._checked(facts)
            return facts

        return ask_until(question, possible)

    def _checked(self, facts: HandFacts) -> HandFacts:
        return checked(facts, self.ruleset, self.page.played.mode, len(facts.leftover))
