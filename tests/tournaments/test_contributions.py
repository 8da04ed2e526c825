"""Devices promise bytes before a drawing and give them after it, so that nobody chooses the seed alone."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from played_tournaments import (
    ACTOR,
    PLAN,
    bytes_of,
    commit,
    commitment_of,
    drawn,
    finish,
    give,
    planned,
    register,
    state_of,
)
from signed_leagues import unsigned_league
from waiting import wait_until

from league.application.bootstrap import League, in_background
from league.audit.signed_heads import raw
from league.domain.refusals import Refusal, WrongState
from league.domain.sentences import say
from league.eventlog.records import Append, AppendRequest
from league.infra.database import connect
from league.tournaments import drawing, pairing
from league.tournaments.domain import commands as c
from league.tournaments.domain import events as e
from league.tournaments.domain import inputs
from league.tournaments.domain.drawn import RankedCompetitor, SeedCommitment, seed_of
from league.tournaments.domain.evolve import evolve
from league.tournaments.domain.plan import parse_plan
from league.tournaments.domain.state import TournamentState
from league.tournaments.drawing import LargeRounds, finish_drawings, pair_drawn, publish_round
from league.tournaments.tournament_queries import proof_of_commitment
from league.tournaments.verified_rounds import LoggedTournamentEvent, rounds_in_log

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def signed(embedded_server: str) -> Iterator[League]:
    """A league with a signing key."""
    with unsigned_league(embedded_server) as league:
        yield league


def swiss(league: League, count: int = 4) -> None:
    planned(league, [[player] for player in register(league, count)], format="swiss", mode="1v1")


def look(league: League) -> None:
    """Do one round of the background work that finishes drawings."""
    with connect(league.database.url, autocommit=True) as conn:
        finish_drawings(league, conn)


def code_of(refused: pytest.ExceptionInfo[Refusal]) -> str:
    return refused.value.code


def test_drawings_are_looked_for_when_a_tournament_changes(signed: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of the database until then. While a drawing waits, its process looks again and again."""
    looks: list[None] = []
    monkeypatch.setattr(drawing, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(drawing, "finish_drawings", lambda *_: looks.append(None))
    swiss(signed)
    with in_background(partial(drawing.finish_drawings_until, signed)):
        wait_until(lambda: len(looks) == 1)
        time.sleep(0.2)
        assert len(looks) == 1
        commit(signed, "p01")
        wait_until(lambda: len(looks) == 2)
        signed.dispatcher.send(c.DrawRound("copa"), ACTOR)
        wait_until(lambda: len(looks) > 5)


def test_a_drawing_waits_for_the_bytes_that_were_promised_and_its_seed_has_them(signed: League) -> None:
    """Drawing answers at once, without tables. When all bytes are in, the round is paired with the rules' seed."""
    swiss(signed)
    positions = {player: commit(signed, player) for player in ("p03", "p01")}
    of = drawn(signed)
    assert (of.status, of.root, of.tables, of.missing) == ("drawn", None, (), ("p01", "p03"))
    look(signed)
    assert state_of(signed).rounds[0].root is None, "bytes are awaited"
    give(signed, "p03")
    give(signed, "p01")
    look(signed)
    of = state_of(signed).rounds[0]
    assert of.root is not None
    said = f"{of.root},copa,1,{bytes_of('p01')},{bytes_of('p03')}"
    assert of.seed == hashlib.sha256(said.encode()).hexdigest()
    assert [(one.id, one.position, one.commitment) for one in of.commitments] == [
        (player, positions[player], commitment_of(player)) for player in ("p01", "p03")
    ]
    assert [(one.id, one.bytes) for one in of.contributions] == [(id_, bytes_of(id_)) for id_ in ("p01", "p03")]
    assert of.signed
    publish_round(signed, c.PublishRound("copa", 1), ACTOR)
    assert state_of(signed).promise("p01") is not None, "the next commitment came with the bytes"


@pytest.mark.heavy
def test_a_large_round_waits_for_bytes_before_its_tables_are_computed(
    signed: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Devices are asked and the root is signed as for a small round. The process starts when all bytes are in."""
    monkeypatch.setattr(pairing, "MOST_IN_THREAD", 3)
    swiss(signed)
    commit(signed, "p01")
    rounds = LargeRounds(signed, threading.Event())
    drawn(signed)
    with connect(signed.database.url, autocommit=True) as conn:
        rounds.pair_waiting(conn)
        assert state_of(signed).rounds[0].root is None, "bytes are awaited"
        give(signed, "p01")
        rounds.pair_waiting(conn)
    of = state_of(signed).rounds[0]
    assert (of.signed, len(of.tables), of.missing) == (True, 2, ())
    assert of.seed == seed_of(of.root or "", "copa", 1, [bytes_of("p01")])


def test_what_does_not_come_in_time_is_missing(signed: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the wait, the next look pairs the round with the stored bytes; later bytes are refused."""
    swiss(signed)
    for player in ("p01", "p02"):
        commit(signed, player)
    drawn(signed)
    give(signed, "p02")
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    look(signed)
    of = state_of(signed).rounds[0]
    assert (of.missing, [one.id for one in of.contributions]) == (("p01",), ["p02"])
    assert of.seed == seed_of(of.root or "", "copa", 1, [bytes_of("p02")])
    with pytest.raises(Refusal) as late:
        give(signed, "p01")
    assert code_of(late) == "DRAWING_CLOSED"
    assert state_of(signed).promise("p01") is None, "it is spent, and no new one came"


def test_without_a_commitment_or_without_bytes_the_seed_is_that_of_the_root(
    signed: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without promised or given bytes the seed follows from the root alone, as in older logs."""
    swiss(signed)
    of = drawn(signed)
    assert of.seed == hashlib.sha256(f"{of.root},copa,1".encode()).hexdigest()
    commit(signed, "p01")
    drawn(signed, again="once more")
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    look(signed)
    of = state_of(signed).rounds[0]
    assert of.missing == ("p01",)
    assert of.seed == hashlib.sha256(f"{of.root},copa,1".encode()).hexdigest()


def test_a_process_without_the_key_waits_like_any_other(signed: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process without the key waits as well. Its tables count as signed if another process signed the root."""
    swiss(signed)
    commit(signed, "p01")
    drawn(signed)
    worker = replace(signed, key=None)
    look(worker)
    assert state_of(signed).rounds[0].root is None, "bytes are awaited"
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    look(worker)
    of = state_of(signed).rounds[0]
    assert (len(of.tables), of.missing, of.signed) == (2, ("p01",), True)


def test_a_round_without_a_head_of_its_own_is_not_called_signed(
    signed: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only a later head is signed, no device has a proof, and the round does not count as signed."""
    swiss(signed)
    commit(signed, "p01")
    drawn(replace(signed, key=None))
    commit(signed, "p02")
    signed.sign_head()
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    look(signed)
    of = state_of(signed).rounds[0]
    assert (len(of.tables), of.signed) == (2, False)


def test_what_cannot_be_paired_is_tried_once(signed: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that cannot be paired is tried once; tables are computed again only if another process wrote first."""
    monkeypatch.setattr(drawing, "waits_for_bytes", lambda *_: True)
    swiss(signed)
    drawn(signed)
    tries = []

    def refuse(*_: object) -> int:
        assert not tries, "it is tried again"
        tries.append(1)
        raise WrongState(say("the tournament"), say("ended"), say("nothing of it changes any more"))

    monkeypatch.setattr(drawing, "waits_for_bytes", lambda *_: False)
    monkeypatch.setattr(drawing, "_pair", refuse)
    with pytest.raises(WrongState):
        pair_drawn(signed, "copa", "clock")


def test_bytes_are_refused_with_a_reason(signed: League) -> None:
    """Bytes are refused without a commitment, if they differ, if repeated, and for an earlier or unknown drawing."""
    swiss(signed)
    commit(signed, "p01")
    commit(signed, "p02")
    drawn(signed)
    with pytest.raises(Refusal) as nobody:
        give(signed, "p03")
    with pytest.raises(Refusal) as other:
        give(signed, "p01", number=7)
    give(signed, "p01")
    with pytest.raises(Refusal) as twice:
        give(signed, "p01")
    with pytest.raises(Refusal) as unknown:
        give(signed, "p02", of=(1, 2))
    with pytest.raises(Refusal) as short:
        signed.dispatcher.send(c.ContributeSeed("copa", 1, 1, "p02", "AB"), "p02")
    codes = [code_of(one) for one in (nobody, other, twice, unknown, short)]
    assert codes == ["NO_COMMITMENT", "OTHER_COMMITMENT", "ALREADY_CONTRIBUTED", "NOT_FOUND", "INVALID"]


def test_a_competitor_has_one_commitment_a_drawing(signed: League) -> None:
    """A second commitment is refused until the first is spent. A competitor who withdrew has none."""
    swiss(signed)
    commit(signed, "p01")
    with pytest.raises(Refusal) as again:
        commit(signed, "p01", number=2)
    assert code_of(again) == "ALREADY_COMMITTED"
    signed.dispatcher.send(c.Withdraw("copa", "p02"), ACTOR)
    with pytest.raises(WrongState):
        commit(signed, "p02")
    drawn(signed)
    commit(signed, "p01", number=2)


def test_a_hash_that_the_log_has_cannot_be_promised_again(signed: League) -> None:
    """Nobody can promise a known hash: another competitor would have its proof, and spent bytes are public."""
    swiss(signed)
    commit(signed, "p01")
    copied = c.CommitSeed("copa", "p02", commitment_of("p01"))
    with pytest.raises(Refusal) as before:
        signed.dispatcher.send(copied, "p02")
    commit(signed, "p03")
    drawn(signed)
    with pytest.raises(Refusal) as after:
        signed.dispatcher.send(copied, "p02")
    with pytest.raises(Refusal) as spent:
        commit(signed, "p01")
    following = c.ContributeSeed("copa", 1, 1, "p03", bytes_of("p03"), commitment_of("p01"))
    with pytest.raises(Refusal) as next_:
        signed.dispatcher.send(following, "p03")
    refused = before, after, spent, next_
    assert [code_of(one) for one in refused] == ["COMMITMENT_USED"] * 4
    assert [one.value.at for one in refused] == ["commitment"] * 3 + ["next_commitment"]  # type: ignore[attr-defined]
    assert give(signed, "p01")
    assert give(signed, "p03")


def test_a_device_has_the_proof_of_its_own_event(signed: League) -> None:
    """A device's proof is of its own event, even if the log also has that hash elsewhere."""
    swiss(signed)

    def store(competitor: str) -> int:
        append = Append(
            "tournament:copa", state_of(signed).version, (e.SeedCommitted(competitor, commitment_of("p01")),)
        )
        return signed.store.append([append], AppendRequest(competitor, "test"))

    position = store("p01")
    store("p02")
    drawn(signed)
    store("p01")
    store("p02")
    assert signed.key is not None
    with connect(signed.database.url) as conn:
        snapshot: Any = SimpleNamespace(conn=SimpleNamespace(connection=SimpleNamespace(driver_connection=conn)))
        proof = proof_of_commitment(
            snapshot,
            "tournament:copa",
            SeedCommitment("p01", None, commitment_of("p01")),
            None,
            raw(signed.key.public_key()),
        )
    assert proof is not None
    [proven] = json.loads(proof)["events"]
    assert proven["event"]["position"] == position


def test_a_commitment_comes_with_the_check_in(signed: League) -> None:
    """A commitment that comes with the check-in counts like one from the page."""
    planned(signed, [[player] for player in register(signed, 2)], format="swiss", mode="1v1", check_in=True)
    signed.dispatcher.send(c.CheckIn("copa", ("p01",), commitment_of("p01")), "p01")
    signed.dispatcher.send(c.CheckIn("copa", ("p02",)), "p02")
    assert [one.id for one in drawn(signed).commitments] == ["p01"]


def test_a_commitment_is_for_one_drawing(signed: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commitment is spent when a drawing asks for its bytes. A repeated drawing asks for newer ones."""
    monkeypatch.setattr(drawing, "waits_for_bytes", lambda *_: False)
    swiss(signed)
    for player in ("p01", "p02"):
        commit(signed, player)
    assert [one.id for one in drawn(signed).commitments] == ["p01", "p02"]
    commit(signed, "p02", number=2)
    assert [(one.id, one.commitment) for one in drawn(signed, again="again").commitments] == [
        ("p02", commitment_of("p02", 2))
    ]
    publish_round(signed, c.PublishRound("copa", 1), ACTOR)
    finish(signed)
    assert drawn(signed).commitments == ()


def test_who_was_not_in_a_drawing_keeps_the_commitment_for_a_later_round(
    signed: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commitment stays if its bytes were not asked for. A repeated drawing counts only promises made since."""
    monkeypatch.setattr(drawing, "waits_for_bytes", lambda *_: False)
    planned(signed, [[player] for player in register(signed, 5)], format="swiss", mode="1v1", check_in=True)
    for player in ("p01", "p02", "p03", "p04"):
        signed.dispatcher.send(c.CheckIn("copa", (player,)), ACTOR)
    commit(signed, "p05")
    assert drawn(signed).commitments == ()
    signed.dispatcher.send(c.CheckIn("copa", ("p05",)), ACTOR)
    assert drawn(signed, again="p05 is there").commitments == (), "it stands before the last drawing of this round"
    publish_round(signed, c.PublishRound("copa", 1), ACTOR)
    finish(signed)
    assert [one.id for one in drawn(signed).commitments] == ["p05"]


def test_a_round_that_asks_for_bytes_is_neither_drawn_again_nor_published(signed: League) -> None:
    """While a round asks for bytes it is neither drawn again nor published, so two clicks at once draw it once."""
    swiss(signed)
    commit(signed, "p01")
    drawn(signed)
    with pytest.raises(WrongState, match="devices are asked for their bytes"):
        drawn(signed, again="in a hurry")
    with pytest.raises(WrongState, match="publish it, or say why it is drawn again"):
        drawn(signed)
    with pytest.raises(WrongState, match="its tables are being computed"):
        publish_round(signed, c.PublishRound("copa", 1), ACTOR)
    assert state_of(signed).rounds[0].drawings == 1


def test_bytes_that_come_while_tables_are_computed_are_in_the_seed(
    signed: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that come while tables are computed count: the tables are computed again."""
    swiss(signed)
    for player in ("p01", "p02"):
        commit(signed, player)
    drawn(signed)
    give(signed, "p01")
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    pair, late = drawing.pair_apart, ["p02"]

    def slowly(*given: object) -> object:
        if late:
            give(signed, late.pop())
        return pair(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(drawing, "pair_apart", slowly)
    pair_drawn(signed, "copa", "clock")
    of = state_of(signed).rounds[0]
    assert [one.id for one in of.contributions] == ["p01", "p02"]
    assert of.seed == seed_of(of.root or "", "copa", 1, [bytes_of("p01"), bytes_of("p02")])


def test_either_partner_commits_for_a_pair(signed: League) -> None:
    """Either partner commits for the pair, which is the competitor."""
    players = register(signed, 4)
    planned(signed, [players[:2], players[2:]], format="swiss")
    commit(signed, "p01+p02")
    assert [one.id for one in drawn(signed).commitments] == ["p01+p02"]


def test_a_row_says_since_when_a_drawing_waits(signed: League) -> None:
    """Until a round is paired, its row says since when it waits, so that any process finds it."""
    swiss(signed)
    commit(signed, "p01")

    def asked_at() -> object:
        with psycopg.connect(signed.database.url) as conn:
            row = conn.execute("SELECT asked_at FROM league.tournaments").fetchone()
        return row and row[0]

    assert asked_at() is None
    drawn(signed)
    assert asked_at() == signed.store.load("tournament:copa")[-1].recorded_at
    give(signed, "p01")
    look(signed)
    assert asked_at() is None


@given(
    contributions=st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=6, unique=True),
    root=st.binary(min_size=32, max_size=32),
)
def test_each_contribution_moves_the_seed(contributions: list[bytes], root: bytes) -> None:
    """Each contribution changes the seed, so the others do not reveal it. The order of arrival does not matter."""
    given_ = [one.hex() for one in contributions]
    seed = seed_of(root.hex(), "copa", 1, given_)
    for at in range(len(given_)):
        other = [*given_[:at], hashlib.sha256(contributions[at]).hexdigest(), *given_[at + 1 :]]
        assert seed_of(root.hex(), "copa", 1, other) != seed
        assert seed_of(root.hex(), "copa", 1, [*given_[:at], *given_[at + 1 :]]) != seed


@pytest.mark.heavy
@given(st.data())
@settings(max_examples=60)
def test_state_and_log_agree_on_what_a_drawing_asks_for(data: st.DataObject) -> None:
    """After commitments, drawings and publications in any order, state and log agree on the commitments that count.

    The oldest unspent commitment of each competitor counts. If the round was drawn before, it must be newer than that
    drawing.
    """
    state = TournamentState("copa")
    players = ("p01", "p02", "p03")
    log: list[e.TournamentEvent] = [e.TournamentPlanned(parse_plan({**PLAN, "format": "swiss", "mode": "1v1"}))]
    log += [e.CompetitorEntered(player, (player,)) for player in players]
    spent: set[int] = set()
    number, last = 1, 0
    for step in range(data.draw(st.integers(1, 14))):
        match data.draw(st.sampled_from(("commit", "commit", "draw", "publish"))):
            case "commit":
                log.append(e.SeedCommitted(data.draw(st.sampled_from(players)), commitment_of("x", step)))
            case "publish" if last:
                log += [
                    e.RoundPaired(number, last, "00", signed=True, seed="00", tables=()),
                    e.RoundPublished(number),
                    e.RoundClosed(number),
                ]
                number, last = number + 1, 0
            case "draw":
                drawn_ = data.draw(st.lists(st.sampled_from(players), min_size=1, unique=True))
                wanted = []
                for id_ in sorted(drawn_):
                    mine = [
                        at
                        for at, event in enumerate(log, 1)
                        if isinstance(event, e.SeedCommitted)
                        and event.competitor == id_
                        and at > last
                        and at not in spent
                    ]
                    if mine:
                        spent.add(mine[0])
                        wanted.append((id_, log[mine[0] - 1].commitment))  # type: ignore[union-attr]
                log.append(e.RoundDrawn(number, tuple(RankedCompetitor(id_, 0, 1) for id_ in drawn_)))
                last = len(log)
                state = TournamentState("copa")
                for event in log:
                    state = evolve(state, event, NOW)
                assert [(one.id, one.commitment) for one in state.rounds[-1].commitments] == wanted
                logged = [LoggedTournamentEvent("copa", at, event) for at, event in enumerate(log, 1)]
                of = rounds_in_log(logged)["copa", number][-1]
                assert [(one.id, one.commitment) for one in of.commitments] == wanted
