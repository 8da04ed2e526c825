"""Readers read from replicas that have the newest state, and from the primary when none has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import psycopg
import pytest
from api_server import Served, heard, served, subscribe, token
from databases import copy_of
from leagues import SIXTY_MATCHES, position, revised, send
from replica_servers import ReplicaServer, own_server, replica_of
from sqlalchemy import event
from waiting import wait_until

from league.domain.player import MovePlayer, RegisterPlayer
from league.infra.database import connect
from league.infra.settings import BadSetting
from league.projections.replays.replay import ReplayPeriod, remove_retired, replay, retire_run

pytestmark = pytest.mark.heavy

MOST_TURNS = 200
"""Readers after which both replicas must have been read, whichever is the faster one."""
PLAYERS = "query ($n: Int!) { players(first: $n) { totalCount } }"
AFTER = "query ($n: Int!, $p: BigInt!) @readFrom(afterPosition: $p) { players(first: $n) { totalCount } }"


class Fleet(NamedTuple):
    """A served league that reads from two replicas."""

    served: Served
    primary: str
    replicas: tuple[ReplicaServer, ReplicaServer]

    def standings(self) -> list[str]:
        """How the process sees its replicas, by their order."""
        return [one["standing"] for one in self.served.http.get("/readyz").json()["replicas"]]

    def count(self, number: int, **after: Any) -> int:
        """How many players a request counts whose answer is not cached."""
        found: int = self.served.ask(AFTER if after else PLAYERS, n=number, **after)["players"]["totalCount"]
        return found

    def register(self, name: str) -> str:
        """Register a player and return the position."""
        given = {"playerId": name, "name": f"Player {name}"}
        position: str = self.served.do("registerPlayer", token("scorekeeper"), **given)["position"]
        return position


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    """A league with sixty matches and two replicas."""
    with (
        own_server() as server,
        copy_of(server, SIXTY_MATCHES) as url,
        replica_of(url) as one,
        replica_of(url) as other,
        served(url, read_urls=(one.url, other.url)) as on,
    ):
        made = Fleet(on, url, (one, other))
        wait_until(lambda: made.standings() == ["used", "used"])
        yield made


@contextmanager
def servers_read(fleet: Fleet) -> Iterator[list[str]]:
    """The names of the servers on which snapshots are taken meanwhile; `primary` for the primary."""
    replicas = fleet.served.app.state.replicas
    engines = {"primary": fleet.served.app.state.engine, **{one.name: one.engine for one in replicas.all}}
    taken: list[str] = []

    def noting(name: str) -> Callable[..., None]:
        def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
            taken.extend([name] if "hold_run" in statement else [])

        return note

    listeners = {name: noting(name) for name in engines}
    for name, engine in engines.items():
        event.listen(engine, "before_cursor_execute", listeners[name])
    try:
        yield taken
    finally:
        for name, engine in engines.items():
            event.remove(engine, "before_cursor_execute", listeners[name])


def test_queries_are_read_on_the_replicas_in_turn(fleet: Fleet) -> None:
    """New snapshots are taken on both, as soon as they have the state; the rows are those of the primary."""
    before, both = fleet.count(1), {one.name for one in fleet.served.app.state.replicas.all}
    taken, number = set[str](), 0
    while not both <= taken and number < MOST_TURNS:
        number += 1
        position = fleet.register(f"turn-{number}")  # so that no snapshot is taken over
        with servers_read(fleet) as servers:
            fleet.served.follow(position)
            assert fleet.count(1 + number % 40) == before + number
        taken |= {*servers}
    assert both <= taken


def test_a_write_is_seen_at_once_while_a_replica_does_not_replay(fleet: Fleet) -> None:
    """Readers who name its position, and its writer, see it; the replica is left out after a second, and comes back."""
    before = fleet.count(20)
    with fleet.replicas[0].standing_still():
        for number in range(1, 11):
            position = fleet.register(f"paused-{number}")
            if number % 2:
                assert fleet.count(number, p=position) == before + number
            else:
                own = fleet.served.ask(PLAYERS, token("scorekeeper"), n=number)
                assert own["players"]["totalCount"] == before + number
        wait_until(lambda: fleet.standings() == ["behind", "used"])
    wait_until(lambda: fleet.standings() == ["used", "used"])


def test_an_answer_is_cached_for_the_newest_state_only(fleet: Fleet) -> None:
    """Anonymous requests see each write in the next answer, whichever server answers."""
    with fleet.replicas[0].standing_still():
        before = fleet.count(23)
        for number in range(1, 6):
            fleet.served.follow(fleet.register(f"kept-{number}"))
            assert [fleet.count(23), fleet.count(23)] == [before + number] * 2
    wait_until(lambda: fleet.standings() == ["used", "used"])


def test_reads_go_to_the_primary_when_no_replica_has_the_newest_state(fleet: Fleet) -> None:
    """Both stand still; a reader waits for them only for a moment."""
    one, other = fleet.replicas
    with one.standing_still(), other.standing_still():
        before = fleet.count(21)
        with servers_read(fleet) as taken:
            assert fleet.count(22, p=fleet.register("no-replica")) == before + 1
        assert taken == ["primary"]
    wait_until(lambda: fleet.standings() == ["used", "used"])


def test_a_replica_that_stops_answering_is_left_out(fleet: Fleet) -> None:
    """Its processes are stopped, so that its connections stay open: requests that wait for it go to another server."""
    frozen = fleet.replicas[1]
    frozen.freeze()
    try:
        for number in range(30, 36):
            assert fleet.count(number) > 0
        wait_until(lambda: fleet.standings() == ["used", "away"])
    finally:
        frozen.thaw()
    wait_until(lambda: fleet.standings() == ["used", "used"])


def test_a_killed_replica_is_left_out_until_it_is_made_again(fleet: Fleet) -> None:
    """No request fails meanwhile."""
    killed = fleet.replicas[0]
    killed.kill()
    for number in range(40, 46):
        assert fleet.count(number) > 0
    wait_until(lambda: fleet.standings() == ["away", "used"])
    before = fleet.count(46)
    assert fleet.count(47, p=fleet.register("made-again")) == before + 1
    killed.make()
    wait_until(lambda: fleet.standings() == ["used", "used"])
    assert fleet.count(48) == before + 1


def test_an_operation_whose_replica_goes_in_the_middle_is_executed_again(fleet: Fleet) -> None:
    """The primary is at a later state by then, so what was read before is read again, too."""
    read: list[str] = []

    def go_away(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        read.append(statement)
        if len(read) == 3:  # the snapshot, and what it was read for
            # Not over HTTP: this may run on the event loop of the server.
            last = send(fleet.served.league, RegisterPlayer("in-the-middle", "In the Middle", None))
            wait_until(lambda: position(fleet.primary) >= last)
            for replica in fleet.replicas:
                with psycopg.connect(replica.url, autocommit=True) as connection:
                    connection.execute(
                        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND state = 'idle in transaction'"
                    )

    fleet.served.follow(fleet.register("before-it"))
    engines = [one.engine for one in fleet.served.app.state.replicas.all]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", go_away)
    try:
        both = fleet.served.ask('{ players(first: 60) { totalCount } player(id: "in-the-middle") { playerId } }')
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", go_away)
    assert len(read) >= 3
    assert both["player"] == {"playerId": "in-the-middle"}
    wait_until(lambda: fleet.standings() == ["used", "used"])
    assert both["players"]["totalCount"] == fleet.count(61)


def test_a_read_that_waits_for_what_a_replica_replays_is_repeated(fleet: Fleet) -> None:
    """A run is dropped while somebody reads on the replicas: what queues there behind the drop goes to the primary."""
    url = fleet.primary
    run = replay(url, revised("rating.k.provisional = 33"), ReplayPeriod())
    with ExitStack() as readers:
        for replica in fleet.replicas:
            reader = readers.enter_context(psycopg.connect(replica.url))
            reader.execute("SELECT count(*) FROM ratings")
        with connect(url) as conn:
            retire_run(conn, run)
        wait_until(lambda: remove_retired(url, run))
        board = "query ($n: Int!) { board { places(first: $n) { nodes { rank } } } }"
        for number in range(1, 4):
            assert len(fleet.served.ask(board, n=number)["board"]["places"]["nodes"]) == number
    wait_until(lambda: fleet.standings() == ["used", "used"])


def test_a_subscription_hears_of_each_state_on_replicas(fleet: Fleet) -> None:
    """A write gives the next result, with the write in it."""
    with fleet.served.socket() as socket:
        subscribe(socket, "subscription { boardsChanged { position } }")
        heard(socket)
        for number in range(5):
            moved = send(fleet.served.league, MovePlayer("p001", f"Place {number}"))
            assert heard(socket)["boardsChanged"]["position"] == str(moved)


def test_a_server_that_follows_another_one_is_foreign(embedded_server: str, fleet: Fleet) -> None:
    """It is never read from: its league is another one."""
    with served(fleet.primary, read_urls=(embedded_server, fleet.primary)) as on:
        wait_until(
            lambda: [one["standing"] for one in on.http.get("/readyz").json()["replicas"]] == ["foreign", "foreign"]
        )


def test_the_figures_show_each_replica(fleet: Fleet) -> None:
    """Whether it is used, where it is, and how far behind."""

    def used() -> bool:
        """A busy machine leaves a replica out for a moment."""
        figures = fleet.served.http.get("/metrics").text
        return all(f'league_replica_used{{replica="{one.folder}:5432"}} 1.0' in figures for one in fleet.replicas)

    wait_until(used)


def test_a_url_that_is_none_names_its_variable(fleet: Fleet) -> None:
    """Before anything is served."""
    with (
        pytest.raises(BadSetting, match="LEAGUE_READ_URLS: is not a PostgreSQL URL"),
        served(fleet.primary, read_urls=("postgresql://one/league?wrong=yes",)),
    ):
        pass
