"""`league player merge` and `unmerge`: two ids are one person, or two people after all."""

from typing import Annotated, Any

import typer

from league.application.bootstrap import League, clock
from league.application.preview import preview_merge
from league.application.stream_states import StreamStates
from league.cli import asking, terminal
from league.cli.competitors import described_player, registered_player
from league.cli.correcting import OnlyPreview
from league.cli.counting import counted
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json, Yes
from league.cli.preview_tables import plain_preview, print_preview
from league.cli.sending import send_once
from league.domain.merges import MergePlayers, UndoMerge
from league.projections.queries.named_players import NamedPlayer
from league.projections.replays.preview import MergePreview
from league.wording.language import _

Keep = Annotated[str, typer.Argument(metavar="KEEP", help=_("The player who stays: an id or a name."))]
Drop = Annotated[
    str, typer.Argument(metavar="DROP", help=_("The player who is read as the other one: an id or a name."))
]


def merge(
    keep: Keep,
    drop: Drop,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Merge two players who are one person.

    All matches of DROP count for KEEP from then on. The command shows who the two are and what would change, and asks.
    The log keeps both ids, and `league player unmerge` takes it back.
    """
    with existing_league() as league:
        kept, dropped = registered_player(league, keep, "keep"), registered_player(league, drop, "drop")
        command = MergePlayers(kept.player_id, dropped.player_id)
        with terminal.working(_("folding what would change")):
            found = preview_merge(league.database.url, league.store, clock, command)
        said: dict[str, Any] = {
            "keep": kept.player_id,
            "drop": dropped.player_id,
            "matches": found.matches,
            "changes": plain_preview(found.changes),
        }
        if not as_json:
            _introduce(league, kept, dropped)
            matches = counted(found.matches, "match")
            _show(league, _("{matches} would count for the player who stays.", matches=matches), found)
        if not preview:
            if not asking.agreed(_("Are the two one person?"), ask=not yes):
                return
            said["position"] = send_once(league, command, actor)
            league.project()
    if as_json:
        terminal.print_json(said)
    elif not preview:
        terminal.out.print(
            _(
                "{drop} is read as {keep} now (log position {position}). "
                "`league player unmerge {keep} {drop}` takes it back.",
                drop=dropped.player_id,
                keep=kept.player_id,
                position=said["position"],
            ),
            markup=False,
        )


def unmerge(
    keep: Keep,
    drop: Drop,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Undo a merge: the two are two people after all.

    The matches that DROP was entered in are again those of DROP. The command shows what would change, and asks.
    """
    with existing_league() as league:
        kept, dropped = registered_player(league, keep, "keep"), registered_player(league, drop, "drop")
        command = UndoMerge(kept.player_id, dropped.player_id)
        with terminal.working(_("folding what would change")):
            found = preview_merge(league.database.url, league.store, clock, command)
        said: dict[str, Any] = {
            "keep": kept.player_id,
            "drop": dropped.player_id,
            "matches": found.matches,
            "changes": plain_preview(found.changes),
        }
        if not as_json:
            _introduce(league, kept, dropped)
            matches = counted(found.matches, "match")
            _show(league, _("{matches} would count for the player who was dropped.", matches=matches), found)
        if not preview:
            if not asking.agreed(_("Are they two people?"), ask=not yes):
                return
            said["position"] = send_once(league, command, actor)
            league.project()
    if as_json:
        terminal.print_json(said)
    elif not preview:
        terminal.out.print(
            _(
                "{drop} and {keep} are two players again (log position {position}).",
                drop=dropped.player_id,
                keep=kept.player_id,
                position=said["position"],
            ),
            markup=False,
        )


def _show(league: League, matches: str, found: MergePreview) -> None:
    """Print what would change; `matches`: a sentence on the matches."""
    terminal.out.print(matches + "\n")
    with reading(league) as conn:
        print_preview(conn, found.changes, as_json=False)


def _introduce(league: League, kept: NamedPlayer, dropped: NamedPlayer) -> None:
    """Say who the two are."""
    zone = StreamStates(league.store, clock()).league().time_zone
    for line in (
        _("stays:      {player}", player=described_player(kept, zone)),
        _("is dropped: {player}", player=described_player(dropped, zone)),
    ):
        terminal.out.print(terminal.shown(line), markup=False, soft_wrap=True)
