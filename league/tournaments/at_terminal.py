"""Tournaments at the terminal: `league verify-round`, and the part of `league demo` that shows tournaments.

`verify-round` checks rounds from exports, without a database. The demonstration has two tournaments with rotating
partners: one was played in the season, the other is about to begin.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import typer
from sqlalchemy import select

from league.application.bootstrap import League
from league.audit.merkle import MerkleTree
from league.audit.proofs import read_log
from league.audit.verification import UnreadableLog
from league.cli import terminal
from league.cli.entry import FAILURE
from league.cli.opening import reading
from league.cli.terminal import Json
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.eventlog.codec import decode_body
from league.eventlog.encoded_rows import FIRST, decode, hash_of
from league.eventlog.envelopes import Envelope
from league.infra.league_version import shipped
from league.projections import tables as t
from league.projections.queries.players import names_of
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.tournaments.domain import commands as c
from league.tournaments.domain.events import RoundDrawn, TournamentEvent
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.events import STREAM
from league.tournaments.recorded_lines import PairingLine, RoundLine, TournamentLine
from league.tournaments.tournament_queries import tournaments_by_id
from league.tournaments.tournament_states import stored_tournament
from league.tournaments.verified_rounds import (
    LoggedTournamentEvent,
    RoundVerdict,
    read_lines,
    rounds_in_log,
    verify_rounds,
)
from league.tournaments.words import words_of_status
from league.transfer.recorded_season import import_season
from league.wording.language import spoken
from league.wording.matches import joined

_ENVELOPE = msgspec.json.Decoder(Envelope[msgspec.Raw])


def verify_round(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="With tournaments.jsonl, rounds.jsonl and pairings.jsonl, and log.jsonl if you have it.",
        ),
    ],
    tournament: Annotated[str | None, typer.Option(metavar="ID", help="Only of this tournament.")] = None,
    round_: Annotated[int | None, typer.Option("--round", help="Only this round.")] = None,
    as_json: Json = False,
) -> None:
    """Check that the inputs of published rounds give their tables, from exports alone.

    It needs no server, database or key. With log.jsonl (`league export log`) it also checks that the inputs and the
    tables are those of the log, and that the seed follows from the log up to the last drawing. A round that came with
    an import was drawn in another log, which is named. The command ends with exit code 1 if a round does not hold.
    """
    log = folder / "log.jsonl"
    in_log = rounds_in_log(_logged(log)) if log.exists() else None
    found = verify_rounds(
        _read(folder / "tournaments.jsonl", TournamentLine),
        _read(folder / "rounds.jsonl", RoundLine),
        _read(folder / "pairings.jsonl", PairingLine),
        in_log,
    )
    wanted = [one for one in found if tournament in {None, one.tournament} and round_ in {None, one.round}]
    if not wanted:
        raise NotFound("round", "round", str(round_ or tournament or folder))
    for verdict in wanted:
        _show(verdict, with_log=in_log is not None, as_json=as_json)
    if any(verdict.flaws for verdict in wanted):
        raise typer.Exit(FAILURE)


def _show(verdict: RoundVerdict, *, with_log: bool, as_json: bool) -> None:
    flaws = [spoken(flaw) for flaw in verdict.flaws]
    if as_json:
        terminal.print_json(
            {
                "tournament": verdict.tournament,
                "round": verdict.round,
                "drawing": verdict.drawing,
                "status": verdict.status,
                "holds": not flaws,
                "log": with_log,
                "flaws": flaws,
                "by_hand": list(verdict.by_hand),
                "promised": verdict.promised,
                "missing": list(verdict.missing),
                "elsewhere": msgspec.to_builtins(verdict.elsewhere),
            }
        )
        return
    name = say("Round {round} of {tournament}", round=verdict.round, tournament=verdict.tournament)
    if verdict.status in {"dropped", "withdrawn"}:
        name = say(
            "{round}, drawing {drawing} ({status})",
            round=name, drawing=verdict.drawing, status=words_of_status(verdict.status),
        )  # fmt: skip
    if flaws:
        terminal.out.print(f"[bold red]{terminal.quoted(name)}:[/] {terminal.quoted('; '.join(flaws))}.")
        return
    said = _what_holds(verdict, with_log=with_log)
    if verdict.promised:
        given = verdict.promised - len(verdict.missing)
        said = say("{said}; bytes of {given} of {promised} devices", said=said, given=given, promised=verdict.promised)
    if verdict.missing:
        said = say("{said}; missing: {competitors}", said=said, competitors=", ".join(verdict.missing))
    if verdict.by_hand:
        tables = ", ".join(map(str, verdict.by_hand))
        said = say("{said}; somebody has paired by hand: table {tables}", said=said, tables=tables)
    if verdict.elsewhere is not None:
        position, root = verdict.elsewhere.position, verdict.elsewhere.root
        said = say(
            "{said}; drawn in another log, at position {position}, with the root {root}",
            said=said, position=position, root=root,
        )  # fmt: skip
    terminal.out.print(f"{terminal.quoted(name)}: {terminal.quoted(said)}.")


def _what_holds(verdict: RoundVerdict, *, with_log: bool) -> str:
    """What a drawing without flaws has in order, as a clause."""
    if verdict.status in {"dropped", "withdrawn"} and not with_log:
        return say("the seed follows from its root")
    if verdict.status == "dropped":
        return say("the inputs are those of the log")
    if with_log:
        return say("the inputs are those of the log, and give these tables")
    return say("the inputs give these tables")


def _read(file: Path, kind: Any) -> list[Any]:
    try:
        return read_lines(file.read_bytes(), kind)
    except FileNotFoundError:
        what = file.stem
        reason = say("{file} is not there; `league export {what}` writes it", file=file, what=what)
        raise InvalidInput("folder", reason) from None
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput("folder", f"{file}: {error}") from error


def _logged(file: Path) -> Iterator[LoggedTournamentEvent]:
    """The events of tournaments in an exported log. Raises InvalidInput if the log is not a chain."""
    tree, last = MerkleTree(), FIRST
    try:
        with file.open("rb") as opened:
            for encoded, hash_ in read_log(opened):
                if hash_of(last, encoded) != hash_:
                    number = tree.size + 1
                    reason = say("{file}: event {number} does not follow from the one before", file=file, number=number)
                    raise InvalidInput("folder", reason)
                last = hash_
                tree.extend([hash_])
                entry = decode(encoded)
                if entry.stream.startswith(STREAM):
                    envelope = _ENVELOPE.decode(entry.state)
                    event = cast(TournamentEvent, decode_body(entry.name, bytes(envelope.body)))
                    root = tree.root().hex() if isinstance(event, RoundDrawn) else ""
                    yield LoggedTournamentEvent(
                        entry.stream.removeprefix(STREAM), entry.position, event, root, envelope.source
                    )
    except UnreadableLog as error:
        raise InvalidInput("folder", f"{file}: {error}") from error


# ---------------------------------------------------------------- the demonstration


ID, ACTOR = "copa-de-la-casa", "demo"
RECORDED = "examples/copa-2026"
"""A recorded tournament of the shipped season's players. A league with another season does not have them."""
PLAYED = "copa-junio"
PLAYERS = 14
"""Number of players; two of them sit out in each round."""
PLAN = {
    "name": "Copa de la casa",
    "format": "rotating_partners",
    "ruleset": "cuban-150",
    "rounds": 5,
    "minutes": 25,
    "first_round": "rating",
}
_r = t.ratings.c


def show_tournament(league: League) -> None:
    """Import a tournament of the season, publish the first round of a new one, and say where their pages are."""
    folder = shipped(RECORDED)
    has_players = _players_of(folder) <= _known_players(league)
    if has_players:
        import_season(folder, league.store, league.dispatcher.clock, ACTOR)
    league.project()
    with reading(league) as conn:
        run = chosen_run(conn, None)
        most = select(_r.id).where(_r.run == run, _r.subject == "player", _r.mode == "2v2")
        players = conn.scalars(most.order_by(_r.matches.desc(), _r.id).limit(PLAYERS)).all()
    if stored_tournament(league.dispatcher.state_cache, ID).plan is None:
        entering = [c.EnterCompetitor(ID, (player,)) for player in players]
        league.dispatcher.send_all([c.PlanTournament(ID, PLAN), *entering], ACTOR)
        draw_round(league, c.DrawRound(ID), ACTOR)
        publish_round(league, c.PublishRound(ID, 1), ACTOR)
        league.project()
    title = say("4. A tournament in which each player gets another partner every round")
    terminal.out.rule(f"[bold]{spoken(title)}", align="left")
    if has_players:
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            standing = tournaments_by_id(snapshot, [PLAYED])[PLAYED].standing()
            names = names_of(conn, [place.id for place in standing if place.rank == 1])
        won = say(
            "{tournament}: won by {names}, see /tournaments/{tournament}",
            tournament=PLAYED,
            names=joined(names.values()),
        )
        terminal.out.print(won, markup=False)
    begins = say("{tournament}: the round that is about to begin, see /tournaments/{tournament}", tournament=ID)
    terminal.out.print(begins, markup=False)


def _players_of(season: Path) -> set[str]:
    """The ids of the players of a recorded season."""
    lines = (season / "players.jsonl").read_bytes().splitlines()
    return {msgspec.json.decode(line)["player"] for line in lines}


def _known_players(league: League) -> set[str]:
    with reading(league) as conn:
        return set(conn.scalars(select(t.players.c.player_id)))
