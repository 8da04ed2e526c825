"""Stored names and bodies of events: a literal name with a version for each, JSON bodies, upcasters for old versions.

A stored name stays readable forever; the domain knows only the newest shape.
"""

from collections.abc import Callable
from typing import Any

import msgspec

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

NAMES: dict[str, type[Event]] = {
    "league-created/1": league.LeagueCreated,
    "settings-changed/1": league.SettingsChanged,
    "month-closed/1": league.MonthClosed,
    "month-reopened/1": league.MonthReopened,
    "season-opened/1": season.SeasonOpened,
    "season-closed/1": season.SeasonClosed,
    "player-registered/1": player.PlayerRegistered,
    "player-renamed/1": player.PlayerRenamed,
    "player-moved/1": player.PlayerMoved,
    "player-erased/1": player.PlayerErased,
    "players-merged/1": merges.PlayersMerged,
    "merge-undone/1": merges.MergeUndone,
    "edition-published/1": rulebook.EditionPublished,
    "edition-adopted/1": rulebook.EditionAdopted,
    "match-opened/1": match.MatchOpened,
    "hand-transcribed/1": match.HandTranscribed,
    "hand-photographed/1": match.HandPhotographed,
    "bonus-recorded/1": match.BonusRecorded,
    "hand-recorded/1": match.HandRecorded,
    "hand-corrected/1": match.HandCorrected,
    "match-ended/1": match.MatchEnded,
    "match-reopened/1": match.MatchReopened,
    "match-forfeited/1": match.MatchForfeited,
    "match-voided/1": match.MatchVoided,
    "result-confirmed/1": disputes.ResultConfirmed,
    "match-confirmed/1": disputes.MatchConfirmed,
    "result-disputed/1": disputes.ResultDisputed,
    "dispute-withdrawn/1": disputes.DisputeWithdrawn,
    "dispute-rejected/1": disputes.DisputeRejected,
    "match-entered/1": series_entry.MatchEntered,
    "member-added/1": members.MemberAdded,
    "access-requested/1": members.AccessRequested,
    "access-granted/1": members.AccessGranted,
    "access-declined/1": members.AccessDeclined,
    "member-changed/1": members.MemberChanged,
    "member-removed/1": members.MemberRemoved,
    "photo-uploaded/1": photo.PhotoUploaded,
    "photo-count-proposed/1": photo.CountProposed,
    "photo-count-confirmed/1": photo.CountConfirmed,
    "photo-count-corrected/1": photo.CountCorrected,
    "photo-erased/1": photo.PhotoErased,
    "table-opened/1": table.TableOpened,
    "table-seat-taken/1": table.SeatTaken,
    "table-seat-left/1": table.SeatLeft,
    "table-seat-ready/1": table.SeatReady,
    "table-play-began/1": table.PlayBegan,
    "table-shuffle-committed/1": table.ShuffleCommitted,
    "table-seed-contributed/1": table.SeedContributed,
    "table-starting-drawn/1": table.StartingDrawn,
    "table-hand-dealt/1": table.HandDealt,
    "table-reshuffle-offered/1": table.ReshuffleOffered,
    "table-reshuffle-accepted/1": table.ReshuffleAccepted,
    "table-reshuffle-declined/1": table.ReshuffleDeclined,
    "table-tile-played/1": table.TilePlayed,
    "table-tile-drawn/1": table.TileDrawn,
    "table-turn-passed/1": table.TurnPassed,
    "table-hand-ended/1": table.HandEnded,
    "table-hand-dropped/1": table.HandDropped,
    "table-seat-away/1": table.SeatAway,
    "table-seat-back/1": table.SeatBack,
    "table-seat-handed-over/1": table.SeatHandedOver,
    "table-clock-stood/1": table.ClockStood,
    "table-closed/1": table.TableClosed,
    "token-made/1": audit_trail.TokenMade,
    "token-revoked/1": audit_trail.TokenRevoked,
    "replay-started/1": audit_trail.ReplayStarted,
    "replay-cancelled/1": audit_trail.ReplayCancelled,
    "run-dropped/1": audit_trail.RunDropped,
    "run-promoted/1": audit_trail.RunPromoted,
    "rolled-back/1": audit_trail.RolledBack,
    "folder-imported/1": audit_trail.FolderImported,
    "sheet-imported/1": audit_trail.SheetImported,
    "rows-exported/1": audit_trail.RowsExported,
    "head-requested/1": audit_trail.HeadRequested,
}
"""The newest stored name of every event."""

UPCASTERS: dict[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
"""Maps an old stored name to the next one, and to the function that converts the old body to the next one's."""

PRIVATE: dict[str, tuple[str, ...]] = {
    "player-registered/1": ("name",),
    "player-renamed/1": ("name",),
    "member-added/1": ("subject",),
    "access-requested/1": ("subject", "name"),
}
"""Fields that are sealed in the log, by the key of their stream."""

HAND_SECRETS: dict[str, tuple[str, ...]] = {"table-shuffle-committed/1": ("secret",)}
"""Fields that are sealed in the log until the hand ends."""

ERASING = ("player-erased/1", "member-removed/1")
"""Events that destroy the key of their stream."""

UNFOLDED = (
    "hand-transcribed/1", "match-entered/1", "token-made/1", "token-revoked/1", "replay-started/1",
    "replay-cancelled/1", "run-dropped/1", "run-promoted/1", "rolled-back/1", "folder-imported/1",
    "sheet-imported/1", "rows-exported/1", "head-requested/1", "hand-photographed/1", "photo-uploaded/1",
    "photo-count-proposed/1", "photo-count-confirmed/1", "photo-count-corrected/1", "photo-erased/1",
    "member-added/1", "access-requested/1", "access-granted/1", "access-declined/1", "member-changed/1",
)  # fmt: skip
"""Names that no fold needs. Those of live tables are not here: the league does not even read them."""

_NAME_OF = {kind: name for name, kind in NAMES.items()}
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in NAMES.items()}
_ENCODER = msgspec.json.Encoder(decimal_format="number", order="deterministic")


def name_of(event: Event) -> str:
    """The stored name of an event."""
    return _NAME_OF[type(event)]


def encode_body(event: Event) -> bytes:
    """The event as JSON."""
    return _ENCODER.encode(event)


def decode_body(name: str, body: bytes) -> Event:
    """The event of a stored name and its JSON, at its newest version. Raises KeyError for an unknown name."""
    if name in UPCASTERS:
        document = msgspec.json.decode(body)
        while name in UPCASTERS:
            name, upcast = UPCASTERS[name]
            document = upcast(document)
        body = _ENCODER.encode(document)
    event: Event = _DECODERS[name].decode(body)
    return event


def type_of(name: str) -> type[Event] | None:
    """The type as which a body with this stored name can be decoded as it is; None for old names and sealed fields."""
    return None if name in PRIVATE or name in HAND_SECRETS else NAMES.get(name)


def private_fields(name: str) -> tuple[str, ...]:
    """The names of an event's sealed fields."""
    return PRIVATE.get(name, ())


def hand_secrets(name: str) -> tuple[str, ...]:
    """The names of an event's fields that are sealed until the hand ends."""
    return HAND_SECRETS.get(name, ())


def destroys_key(name: str) -> bool:
    """Whether this event destroys the key of its stream."""
    return name in ERASING
