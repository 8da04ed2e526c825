"""Sentences for people: what happened, for every event of the log.

They do not tell the identities with which members sign in.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache

from msgspec.structs import asdict

from league.domain import audit_trail, disputes, league, match, members, player, rulebook, series
from league.domain.deciders import Event
from league.domain.result import AnnouncedResult
from league.domain.sentences import say, say_count, say_each
from league.domain.timeline import Timeline
from league.features import declared
from league.wording.language import spoken, text_of
from league.wording.matches import EventContext, StreamWords, WordPart, competition_in_words, joined


def players_in(stream: str, event: Event) -> set[str]:  # noqa: PLR0911  # one return for each kind
    """The ids of the players that the words of an event name."""
    kind, id_ = stream.split(":", maxsplit=1) if ":" in stream else (stream, "")
    match event:
        case match.MatchOpened():
            return set(event.seats)
        case audit_trail.TokenMade():
            return {event.sub}
        case disputes.ResultConfirmed() | disputes.ResultDisputed():
            return {event.player}
        case members.MemberAdded() | members.AccessGranted() | members.MemberChanged():
            return {event.player} if event.player else set()
        case player.PlayersMerged() | player.MergeUndone():
            return {event.keep, event.drop}
    if (of_feature := _of_features().get(kind)) is not None:
        return of_feature.players(id_, event)
    if kind == "series":
        _mode, _month, a, b = id_.split(":")
        return {*a.split("+"), *b.split("+")}
    return {id_} if kind == "player" else set()


@cache
def _of_features() -> dict[str, StreamWords]:
    return {words.kind: words for part in declared(WordPart) for words in part.streams}


def words(stream: str, event: Event, around: EventContext) -> str:
    """What happened, as a sentence without a full stop. Sealed names in the event are not opened."""
    kind, id_ = stream.split(":", maxsplit=1) if ":" in stream else (stream, "")
    match kind:
        case "player":
            return _of_player(around.named(id_), event)
        case "match":
            said, sides = _of_match(event, around), around.match()
            known = say("Match of {match}: {event}", match=sides, event=said)
            return say("Match {id}: {event}", id=id_, event=said) if sides is None else known
        case "member":
            return words_of_member(id_, event, around.names)
        case "series":
            assert isinstance(event, series.MatchEntered)
            mode, month, a, b = id_.split(":")
            one, other = (joined(map(around.named, side.split("+"))) for side in (a, b))
            of = {"a": one, "b": other, "mode": mode, "month": month, "match": around.match() or event.match}
            return say("Series of {a} and {b} ({mode}, {month}): match {match} was entered", **of)
    if (of_feature := _of_features().get(kind)) is not None:
        return of_feature.words(id_, event, around)
    return _of_league(event, around)


def _of_player(who: str, event: Event) -> str:
    match event:
        case player.PlayerRegistered():
            if event.region:
                return say("{who} joined, of {region}", who=who, region=event.region)
            return say("{who} joined", who=who)
        case player.PlayerRenamed():
            return say("{who} got another name", who=who)
        case player.PlayerMoved():
            if event.region:
                return say("{who} moved to {region}", who=who, region=event.region)
            return say("{who} has no region any more", who=who)
    return say("{who} was erased: the key of their names was destroyed", who=who)


def _of_match(event: Event, around: EventContext) -> str:  # noqa: C901, PLR0911  # one return for each event
    of = asdict(event)
    match event:
        case match.MatchOpened():
            seats = ", ".join(map(around.named, event.seats))
            ruleset = around.ruleset(event.ruleset)
            of |= {"competition": competition_in_words(event.competition), "seats": seats, "ruleset": ruleset}
            return say("opened, {competition} {mode} by {ruleset}; seats: {seats}", **of)
        case match.MatchTakenToTable():
            return say("a live table plays it")
        case match.HandTranscribed():
            return say("the turns of hand {hand} were written down", **of)
        case match.HandPhotographed():
            return _photographed(event)
        case match.BonusRecorded():
            return _bonus(event.hand, event.bonus, around)
        case match.HandRecorded():
            said = (event.ended_by, event.seat is not None, event.stated_winner is not None)
            who = None if event.seat is None else around.at_seat(event.seat)
            side = None if event.stated_winner is None else around.on_side(event.stated_winner)
            return say(HAND_RECORDED[said], hand=event.hand, who=who, side=side)
        case match.HandCorrected():
            return settling_words(say("hand {hand} corrected: {reason}", **of), event.settles)
        case match.MatchEnded():
            return _ended(event.announced, around)
        case match.MatchReopened():
            return settling_words(say("reopened: {reason}", reason=event.reason), event.settles)
        case match.MatchForfeited():
            return say("{side} gave up", side=around.on_side(event.side))
        case match.MatchVoided():
            # A reason that the league gives by itself is a word of its catalogue, such as `walkover`.
            return settling_words(say("voided: {reason}", reason=text_of(event.reason)), event.settles)
    return words_of_review(event, around.named(getattr(event, "player", "")))


HAND_RECORDED = {
    ("domino", True, False): say("hand {hand} recorded: {who} went out"),
    ("domino", True, True): say("hand {hand} recorded: {who} went out; the sheet says that {side} won it"),
    ("domino", False, False): say("hand {hand} recorded: somebody went out"),
    ("domino", False, True): say("hand {hand} recorded: somebody went out; the sheet says that {side} won it"),
    ("block", True, False): say("hand {hand} recorded: {who} blocked it"),
    ("block", True, True): say("hand {hand} recorded: {who} blocked it; the sheet says that {side} won it"),
    ("block", False, False): say("hand {hand} recorded: it was blocked"),
    ("block", False, True): say("hand {hand} recorded: it was blocked; the sheet says that {side} won it"),
}
"""Sentences by how a hand ended, whether it is known who ended it, and whether the score sheet names a winner."""


def _bonus(hand: int, bonus: match.OpeningPass | match.PaseCorrido | match.ClosingTile, around: EventContext) -> str:
    match bonus:
        case match.OpeningPass():
            return say("hand {hand}: an opening pass", hand=hand)
        case match.PaseCorrido(seat=int(seat)):
            return say("hand {hand}: a pase corrido by {who}", hand=hand, who=around.at_seat(seat))
        case match.PaseCorrido(side=int(side)):
            return say("hand {hand}: a pase corrido by {who}", hand=hand, who=around.on_side(side))
        case match.ClosingTile():
            return say("hand {hand}: a last tile that may earn a bonus", hand=hand)
    raise TypeError(bonus)


def _ended(announced: AnnouncedResult | None, around: EventContext) -> str:
    if announced is None:
        return say("ended")
    winner = around.on_side(announced.winner)
    if announced.score is None:
        return say("ended; announced: {winner} won", winner=winner)
    score = "-".join(map(str, announced.score))
    return say("ended; announced: {winner} won {score}", winner=winner, score=score)


def _photographed(event: match.HandPhotographed) -> str:
    """A clause that says which photos show what was left over, without a full stop."""
    return say_count(
        "{count} photo shows what was left over in hand {hand}: {photos}",
        "{count} photos show what was left over in hand {hand}: {photos}",
        len(event.photos),
        hand=event.hand,
        photos=", ".join(event.photos),
    )


def _of_league(event: Event, around: EventContext) -> str:  # noqa: C901, PLR0911  # one return for each event
    of = asdict(event)
    match event:
        case league.LeagueCreated():
            return say("The league {name!r} was created, in {time_zone}", **of)
        case league.SettingsChanged():
            return "; ".join(map(spoken, _settings(event)))
        case league.MonthClosed():
            return say("The series of {month} was closed, and its standings published", **of)
        case league.MonthReopened():
            return say("The series of {month} was reopened, and its published standings withdrawn", **of)
        case league.SeasonOpened():
            of["start"] = _span(event.start, event.end, around)
            return say("Season “{name}” was opened, {start}", **of)
        case league.SeasonClosed():
            name = around.seasons.get(event.season, event.season)
            return say("Season “{name}” was closed at {end}", name=name, end=around.time(event.end))
        case rulebook.EditionPublished():
            of = {
                "edition": event.edition,
                "title": around.editions.get(event.edition) or say(event.title),
                "hash": event.hash[:12],
            }
            return say("Edition {edition} of the rules, “{title}”, was published ({hash})", **of)
        case rulebook.EditionAdopted():
            return say("Rules were adopted: {timeline}", timeline=_timeline(event.timeline, around))
        case player.PlayersMerged():
            keep, drop = around.named(event.keep), around.named(event.drop)
            return say("{drop} was merged into {keep}: the two are one person", drop=drop, keep=keep)
        case player.MergeUndone():
            keep, drop = around.named(event.keep), around.named(event.drop)
            return say("The merge of {drop} into {keep} was undone: they are two people", drop=drop, keep=keep)
    return _act(event, around)


def _settings(event: league.SettingsChanged) -> Iterator[str]:
    if event.name:
        yield say("The league is now called {name!r}", name=event.name)
    if event.time_zone:
        yield say("The league is now in the time zone {zone}", zone=event.time_zone)
    if event.confirmation is True:
        yield say("The league demands that players confirm the results of matches that end from now on")
    if event.confirmation is False:
        yield say("The league no longer demands that players confirm results")
    if event.colour is not None or event.second_colour is not None:
        colours = ", ".join(filter(None, (event.colour, event.second_colour)))
        yield say("The club has the colours {colours}", colours=colours) if colours else say("The club has no colours")
    if event.logo is not None:
        yield say("The club has a new logo") if event.logo else say("The logo of the club was removed")


def _act(event: Event, around: EventContext) -> str:  # noqa: PLR0911  # one return for each event
    of = asdict(event)
    match event:
        case audit_trail.TokenMade():
            of["roles"] = _named_roles(event.roles)
            who, until = around.named(event.sub), around.time(event.expires_at)
            return say("Token {token} was made for {who} ({roles}), until {until}", who=who, until=until, **of)
        case audit_trail.TokenRevoked():
            return say("Token {token} was taken back", **of)
        case audit_trail.FolderImported():
            return say(
                "Folder {folder!r} was imported: {players} players, {matches} matches, {hands} hands; SHA-256 of "
                "matches.jsonl: {matches_sha256}",
                **of,
            )
        case audit_trail.SheetImported():
            return say("Sheet {file!r} was imported: {players} players, {matches} matches, {hands} hands", **of)
        case audit_trail.RowsExported():
            if event.run is None:
                return say("Exported: {what}, as {format}", **of)
            return say("Exported: {what} of run {run}, as {format}", **of)
        case audit_trail.HeadRequested():
            return say("A signed head of the log was asked for, by the key {key}", **of)
    return _of_replay(event, around)


def _of_replay(event: Event, around: EventContext) -> str:  # noqa: PLR0911  # one return for each event
    of = asdict(event)
    match event:
        case audit_trail.ReplayStarted():
            return say("Replay {replay} was asked for: {event}", event=_asked(event, around), **of)
        case audit_trail.ReplayShown(title=None):
            return say("Replay {replay} is shown to everybody: {reason}", **of)
        case audit_trail.ReplayShown():
            return say("Replay {replay} ({title}) is shown to everybody: {reason}", **of)
        case audit_trail.ReplayWithdrawn():
            return say("Replay {replay} is a draft again: {reason}", **of)
        case audit_trail.ReplayCancelled():
            return say("Replay {replay} was cancelled", **of)
        case audit_trail.RunDropped():
            return say("Run {run} was dropped", **of)
        case audit_trail.RunPromoted() | audit_trail.RolledBack():
            return _made_official(event)
    raise TypeError(event)


def _made_official(event: audit_trail.RunPromoted | audit_trail.RolledBack) -> str:
    runs = {"run": event.run, "before": event.before}
    if isinstance(event, audit_trail.RolledBack):
        said = say("Rolled back: run {run} is official in place of run {before}", **runs)
    else:
        said = say("Run {run} was promoted: it is official in place of run {before}", **runs)
    if event.title is not None:
        said = say("{said} ({title})", said=said, title=event.title)
    return said if event.reason is None else say("{said}. Reason: {reason}", said=said, reason=event.reason)


def _asked(event: audit_trail.ReplayStarted, around: EventContext) -> str:
    if event.restores is not None:
        return say("the rules that position {position} adopted", position=event.restores)
    of: dict[str, str] = {}
    if event.known_at is not None:
        of["known_at"] = around.time(event.known_at)
    if event.candidate is not None:
        of |= {"hash": event.candidate[:12], "span": _span(event.start, event.end, around)}
    match event.candidate is None, event.known_at is None:
        case True, True:
            return say("no revision")
        case True, False:
            return say("no revision, as known at {known_at}", **of)
        case False, True:
            return say("revision {hash} {span}", **of)
    return say("revision {hash} {span}, as known at {known_at}", **of)


def _timeline(timeline: Timeline, around: EventContext) -> str:
    return "; ".join(
        f"{spoken(around.edition(span.edition))} {spoken(_span(span.start, None, around))}" for span in timeline
    )


def _span(start: datetime | None, end: datetime | None, around: EventContext) -> str:
    if start is None:
        return say("from the beginning") if end is None else say("from the beginning to {end}", end=around.time(end))
    if end is None:
        return say("from {start}", start=around.time(start))
    return say("from {start} to {end}", start=around.time(start), end=around.time(end))


def words_of_review(event: Event, player: str) -> str:  # noqa: PLR0911  # one return for each event
    """What somebody said about the result of a match, without a full stop. `player`: the name of the event's player."""
    match event:
        case disputes.ResultConfirmed():
            return say("{player} confirmed the result", player=player)
        case disputes.MatchConfirmed(by="players"):
            return say("confirmed by a player of each side, and so decided")
        case disputes.MatchConfirmed(by="admin"):
            return say("confirmed by an admin, and so decided")
        case disputes.MatchConfirmed():
            return say("decided, since its result was not disputed in time")
        case disputes.ResultDisputed():
            return say("{player} disputed the result ({dispute}): {reason}", **(asdict(event) | {"player": player}))
        case disputes.DisputeWithdrawn():
            return say("dispute {dispute} was withdrawn", dispute=event.dispute)
        case disputes.DisputeRejected():
            return say("dispute {dispute} was rejected: {reason}", dispute=event.dispute, reason=event.reason)
    raise TypeError(event)


def settling_words(text: str, settles: int | None) -> str:
    """A sentence about a command, with the dispute that it settles."""
    if settles is None:
        return text
    # Translators: {text} says how a match was corrected, voided or reopened.
    return say("{text}; this settles dispute {dispute}", text=text, dispute=settles)


def words_of_member(id_: str, event: Event, names: Mapping[str, str]) -> str:
    """What happened to a member, as a sentence without a full stop."""
    match event:
        case members.MemberAdded():
            return say("Member {id}: added, {rights}", id=id_, rights=_rights(event.roles, event.player, names))
        case members.AccessRequested():
            return say("Member {id}: asked for access", id=id_)
        case members.AccessGranted():
            return say("Member {id}: let in, {rights}", id=id_, rights=_rights(event.roles, event.player, names))
        case members.AccessDeclined():
            return say("Member {id}: access declined", id=id_)
        case members.MemberChanged():
            return say("Member {id}: changed, {rights}", id=id_, rights=_rights(event.roles, event.player, names))
    return say("Member {id}: removed; the key of their subject was destroyed", id=id_)


ROLES = say_each("player", "scorekeeper", "admin", "auditor")


def _named_roles(roles: tuple[str, ...]) -> str:
    return ", ".join(spoken(say(ROLES[role])) for role in roles)


def _rights(roles: tuple[str, ...], player: str | None, names: Mapping[str, str]) -> str:
    listed = _named_roles(roles)
    if player is None:
        return say("with the roles {roles}", roles=listed)
    return say("as {player}, with the roles {roles}", player=names.get(player, player), roles=listed)
