"""Sentences for people: what happened, for every event of the log."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from league.domain import audit_trail, disputes, league, match, player, rulebook, season, series_entry
from league.domain.deciders import Event
from league.domain.table import events as table
from league.domain.timeline import Timeline
from league.wording.disputes import settling_words, words_of_review
from league.wording.language import _
from league.wording.photos import words_of_evidence, words_of_photo
from league.wording.tables import words_of_table

Names = Mapping[str, str]
"""The current name of each player by id; a player without one appears under the id."""


def players_in(stream: str, event: Event) -> set[str]:
    """The players named in the words."""
    kind, _, id_ = stream.partition(":")
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
    return {id_} if kind == "player" else set()


def words(stream: str, event: Event, names: Names) -> str:
    """What happened, in a sentence without a full stop. Sealed names in the event are not opened."""
    kind, _, id_ = stream.partition(":")
    match kind:
        case "player":
            return _of_player(_named(id_, names), event)
        case "match":
            return f"Match {id_}: {_of_match(event, names)}"
        case "table":
            return f"Table {id_}: {words_of_table(event, names)}"
        case "photo":
            return words_of_photo(id_, event)
        case "series":
            assert isinstance(event, series_entry.MatchEntered)
            mode, month, a, b = id_.split(":")
            return f"Series of {a} and {b} ({mode}, {month}): match {event.match} was entered"
    return _of_league(event, names)


def _of_player(who: str, event: Event) -> str:
    match event:
        case player.PlayerRegistered():
            return f"{who} joined" + (f", of {event.region}" if event.region else "")
        case player.PlayerRenamed():
            return f"{who} got another name"
        case player.PlayerMoved():
            return f"{who} moved to {event.region or 'no region'}"
    return f"{who} was erased: the key of their names was destroyed"


def _of_match(event: Event, names: Names) -> str:  # noqa: C901, PLR0911  # one return for each event
    match event:
        case match.MatchOpened():
            seats = ", ".join(_named(seat, names) for seat in event.seats)
            return f"opened, {event.competition} {event.mode} by {event.ruleset}; seats: {seats}"
        case match.HandTranscribed():
            return f"the turns of hand {event.hand} were written down"
        case match.HandPhotographed():
            return words_of_evidence(event)
        case match.BonusRecorded():
            return f"hand {event.hand}: {_bonus(event.bonus)}"
        case match.HandRecorded():
            by = "" if event.seat is None else f" by seat {event.seat}"
            said = "" if event.stated_winner is None else f"; the sheet says that side {event.stated_winner} won it"
            return f"hand {event.hand} recorded, ended with a {event.ended_by}{by}{said}"
        case match.HandCorrected():
            return settling_words(f"hand {event.hand} corrected: {event.reason}", event.settles)
        case match.MatchEnded():
            return f"ended{_announced(event)}"
        case match.MatchReopened():
            return settling_words(f"reopened: {event.reason}", event.settles)
        case match.MatchForfeited():
            return f"side {event.side} gave up"
        case match.MatchVoided():
            return settling_words(f"voided: {event.reason}", event.settles)
    return words_of_review(event, _named(getattr(event, "player", ""), names))


def _bonus(bonus: match.OpeningPass | match.PaseCorrido | match.ClosingTile) -> str:
    match bonus:
        case match.OpeningPass():
            return "a pase primera mano"
        case match.PaseCorrido():
            by = f"side {bonus.side}" if bonus.seat is None else f"seat {bonus.seat}"
            return f"a pase corrido by {by}"
        case match.ClosingTile():
            return "a last tile that may earn a bonus"


def _announced(event: match.MatchEnded) -> str:
    said = event.announced
    if said is None:
        return ""
    score = "" if said.score is None else " " + ":".join(map(str, said.score))
    return f"; announced: side {said.winner} won{score}"


def _of_league(event: Event, names: Names) -> str:  # noqa: PLR0911  # one return for each event
    match event:
        case league.LeagueCreated():
            return f"The league {event.name!r} was created, in {event.time_zone}"
        case league.SettingsChanged():
            return "; ".join(_settings(event))
        case league.MonthClosed():
            return f"The series of {event.month} was closed, and its standings published"
        case league.MonthReopened():
            return f"The series of {event.month} was reopened, and its published standings withdrawn"
        case season.SeasonOpened():
            return f"Season {event.season}: opened, {event.name!r}, {_span(event.start, event.end)}"
        case season.SeasonClosed():
            return f"Season {event.season}: closed at {_time(event.end)}"
        case rulebook.EditionPublished():
            return f"Edition {event.edition} of the rules was published ({event.hash[:12]})"
        case rulebook.EditionAdopted():
            return f"Rules were adopted: {_timeline(event.timeline)}"
    return _act(event, names)


def _settings(event: league.SettingsChanged) -> Iterator[str]:
    changes = [(what, to) for what, to in (("its name", event.name), ("its time zone", event.time_zone)) if to]
    if changes:
        yield "The league changed " + " and ".join(f"{what} to {to!r}" for what, to in changes)
    if event.confirmation is True:
        yield _("The league demands that players confirm the results of matches that end from now on")
    if event.confirmation is False:
        yield _("The league no longer demands that players confirm results")


def _act(event: Event, names: Names) -> str:  # noqa: PLR0911  # one return for each event
    match event:
        case audit_trail.TokenMade():
            who, roles, until = _named(event.sub, names), ", ".join(event.roles), _time(event.expires_at)
            return f"Token {event.token} was made for {who} ({roles}), until {until}"
        case audit_trail.TokenRevoked():
            return f"Token {event.token} was taken back"
        case audit_trail.FolderImported():
            counts = f"{event.players} players, {event.matches} matches, {event.hands} hands"
            return f"Folder {event.folder!r} was imported: {counts}; SHA-256 of matches.jsonl: {event.matches_sha256}"
        case audit_trail.SheetImported():
            return _(
                "Sheet {file!r} was imported: {players} players, {matches} matches, {hands} hands",
                file=event.file,
                players=event.players,
                matches=event.matches,
                hands=event.hands,
            )
        case audit_trail.RowsExported():
            of_run = "" if event.run is None else f" of run {event.run}"
            return f"Exported: {event.what}{of_run}, as {event.format}"
        case audit_trail.HeadRequested():
            return f"A signed head of the log was asked for, by the key {event.key}"
    return _of_runs(event)


def _of_runs(event: Event) -> str:
    match event:
        case audit_trail.ReplayStarted():
            return f"Replay {event.replay} was started: {_asked(event)}"
        case audit_trail.ReplayCancelled():
            return f"Replay {event.replay} was cancelled"
        case audit_trail.RunDropped():
            return f"{_run(event)} was dropped"
        case audit_trail.RunPromoted():
            return f"{_run(event)} was promoted: it is official in place of run {event.before}"
        case audit_trail.RolledBack():
            return f"Rolled back: run {event.run} is official in place of run {event.before}"
    raise TypeError(event)


def _run(event: audit_trail.RunDropped | audit_trail.RunPromoted) -> str:
    return f"Run {event.run}" + ("" if event.replay is None else f" (of replay {event.replay})")


def _asked(event: audit_trail.ReplayStarted) -> str:
    revised = "no revision"
    if event.candidate is not None:
        revised = f"revision {event.candidate[:12]} {_span(event.start, event.end)}"
    return revised + ("" if event.known_at is None else f", as known at {_time(event.known_at)}")


def _timeline(timeline: Timeline) -> str:
    return "; ".join(f"edition {span.edition} {_span(span.start, None)}" for span in timeline)


def _span(start: datetime | None, end: datetime | None) -> str:
    since = "from the beginning" if start is None else f"from {_time(start)}"
    return since if end is None else f"{since} to {_time(end)}"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _named(id_: str, names: Names) -> str:
    return f"{names[id_]} ({id_})" if id_ in names and names[id_] != id_ else id_
