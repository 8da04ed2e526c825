"""Every kind of event: the name under which the log stores it, and what holds for it. A new event is one row here."""

from typing import Literal

from msgspec import Struct

from league.domain import (
    audit_trail,
    disputes,
    league,
    match,
    members,
    merges,
    photo,
    player,
    rulebook,
    season,
    series_entry,
)
from league.domain.deciders import Event
from league.domain.table import events as table

Boards = Literal["any", "added", "none"]
"""What an event may do to boards. `any`: it may take back what was decided. `added`: afterwards a match is decided, or
still open or pending. `none`: it moves no competitor."""


class Kind(Struct, frozen=True):
    """A kind of event."""

    name: str
    """With the version of its body. It stays readable for ever."""
    event: type[Event]
    sealed: tuple[str, ...] = ()
    """Fields that are sealed in the log, by the key of their stream."""
    sealed_until_the_end: tuple[str, ...] = ()
    """Fields that are sealed in the log until the hand ends."""
    erases: bool = False
    """Whether it destroys the key of its stream."""
    is_folded: bool = True
    """Whether a fold needs it. Events of live tables are not even read: the league does not follow them."""
    boards: Boards = "any"


KINDS = (
    Kind("league-created/1", league.LeagueCreated),
    Kind("settings-changed/1", league.SettingsChanged),
    Kind("month-closed/1", league.MonthClosed, boards="none"),
    Kind("month-reopened/1", league.MonthReopened, boards="none"),
    Kind("season-opened/1", season.SeasonOpened, boards="none"),
    Kind("season-closed/1", season.SeasonClosed, boards="none"),
    Kind("player-registered/1", player.PlayerRegistered, sealed=("name",), boards="none"),
    Kind("player-renamed/1", player.PlayerRenamed, sealed=("name",), boards="none"),
    Kind("player-moved/1", player.PlayerMoved),
    Kind("player-erased/1", player.PlayerErased, erases=True),
    Kind("players-merged/1", merges.PlayersMerged),
    Kind("merge-undone/1", merges.MergeUndone),
    Kind("edition-published/1", rulebook.EditionPublished),
    Kind("edition-adopted/1", rulebook.EditionAdopted),
    Kind("match-opened/1", match.MatchOpened, boards="added"),
    Kind("hand-transcribed/1", match.HandTranscribed, is_folded=False, boards="added"),
    Kind("hand-photographed/1", match.HandPhotographed, is_folded=False, boards="added"),
    Kind("bonus-recorded/1", match.BonusRecorded, boards="added"),
    Kind("hand-recorded/1", match.HandRecorded, boards="added"),
    Kind("hand-corrected/1", match.HandCorrected),
    Kind("match-ended/1", match.MatchEnded, boards="added"),
    Kind("match-reopened/1", match.MatchReopened),
    Kind("match-forfeited/1", match.MatchForfeited, boards="added"),
    Kind("match-voided/1", match.MatchVoided),
    Kind("result-confirmed/1", disputes.ResultConfirmed, boards="none"),
    Kind("match-confirmed/1", disputes.MatchConfirmed, boards="added"),
    Kind("result-disputed/1", disputes.ResultDisputed, boards="none"),
    Kind("dispute-withdrawn/1", disputes.DisputeWithdrawn, boards="none"),
    Kind("dispute-rejected/1", disputes.DisputeRejected, boards="none"),
    Kind("match-entered/1", series_entry.MatchEntered, is_folded=False, boards="none"),
    Kind("member-added/1", members.MemberAdded, sealed=("subject",), is_folded=False, boards="none"),
    Kind("access-requested/1", members.AccessRequested, sealed=("subject", "name"), is_folded=False, boards="none"),
    Kind("access-granted/1", members.AccessGranted, is_folded=False, boards="none"),
    Kind("access-declined/1", members.AccessDeclined, is_folded=False, boards="none"),
    Kind("member-changed/1", members.MemberChanged, is_folded=False, boards="none"),
    Kind("member-removed/1", members.MemberRemoved, erases=True, boards="none"),
    Kind("photo-uploaded/1", photo.PhotoUploaded, is_folded=False, boards="none"),
    Kind("photo-count-proposed/1", photo.CountProposed, is_folded=False, boards="none"),
    Kind("photo-count-confirmed/1", photo.CountConfirmed, is_folded=False, boards="none"),
    Kind("photo-count-corrected/1", photo.CountCorrected, is_folded=False, boards="none"),
    Kind("photo-erased/1", photo.PhotoErased, is_folded=False, boards="none"),
    Kind("table-opened/1", table.TableOpened),
    Kind("table-seat-taken/1", table.SeatTaken),
    Kind("table-seat-left/1", table.SeatLeft),
    Kind("table-seat-ready/1", table.SeatReady),
    Kind("table-play-began/1", table.PlayBegan),
    Kind("table-shuffle-committed/1", table.ShuffleCommitted, sealed_until_the_end=("secret",)),
    Kind("table-seed-contributed/1", table.SeedContributed),
    Kind("table-starting-drawn/1", table.StartingDrawn),
    Kind("table-hand-dealt/1", table.HandDealt),
    Kind("table-reshuffle-offered/1", table.ReshuffleOffered),
    Kind("table-reshuffle-accepted/1", table.ReshuffleAccepted),
    Kind("table-reshuffle-declined/1", table.ReshuffleDeclined),
    Kind("table-tile-played/1", table.TilePlayed),
    Kind("table-tile-drawn/1", table.TileDrawn),
    Kind("table-turn-passed/1", table.TurnPassed),
    Kind("table-hand-ended/1", table.HandEnded),
    Kind("table-hand-dropped/1", table.HandDropped),
    Kind("table-seat-away/1", table.SeatAway),
    Kind("table-seat-back/1", table.SeatBack),
    Kind("table-seat-handed-over/1", table.SeatHandedOver),
    Kind("table-clock-stood/1", table.ClockStood),
    Kind("table-closed/1", table.TableClosed),
    Kind("token-made/1", audit_trail.TokenMade, is_folded=False),
    Kind("token-revoked/1", audit_trail.TokenRevoked, is_folded=False),
    Kind("replay-started/1", audit_trail.ReplayStarted, is_folded=False),
    Kind("replay-cancelled/1", audit_trail.ReplayCancelled, is_folded=False),
    Kind("run-dropped/1", audit_trail.RunDropped, is_folded=False),
    Kind("run-promoted/1", audit_trail.RunPromoted, is_folded=False),
    Kind("rolled-back/1", audit_trail.RolledBack, is_folded=False),
    Kind("folder-imported/1", audit_trail.FolderImported, is_folded=False),
    Kind("sheet-imported/1", audit_trail.SheetImported, is_folded=False),
    Kind("rows-exported/1", audit_trail.RowsExported, is_folded=False),
    Kind("head-requested/1", audit_trail.HeadRequested, is_folded=False),
)
"""At the newest version of each."""
