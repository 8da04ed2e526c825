"""Questions about a hand to a person at a terminal, who records or corrects it."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from league.cli.asking import ask_until, is_yes
from league.cli.hand_options import read_held, read_tile, with_corridos, with_held, with_side_leftover
from league.cli.match_page import MatchPage
from league.domain.hand import Closing, HandFacts, Held, has_boneyard
from league.domain.hand_faults import checked
from league.domain.refusals import InvalidInput
from league.domain.result import result_of
from league.domain.sentences import say
from league.wording.language import _

NONE = "-"
"""The answer that no player did something, where several may have done it."""
UNKNOWN = "?"
"""The answer that something that is recorded is not known after all."""

Read = Callable[[HandFacts, str | None], HandFacts]
"""The facts with what an answer says; None: it is not known."""


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
    """Asks for the facts of one hand that can matter under the rules of its match.

    Of a new hand it asks for what is not known yet, and Enter means: not known. Of a recorded hand it also asks for
    what is recorded, and Enter keeps it.
    """

    def __init__(self, page: MatchPage, number: int) -> None:
        """`number`: of the hand, from 1; that of a recorded hand, or the next one."""
        self.page, self.number = page, number
        self.seated, self.ruleset = page.seated, page.ruleset
        self.is_recorded = number <= len(page.played.hands)

    def about(self, facts: HandFacts) -> HandFacts:
        """The facts with the answers. An answer that cannot be is asked again. Raises typer.Abort."""
        facts = self._who_ended_it(facts)
        facts = self._leftover(facts)
        if facts.ended_by == "block":
            facts = self._tie(facts)
        facts = self._closing(facts)
        return self._checked(self._passes(facts))

    # ---------------------------------------------------------------- endings

    def _who_ended_it(self, facts: HandFacts) -> HandFacts:
        domino = facts.ended_by == "domino"
        if self._is_asked(matters=True, known=facts.seat is not None):
            shown = self._names((facts.seat,) if facts.seat is not None else None)
            question = self._open(_("Who went out?") if domino else _("Whose tile blocked it?"))
            facts = self._with_seat(facts, ask_until(question, lambda who: self._seat(who, shown, facts.seat), shown))
        stated = facts.stated_winner
        if domino and facts.seat is None and self._is_asked(matters=True, known=stated is not None):
            shown = self._side_shown(stated)
            winner = ask_until(
                _("Which side won the hand?"),
                lambda who: stated if who and who == shown else self.seated.side(who, "winner"),
                shown,
            )
            facts = replace(facts, stated_winner=winner)
        return facts

    def _seat(self, who: str, shown: str, recorded: int | None) -> int | None:
        return recorded if who == shown else None if who == UNKNOWN else self.seated.seat(who, "by")

    def _with_seat(self, facts: HandFacts, seat: int | None) -> HandFacts:
        """The facts when another seat ended the hand; what was said of who went out before is not known of them."""
        if seat == facts.seat:
            return facts
        facts = replace(facts, seat=seat)
        if facts.ended_by == "block":
            return facts
        facts = _without_empty_hands(facts)
        if seat is None:
            return facts
        side = self.seated.side_of(seat)
        stated = facts.stated_winner if facts.stated_winner == side else None
        return _without_pips(replace(facts, stated_winner=stated), side, [seat])

    def _tie(self, facts: HandFacts) -> HandFacts:
        """Who started a blocked hand, and who won it, where its pips do not tell."""
        by_start = self.ruleset.block_tie == "starter" and not self._has_winner(facts)
        if self._is_asked(matters=by_start, known=facts.starter is not None):
            facts = self._starter(facts)
        stated = facts.stated_winner
        if self._is_asked(matters=not self._has_winner(facts), known=stated is not None):
            return self._asked(
                self._open(_("Which side won the hand?")),
                facts,
                self._side_shown(stated),
                lambda known, who: replace(known, stated_winner=who and self.seated.side(who, "winner")),
            )
        return facts

    def _has_winner(self, facts: HandFacts) -> bool:
        before = self.page.played.hands[: self.number - 1]
        after = replace(self.page.played, hands=(*before, self._checked(facts)), ended_at=None)
        return result_of(after, self.ruleset).hands[-1].winner is not None

    # ---------------------------------------------------------------- pips

    def _leftover(self, facts: HandFacts) -> HandFacts:
        """First of the sides that can have lost, then of the partner of who went out, where that counts."""
        out = facts.seat if facts.ended_by == "domino" else None
        won = None if facts.ended_by == "block" else facts.stated_winner if out is None else self.seated.side_of(out)
        counts = out is not None and self.ruleset.counted_pips == "all_others"
        for side in sorted(range(len(self.seated.sides)), key=lambda side: side == won):
            seats = [seat for seat in self.seated.seats_of(side) if seat != out]
            total = None if facts.side_leftover is None else facts.side_leftover[side]
            unknown = [seat for seat in seats if facts.leftover[seat] is None]
            matters = (side != won or counts) and (self.is_recorded or (total is None and bool(unknown)))
            if self._is_asked(matters=matters, known=total is not None or len(unknown) < len(seats)):
                facts = self._left_to_side(facts, side, seats if self.is_recorded else unknown, total)
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
        bonuses, domino, tile = self.ruleset.bonuses, facts.ended_by == "domino", facts.closing.tile
        scores = bonuses.double_out is not None or bonuses.chuchazo is not None or self.ruleset.capicua_void_on
        if self._is_asked(matters=domino and bool(scores), known=tile is not None):
            facts = self._asked(
                self._open(_("Last tile, such as 6-3")),
                facts,
                "" if tile is None else _held_shown((tile,)),
                lambda known, text: _with_closing(known, "tile", None if text is None else read_tile(text, "tile")),
            )
        facts = self._yes_or_no(
            facts, _("Could the last tile have gone on either end?"), "fits_both_ends", matters=False, in_closing=True
        )
        facts = self._yes_or_no(
            facts, _("Were both ends equal after it?"), "ends_equal", matters=False, in_closing=True
        )
        settled = getattr(facts.closing, self.ruleset.capicua) is not None
        facts = self._yes_or_no(facts, _("Capicúa?"), "stated_capicua", matters=domino and not settled)
        return self._yes_or_no(
            facts,
            _("Did it also block the table?"),
            "blocks_too",
            matters=domino and bool(facts.stated_capicua),
            in_closing=True,
        )

    # ---------------------------------------------------------------- passes

    def _passes(self, facts: HandFacts) -> HandFacts:
        bonuses = self.ruleset.bonuses
        facts = self._yes_or_no(
            facts, _("Opening pass that scores?"), "opening_pass", matters=bonuses.opening_pass is not None
        )
        if facts.opening_pass and facts.starter is None:
            facts = self._starter(facts)
        known = facts.corridos is not None or facts.side_corridos is not None
        if self._is_asked(matters=bonuses.pase_corrido is not None, known=known):
            facts = self._asked(
                _("Pases corridos, by whom? (A, A, B; -: none)"),
                facts,
                self._corridos_shown(facts),
                self._with_corridos,
            )
        drawn = has_boneyard(self.ruleset, len(facts.leftover))
        matters = bonuses.domino_without_draw is not None
        if drawn and self._is_asked(matters=matters, known=facts.drew is not None):
            facts = self._asked(
                _("Who drew from the boneyard? (A, B; -: nobody)"), facts, self._names(facts.drew), self._with_drew
            )
        return facts

    def _starter(self, facts: HandFacts) -> HandFacts:
        return self._asked(
            self._open(_("Who started?")),
            facts,
            self._names(None if facts.starter is None else (facts.starter,)),
            lambda known, who: replace(known, starter=who and self.seated.seat(who, "starter")),
        )

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

    def _is_asked(self, *, matters: bool, known: bool) -> bool:
        return matters or known if self.is_recorded else matters and not known

    def _open(self, question: str) -> str:
        """A question that says what Enter means, where nothing is recorded that it could keep."""
        return question if self.is_recorded else _("{question} (Enter: not known)", question=question)

    def _names(self, seats: Sequence[int] | None) -> str:
        """The players at these seats, as they are typed; for None no player is known."""
        return "" if seats is None else ", ".join(self.seated.names[seat] for seat in seats) or NONE

    def _side_shown(self, side: int | None) -> str:
        return "" if side is None else self.seated.side_name(side)

    def _yes_or_no(
        self, facts: HandFacts, question: str, name: str, *, matters: bool, in_closing: bool = False
    ) -> HandFacts:
        now = getattr(facts.closing if in_closing else facts, name)
        if not self._is_asked(matters=matters, known=now is not None):
            return facts

        def read(known: HandFacts, text: str | None) -> HandFacts:
            value = None if text is None else is_yes(text)
            return _with_closing(known, name, value) if in_closing else replace(known, **{name: value})

        if not self.is_recorded:
            question = _("{question} (y, n; Enter: not known)", question=question)
        return self._asked(question, facts, "" if now is None else _("yes") if now else _("no"), read)

    def _asked(self, question: str, facts: HandFacts, shown: str, read: Read) -> HandFacts:
        """The facts that an answer makes; one that makes impossible facts is asked again."""

        def possible(text: str) -> HandFacts:
            if text == shown:
                return facts
            found = read(facts, None if text == UNKNOWN else text)
            self._checked(found)
            return found

        return ask_until(question, possible, shown)

    def _checked(self, facts: HandFacts) -> HandFacts:
        return checked(facts, self.ruleset, self.page.played.mode, len(facts.leftover))


def with_ending(facts: HandFacts, ended: Literal["domino", "block"]) -> HandFacts:
    """The facts of a hand that ended in another way: who ended it and how are not known."""
    if ended == facts.ended_by:
        return facts
    changed = replace(facts, ended_by=ended, seat=None, closing=Closing(), stated_capicua=None)
    return _without_empty_hands(changed)


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
