"""`league hand`: hands are recorded and corrected, by questions at a terminal or by options."""

from pathlib import Path
from typing import Annotated, Any

import typer

from league.application.bootstrap import League, clock
from league.application.dispatch import decide
from league.application.stream_states import StreamStates
from league.cli import asking, match_page, terminal
from league.cli import hand_options as options
from league.cli.correcting import OnlyPreview, Settles, preview_and_send
from league.cli.found_matches import match_id
from league.cli.groups import RecordByDefault
from league.cli.hand_options import GivenHand, facts_given, listed, no_facts
from league.cli.hand_questions import UNKNOWN, HandQuestions, asked_ending, with_ending
from league.cli.match_page import MatchPage, page_of
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, MatchArgument, Yes
from league.cli.sending import send_once
from league.cli.time_of_play import PlayedAt, played_since
from league.domain.competitor import competitor_of
from league.domain.hand import HandFacts
from league.domain.hand_faults import checked
from league.domain.match import CorrectHand, RecordHand
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.explanations.hand_facts import facts_of_hand
from league.transfer.json_lines import read_line
from league.transfer.recorded_lines import HandLine, hand_of
from league.wording.facts import Table, changes_in_words
from league.wording.language import _

hand_commands = typer.Typer(
    cls=RecordByDefault,
    rich_markup_mode="markdown",
    help="""Record and correct the hands of a match.

    `league hand` is short for `league hand record`.
    """,
)

Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", help=_("An idempotency key: the same key records the hand only once, however often.")),
]

ReasonOrAsked = Annotated[
    str | None, typer.Option("--reason", help=_("Why, for those who read the log. At a terminal it is asked for."))
]


@hand_commands.command()
def record(
    match: Annotated[
        str | None,
        typer.Argument(metavar="MATCH", help=_("The match's id, or its players (default: the open match).")),
    ] = None,
    ended: options.Ended = None,
    by: options.By = None,
    winner: options.Winner = None,
    leftover: options.Leftover = None,
    starter: options.Starter = None,
    tile: options.LastTile = None,
    fits_both_ends: options.FitsBothEnds = None,
    ends_equal: options.EndsEqual = None,
    blocks_too: options.BlocksToo = None,
    capicua: options.Capicua = None,
    opening_pass: options.OpeningPass = None,
    pase_corrido: options.Corridos = None,
    no_pase_corrido: options.NoCorrido = False,
    drew: options.Drew = None,
    nobody_drew: options.NobodyDrew = False,
    facts: options.FactsFile = None,
    hand: Annotated[int | None, typer.Option(help=_("Its number, to be sure that it is the next one."), min=1)] = None,
    played_at: PlayedAt = None,
    out_of_order: Annotated[
        bool, typer.Option("--out-of-order", help=_("Record it even if it ended before the hand before it."))
    ] = False,
    key: Key = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Record the next hand of a match.

    At a terminal the command asks for what is missing; Enter means that it is not known. It shows the points with
    their terms, and asks before it stores the hand. With --yes it asks nothing.
    """
    given = GivenHand(
        ended, by, winner, leftover, starter, tile, fits_both_ends, ends_equal, blocks_too, capicua, opening_pass,
        listed(pase_corrido, none=no_pase_corrido, at="pase_corrido"), listed(drew, none=nobody_drew, at="drew"),
    )  # fmt: skip
    with existing_league() as league:
        with asking.nothing_stored():
            page = page_of(league, match_id(league, match, only_open=True))
            read = _facts_of(page, given, facts, ask=asking.at_terminal() and not yes)
            when = played_since(played_at, page.last_hand_at or page.played.began_at, page.zone)
            number = hand or (None if key else len(page.played.hands) + 1)
            command = RecordHand(page.id, read, played_at=when, hand=number, out_of_order=out_of_order)
            again = key is not None and league.store.answer_to(actor, key) is not None
            if not again and not _agreed(_foreseen(league, page, command), yes=yes, preview=preview, as_json=as_json):
                return
        position = send_once(league, command, actor, key)
        league.project()
        _print_stored(page_of(league, page.id), position, as_json=as_json)


@hand_commands.command()
def correct(
    match: MatchArgument,
    hand: Annotated[int, typer.Argument(metavar="HAND", help=_("The number of the hand, from 1."))],
    reason: ReasonOrAsked = None,
    ended: options.Ended = None,
    by: options.By = None,
    winner: options.Winner = None,
    leftover: options.Leftover = None,
    starter: options.Starter = None,
    tile: options.LastTile = None,
    fits_both_ends: options.FitsBothEnds = None,
    ends_equal: options.EndsEqual = None,
    blocks_too: options.BlocksToo = None,
    capicua: options.Capicua = None,
    opening_pass: options.OpeningPass = None,
    pase_corrido: options.Corridos = None,
    no_pase_corrido: options.NoCorrido = False,
    drew: options.Drew = None,
    nobody_drew: options.NobodyDrew = False,
    facts: options.FactsFile = None,
    settles: Settles = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Correct a hand.

    The options replace the facts that they name; the others stay. `--facts` replaces all of them. At a terminal,
    without options, the command asks for each fact; Enter keeps what is recorded. It prints what would change and
    asks for confirmation. The log keeps the facts before.
    """
    given = GivenHand(
        ended, by, winner, leftover, starter, tile, fits_both_ends, ends_equal, blocks_too, capicua, opening_pass,
        listed(pase_corrido, none=no_pase_corrido, at="pase_corrido"), listed(drew, none=nobody_drew, at="drew"),
    )  # fmt: skip
    with existing_league() as league:
        with asking.nothing_stored():
            seen = league.store.head()
            page = page_of(league, match_id(league, match))
            if not 1 <= hand <= len(page.played.hands):
                raise NotFound("hand", "hand", str(hand))
            read = _corrected(page, hand, given, facts)
            if read == page.played.hands[hand - 1] and facts is None and given == GivenHand():
                terminal.err.print(_("Nothing changes. Nothing is stored."))
                return
            command = CorrectHand(page.id, hand, read, reason if reason is not None else _asked_reason(), settles)
        if not as_json:
            _print_changes(page, hand, read)
            _print_hand(_foreseen(league, page, command), hand)
        preview_and_send(league, command, actor, ask=not yes, only_preview=preview, as_json=as_json, expected=seen)


def _facts_of(page: MatchPage, given: GivenHand, file: Path | None, *, ask: bool) -> HandFacts:
    """The facts of a new hand: from a file, else from options and answers. Raises InvalidInput, typer.Abort."""
    if file is not None:
        return _facts_in(file, page, given)
    ended = given.ended
    if ended is None:
        if not ask:
            raise InvalidInput("ended", say("say how the hand ended: --ended domino, or --ended block"))
        ended = asked_ending()
    facts = facts_given(given, page.seated, no_facts(ended, page.seated))
    return HandQuestions(page, len(page.played.hands) + 1).about(facts) if ask else facts


def _corrected(page: MatchPage, hand: int, given: GivenHand, file: Path | None) -> HandFacts:
    """The facts in the place of a recorded hand. Raises InvalidInput, typer.Abort."""
    if file is not None:
        return _facts_in(file, page, given)
    if given != GivenHand():
        return facts_given(given, page.seated, page.played.hands[hand - 1])
    if not asking.at_terminal():
        raise InvalidInput("facts", say("name the facts to correct by options, or a file by --facts"))
    terminal.err.print(
        _("Enter keeps the value in brackets; {unknown} says that it is not known.", unknown=UNKNOWN), markup=False
    )
    recorded = page.played.hands[hand - 1]
    return HandQuestions(page, hand).about(with_ending(recorded, asked_ending(recorded.ended_by)))


def _asked_reason() -> str:
    """Why the hand is corrected. Raises InvalidInput, typer.Abort."""
    if not asking.at_terminal():
        raise InvalidInput("reason", say("say why: --reason '…'"))

    def said(text: str) -> str:
        if not text:
            raise InvalidInput("reason", say("say why, for those who read the log"))
        return text

    return asking.ask_until(_("Why is the hand corrected?"), said)


def _facts_in(file: Path, page: MatchPage, given: GivenHand) -> HandFacts:
    if given != GivenHand():
        raise InvalidInput("facts", say("a file has all facts: give the file, or options"))
    try:
        line = file.read_bytes()
    except FileNotFoundError:
        raise InvalidInput("facts", say("{file} is not there", file=file)) from None
    except OSError as error:
        raise InvalidInput("facts", say("{file} cannot be read: {why}", file=file, why=error.strerror)) from None
    return hand_of(read_line(line, HandLine), page.ruleset, page.played.mode, len(page.played.seats)).facts


def _foreseen(league: League, page: MatchPage, command: RecordHand | CorrectHand) -> MatchPage:
    """The match as it would be after the command. Raises Refusal as sending it would."""
    states = StreamStates(league.store, clock())
    decide([command], states)
    return page.with_state(states.match(page.id))


def _agreed(after: MatchPage, *, yes: bool, preview: bool, as_json: bool) -> bool:
    """Whether the hand that was shown is to be stored. Raises typer.Abort."""
    number = len(after.played.hands)
    if preview and as_json:
        terminal.print_json(_document(after, number))
    elif not as_json:
        _print_hand(after, number)
    if preview or yes:
        return not preview
    if not asking.confirmed(_("Store this hand?")):
        terminal.err.print(_("Nothing is stored."))
        return False
    return True


def _print_changes(page: MatchPage, number: int, facts: HandFacts) -> None:
    """Each fact that would change, before and now."""
    seated, played = page.seated, page.played
    names = dict(zip(seated.ids, seated.names, strict=True))
    names |= {competitor_of(side): seated.side_name(number) for number, side in enumerate(played.sides)}
    table = Table(names, dict(enumerate(seated.ids)), page.zone)
    after = checked(facts, page.ruleset, played.mode, len(played.seats))
    before = facts_of_hand(played.hands[number - 1], played)
    for line in changes_in_words(before, facts_of_hand(after, played), table):
        terminal.out.print(terminal.shown(line), markup=False)


def _print_hand(page: MatchPage, number: int) -> None:
    """What a hand scores, before it is stored."""
    out, score = terminal.out, page.result.hands[number - 1]
    out.print()
    title = _("Hand {number} of {match}", number=number, match=page.id)
    out.print(f"{title}: {' - '.join(page.seated.sides)}", markup=False, style="bold")
    if score.winner is None:
        out.print(_("Nobody wins the hand."))
    else:
        out.print(_("The hand goes to {side}.", side=page.seated.side_name(score.winner)), markup=False)
    for line in match_page.term_lines(score, page.seated):
        out.print(f"  {line}", markup=False)
    out.print(match_page.in_words(page), markup=False)
    match_page.print_not_judged(page, number)


def _print_stored(page: MatchPage, position: int, *, as_json: bool) -> None:
    number = len(page.played.hands)
    if as_json:
        terminal.print_json({**_document(page, number), "position": position})
        return
    stored = _(
        "Stored hand {number} of {match} (log position {position}).", number=number, match=page.id, position=position
    )
    terminal.out.print(stored, markup=False)


def _document(page: MatchPage, number: int) -> dict[str, Any]:
    """A hand and the match after it, as JSON."""
    result = page.result
    after = {"score": result.score, "status": result.status, "match_winner": result.winner}
    return {"match": page.id, **match_page.document_of_hand(page, number), **after}
