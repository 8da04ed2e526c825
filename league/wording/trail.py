"""Sentences for people: what happened, for every event of the log."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from league.domain import audit_trail, disputes, league, match, merges, player, rulebook, season, series_entry
from league.domain.deciders import Event
from league.domain.table import events as table
from league.domain.timeline import Timeline
from league.wording.disputes import settling_words, words_of_review
from league.wording.language import _
from league.wording.photos import words_of_evidence, words_of_photo
from league.wording.tables import words_of_table

Names = Mapping[str, str]
"""The current name of each player by id; a player without one appears under the id."""


def players_in(stream: str, event: Event) -> set[str]:  # noqa: PLR0911  # one return for each kind
    """The players named in the words."""
    kind, id_ = stream.split(":", maxsplit=1) if ":" in stream else (stream, "")
    match event:
        case match.MatchOpened():
            return set(event.seats)
        case audit_trail.TokenMade():
            return {event.sub}
        case disputes.ResultConfirmed() | disputes.ResultDisputed():
            return {event.player}
        case table.TableOpened():
            return {event.opened_by} if event.opened_by else set()
        case table.SeatTaken():
            return {event.player} if event.player else set()
        case merges.PlayersMerged() | merges.MergeUndone():
            return {event.keep, event.drop}
    return {id_} if kind == "player" else set()


def words(stream: str, event: Event, names: Names) -> str:
    """What happened, in a sentence without a full stop. Sealed names in the event are not opened."""
    kind, id_ = stream.split(":", maxsplit=1) if ":" in stream else (stream, "")
    match kind:
        case "player":
            return _of_player(_named(id_, names), event)
        case "match":
            return _("Match {id}: {event}", id=id_, event=_of_match(event, names))
        case "table":
            return _("Table {id}: {event}", id=id_, event=words_of_table(event, names))
        case "photo":
            return words_of_photo(id_, event)
        case "series":
            assert isinstance(event, series_entry.MatchEntered)
            mode, month, a, b = id_.split(":")
            return _(
                "Series of {a} and {b} ({mode}, {month}): match {match} was entered",
                a=a,
                b=b,
                mode=mode,
                month=month,
                match=event.match,
            )
    return _of_league(event, names)


def _of_player(who: str, event: Event) -> str:
    match event:
        case player.PlayerRegistered():
            if event.region:
                return _("{who} joined, of {region}", who=who, region=event.region)
            return _("{who} joined", who=who)
        case player.PlayerRenamed():
            return _("{who} got another name", who=who)
        case player.PlayerMoved():
            return _("{who} moved to {region}", who=who, region=event.region or _("no region"))
    return _("{who} was erased: the key of their names was destroyed", who=who)


def _of_match(event: Event, names: Names) -> str:  # noqa: C901, PLR0911  # one return for each event
    match event:
        case match.MatchOpened():
            seats = ", ".join(_named(seat, names) for seat in event.seats)
            return _(
                "opened, {competition} {mode} by {ruleset}; seats: {seats}",
                competition=event.competition,
                mode=event.mode,
                ruleset=event.ruleset,
                seats=seats,
            )
        case match.HandTranscribed():
            return _("the turns of hand {hand} were written down", hand=event.hand)
        case match.HandPhotographed():
            return words_of_evidence(event)
        case match.BonusRecorded():
            return _("hand {hand}: {bonus}", hand=event.hand, bonus=_bonus(event.bonus))
        case match.HandRecorded():
            by = "" if event.seat is None else _(" by seat {seat}", seat=event.seat)
            said = (
                ""
                if event.stated_winner is None
                else _("; the sheet says that side {stated_winner} won it", stated_winner=event.stated_winner)
            )
            return _(
                "hand {hand} recorded, ended with a {ended_by}{by}{said}",
                hand=event.hand,
                ended_by=event.ended_by,
                by=by,
                said=said,
            )
        case match.HandCorrected():
            return settling_words(
                _("hand {hand} corrected: {reason}", hand=event.hand, reason=event.reason), event.settles
            )
        case match.MatchEnded():
            return _("ended{announced}", announced=_announced(event))
        case match.MatchReopened():
            return settling_words(_("reopened: {reason}", reason=event.reason), event.settles)
        case match.MatchForfeited():
            return _("side {side} gave up", side=event.side)
        case match.MatchVoided():
            return settling_words(_("voided: {reason}", reason=event.reason), event.settles)
    return words_of_review(event, _named(getattr(event, "player", ""), names))


def _bonus(bonus: match.OpeningPass | match.PaseCorrido | match.ClosingTile) -> str:
    match bonus:
        case match.OpeningPass():
            return _("a pase primera mano")
        case match.PaseCorrido():
            by = _("side {side}", side=bonus.side) if bonus.seat is None else _("seat {seat}", seat=bonus.seat)
            return _("a pase corrido by {by}", by=by)
        case match.ClosingTile():
            return _("a last tile that may earn a bonus")


def _announced(event: match.MatchEnded) -> str:
    said = event.announced
    if said is None:
        return ""
    score = "" if said.score is None else " " + ":".join(map(str, said.score))
    return _("; announced: side {winner} won{score}", winner=said.winner, score=score)


def _of_league(event: Event, names: Names) -> str:  # noqa: C901, PLR0911  # one return for each event
    match event:
        case league.LeagueCreated():
            return _("The league {name!r} was created, in {time_zone}", name=event.name, time_zone=event.time_zone)
        case league.SettingsChanged():
            return "; ".join(_settings(event))
        case league.MonthClosed():
            return _("The series of {month} was closed, and its standings published", month=event.month)
        case league.MonthReopened():
            return _("The series of {month} was reopened, and its published standings withdrawn", month=event.month)
        case season.SeasonOpened():
            return _(
                "Season {season}: opened, {name!r}, {start}",
                season=event.season,
                name=event.name,
                start=_span(event.start, event.end),
            )
        case season.SeasonClosed():
            return _("Season {season}: closed at {end}", season=event.season, end=_time(event.end))
        case rulebook.EditionPublished():
            return _(
                "Edition {edition} of the rules was published ({hash})", edition=event.edition, hash=event.hash[:12]
            )
        case rulebook.EditionAdopted():
            return _("Rules were adopted: {timeline}", timeline=_timeline(event.timeline))
        case merges.PlayersMerged():
            keep, drop = _named(event.keep, names), _named(event.drop, names)
            return _("{drop} was merged into {keep}: the two are one person", drop=drop, keep=keep)
        case merges.MergeUndone():
            keep, drop = _named(event.keep, names), _named(event.drop, names)
            return _("The merge of {drop} into {keep} was undone: they are two people", drop=drop, keep=keep)
    return _act(event, names)


def _settings(event: league.SettingsChanged) -> Iterator[str]:
    changes = [(what, to) for what, to in ((_("its name"), event.name), (_("its time zone"), event.time_zone)) if to]
    if changes:
        yield _("The league changed ") + " and ".join(f"{what} to {to!r}" for what, to in changes)
    if event.confirmation is True:
        yield _("The league demands that players confirm the results of matches that end from now on")
    if event.confirmation is False:
        yield _("The league no longer demands that players confirm results")


def _act(event: Event, names: Names) -> str:  # noqa: PLR0911  # one return for each event
    match event:
        case audit_trail.TokenMade():
            who, roles, until = _named(event.sub, names), ", ".join(event.roles), _time(event.expires_at)
            return _(
                "Token {token} was made for {who} ({roles}), until {until}",
                token=event.token,
                who=who,
                roles=roles,
                until=until,
            )
        case audit_trail.TokenRevoked():
            return _("Token {token} was taken back", token=event.token)
        case audit_trail.FolderImported():
            counts = _(
                "{players} players, {matches} matches, {hands} hands",
                players=event.players,
                matches=event.matches,
                hands=event.hands,
            )
            return _(
                "Folder {folder!r} was imported: {counts}; SHA-256 of matches.jsonl: {matches_sha256}",
                folder=event.folder,
                counts=counts,
                matches_sha256=event.matches_sha256,
            )
        case audit_trail.SheetImported():
            return _(
                "Sheet {file!r} was imported: {players} players, {matches} matches, {hands} hands",
                file=event.file,
                players=event.players,
                matches=event.matches,
                hands=event.hands,
            )
        case audit_trail.RowsExported():
            of_run = "" if event.run is None else _(" of run {run}", run=event.run)
            return _("Exported: {what}{of_run}, as {format}", what=event.what, of_run=of_run, format=event.format)
        case audit_trail.HeadRequested():
            return _("A signed head of the log was asked for, by the key {key}", key=event.key)
    return _of_runs(event)


def _of_runs(event: Event) -> str:
    match event:
        case audit_trail.ReplayStarted():
            return _("Replay {replay} was asked for: {event}", replay=event.replay, event=_asked(event))
        case audit_trail.ReplayCancelled():
            return _("Replay {replay} was cancelled", replay=event.replay)
        case audit_trail.RunDropped():
            return _("Run {run} was dropped", run=event.run)
        case audit_trail.RunPromoted():
            return _(
                "Run {run} was promoted: it is official in place of run {before}", run=event.run, before=event.before
            )
        case audit_trail.RolledBack():
            return _("Rolled back: run {run} is official in place of run {before}", run=event.run, before=event.before)
    raise TypeError(event)


def _asked(event: audit_trail.ReplayStarted) -> str:
    revised = _("no revision")
    if event.candidate is not None:
        revised = _("revision {hash} {span}", hash=event.candidate[:12], span=_span(event.start, event.end))
    return revised + ("" if event.known_at is None else _(", as known at {known_at}", known_at=_time(event.known_at)))


def _timeline(timeline: Timeline) -> str:
    return "; ".join(
        _("edition {edition} {span}", edition=span.edition, span=_span(span.start, None)) for span in timeline
    )


def _span(start: datetime | None, end: datetime | None) -> str:
    since = _("from the beginning") if start is None else _("from {start}", start=_time(start))
    return since if end is None else _("{since} to {end}", since=since, end=_time(end))


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _named(id_: str, names: Names) -> str:
    return f"{names[id_]} ({id_})" if id_ in names and names[id_] != id_ else id_
