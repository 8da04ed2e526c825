"""Subscriptions that many clients watch: one computation for all, and each client at its own pace."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack, aclosing
from typing import Any

import psycopg
import pytest
from api_server import Served, heard, served, subscribe, token
from databases import copy_of
from hypothesis import given
from hypothesis import strategies as st
from leagues import SIXTY_MATCHES, send
from test_metrics import figures
from waiting import LIMIT, wait_until

from league.api.boards.board_changes import MovesSoFar
from league.api.graphql.live.listening import Live
from league.api.graphql.live.watches import FinishedResult, Results, Watches
from league.api.graphql.request_errors import Unauthenticated
from league.domain.player import MovePlayer, RenamePlayer
from league.projections.queries.places import BoardOfLeague, Moved
from league.projections.runs import ReadState

BOARD = "subscription ($first: Int) { boardChanged { places(first: $first) { nodes { player { displayName } } } } }"
SOCKETS = 20


def computed(league: Served) -> float:
    """How many results of subscriptions were computed."""
    return figures(league)["league_subscription_computations_total",]


def first_name(socket: Any) -> Any:
    """The name in the next message."""
    return heard(socket)["boardChanged"]["places"]["nodes"][0]["player"]["displayName"]


@pytest.mark.heavy
def test_what_many_watch_is_computed_once_for_all(embedded_server: str) -> None:
    """At the beginning, and once for each state. Clients with a token share it with those without."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as league, ExitStack() as open_sockets:
        before = computed(league)
        sockets = [open_sockets.enter_context(league.socket(token() if n % 2 else None)) for n in range(SOCKETS)]
        for socket in sockets:
            subscribe(socket, BOARD, first=3)
        assert len({first_name(socket) for socket in sockets}) == 1
        assert computed(league) == before + 1
        leader = league.ask("{ board { places(first: 1) { nodes { player { playerId } } } } }")
        player = leader["board"]["places"]["nodes"][0]["player"]["playerId"]
        for number in range(3):
            send(league.league, RenamePlayer(player, f"Name {number}"))
            assert {first_name(socket) for socket in sockets} == {f"Name {number}"}
            assert computed(league) == before + 2 + number
        # A state in which nothing of it has changed is computed, and not sent; who comes then has it at once.
        send(league.league, MovePlayer(player, "Elsewhere"))
        wait_until(lambda: computed(league) == before + 5)
        with league.socket() as late:
            subscribe(late, BOARD, first=3)
            assert first_name(late) == "Name 2"
        assert computed(league) == before + 5
        send(league.league, RenamePlayer(player, "The Last"))
        assert {first_name(socket) for socket in sockets} == {"The Last"}
        # Other variables are another operation.
        with league.socket() as other:
            subscribe(other, BOARD, first=4)
            assert first_name(other) == "The Last"
        assert computed(league) == before + 7


@pytest.mark.heavy
def test_which_boards_have_moved_is_found_once_for_all(embedded_server: str) -> None:
    """Whatever each of them selects, and also for those who came later."""
    every = "subscription { boardsChanged { since position boards { kind regions } } }"
    some = "subscription { boardsChanged { since position boards { kind month } } }"
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as league, ExitStack() as open_sockets:
        before = computed(league)
        sockets = [open_sockets.enter_context(league.socket(token() if n % 2 else None)) for n in range(SOCKETS)]
        for number, socket in enumerate(sockets):
            subscribe(socket, every if number % 3 else some)
        [first] = {json.dumps(heard(socket)) for socket in sockets}
        start = json.loads(first)["boardsChanged"]
        assert (start["boards"], start["since"]) == ([], start["position"])
        assert computed(league) == before + 1
        for number in range(3):
            position = send(league.league, MovePlayer("p001", f"Place {number}"))
            told = [heard(socket)["boardsChanged"] for socket in sockets]
            assert {(one["since"], one["position"]) for one in told} == {(start["position"], str(position))}
            assert all({"ONE_ON_ONE", "GLOBAL"} <= {board["kind"] for board in one["boards"]} for one in told)
            assert computed(league) == before + 2 + number
            start = told[0]
        with league.socket() as late:
            subscribe(late, every)
            assert heard(late)["boardsChanged"] == {**start, "since": start["position"], "boards": []}
        assert computed(league) == before + 4


BOARDS = st.builds(BoardOfLeague, st.sampled_from(["global", "series"]), st.sampled_from(["", "2026-03", "2026-04"]))
MOVED = st.dictionaries(BOARDS, st.sets(st.sampled_from(["Granma", "Holguín"])))


@pytest.mark.heavy
@given(st.lists(MOVED, min_size=1), st.data())
def test_a_client_that_skips_states_misses_no_move(moved: list[Moved], data: st.DataObject) -> None:
    """What has moved since the state that it was sent is what has moved in each of those after it, and no more."""
    states = [MovesSoFar(7)]
    for one in moved:
        states.append(states[-1].then(one, 7))  # a promotion leaves the position as it is
    sent = data.draw(st.integers(0, len(moved)))
    expected: Moved = {}
    for one in moved[sent:]:
        for board, regions in one.items():
            expected.setdefault(board, set()).update(regions)
    assert states[-1].since(states[sent]) == expected


@pytest.mark.heavy
def test_what_is_not_wholly_cacheable_is_computed_for_each(embedded_server: str) -> None:
    """An explanation is one: it reads the log."""
    query = "subscription { boardChanged { places(first: 1) { nodes { explanation { statement { text } } } } } }"
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, projecting=False) as league:
        before = computed(league)
        with league.socket() as one, league.socket() as other:
            for socket in (one, other):
                subscribe(socket, query.replace(" { text }", ""))
                assert json.loads(socket.recv(LIMIT))["type"] == "next"
        assert computed(league) == before + 2


@pytest.mark.heavy
def test_a_result_with_errors_is_computed_again(embedded_server: str) -> None:
    """Without a change of the state; a client that comes meanwhile waits for it."""
    waits = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with (
        copy_of(embedded_server, SIXTY_MATCHES) as url,
        served(url, projecting=False) as league,
        league.socket() as early,
        league.socket() as late,
        psycopg.connect(url, autocommit=True) as superuser,
    ):
        subscribe(early, BOARD, first=1)
        name = first_name(early)
        with psycopg.connect(url) as blocks:
            blocks.execute("LOCK TABLE ratings IN ACCESS EXCLUSIVE MODE")
            superuser.execute("SELECT raise_generation()")
            wait_until(lambda: superuser.execute(f"SELECT pg_terminate_backend(pid) {waits}".encode()).rowcount)
            failed = json.loads(early.recv(LIMIT))["payload"]
            assert failed["errors"]
            subscribe(late, BOARD, first=1)
        assert first_name(late) == name
        assert first_name(early) == name


@pytest.fixture
def live() -> Live:
    """A process that listens, and has heard of the first state."""
    made = Live("")
    made._is_listening = True
    made.hear_of(ReadState(1, 1, 1))
    return made


def results_of(live: Live, begun: list[str]) -> Any:
    """Results that say of which state they are."""

    async def results() -> Results[FinishedResult]:
        begun.append("begun")
        while True:
            commit = live.next()
            assert live.state is not None
            yield live.state, FinishedResult(str(live.state.position).encode(), None)
            await live.wait(commit, LIMIT)

    return results


def test_a_slow_client_goes_on_with_the_newest_result(live: Live) -> None:
    """Results that came while it did not read are not stored for it."""

    async def run() -> None:
        begun: list[str] = []
        watches, ended = Watches(live), asyncio.get_running_loop().create_future()
        watch = watches.of("board", results_of(live, begun))
        assert watches.of("board", results_of(live, begun)) is watch
        async with aclosing(watch.follow(ended)) as slow, aclosing(watch.follow(ended)) as fast:
            assert (await anext(slow)).data == (await anext(fast)).data == b"1"
            for position in (2, 3, 4):
                live.hear_of(ReadState(1, 1, position))
                assert (await anext(fast)).data == str(position).encode()
            assert (await anext(slow)).data == b"4"
        assert begun == ["begun"]
        # No follower is left: the next one begins anew.
        async with aclosing(watches.of("board", results_of(live, begun)).follow(ended)) as anew:
            assert (await anext(anew)).data == b"4"
        assert begun == ["begun", "begun"]

    asyncio.run(run())


def test_a_new_client_does_not_wait_for_what_happens_after_it_came(live: Live) -> None:
    """Also when each result is behind before it is finished."""

    async def results() -> Results[FinishedResult]:
        while True:
            state = live.state
            assert state is not None
            live.hear_of(ReadState(1, 1, state.position + 1))
            await asyncio.sleep(0)
            yield state, FinishedResult(str(state.position).encode(), None)

    async def run() -> None:
        watch, ended = Watches(live).of("board", results), asyncio.get_running_loop().create_future()
        async with aclosing(watch.follow(ended)) as early, aclosing(watch.follow(ended)) as late:
            await anext(early)
            heard = live.state
            assert heard is not None
            async with asyncio.timeout(LIMIT):
                assert int((await anext(late)).data) >= heard.position

    asyncio.run(run())


def test_a_result_that_is_as_it_was_is_not_sent_again(live: Live) -> None:
    """A client that did not read meanwhile gets nothing when the result is again the one that it has."""

    async def results() -> Results[FinishedResult]:
        while True:
            commit = live.next()
            assert live.state is not None
            yield live.state, FinishedResult(b"odd" if live.state.position % 2 else b"even", None)
            await live.wait(commit, LIMIT)

    async def run() -> None:
        watch, ended = Watches(live).of("board", results), asyncio.get_running_loop().create_future()
        async with aclosing(watch.follow(ended)) as slow, aclosing(watch.follow(ended)) as fast:
            assert (await anext(slow)).data == (await anext(fast)).data == b"odd"
            for position in (2, 3):
                live.hear_of(ReadState(1, 1, position))
                await anext(fast)
            following = asyncio.create_task(anext(slow))
            await asyncio.sleep(0.01)
            assert not following.done()
            live.hear_of(ReadState(1, 1, 4))
            assert (await following).data == b"even"

    asyncio.run(run())


def test_the_end_of_a_session_is_seen_while_results_keep_coming(live: Live) -> None:
    """Before the next one is sent."""

    async def run() -> None:
        loop, watch = asyncio.get_running_loop(), Watches(live).of("board", results_of(live, []))
        mine, never = loop.create_future(), loop.create_future()
        async with aclosing(watch.follow(mine)) as ends, aclosing(watch.follow(never)) as goes_on:
            await anext(ends)
            await anext(goes_on)
            live.hear_of(ReadState(1, 1, 2))
            await anext(goes_on)
            mine.set_result("the token has expired")
            with pytest.raises(Unauthenticated):
                await anext(ends)

    asyncio.run(run())


def test_the_end_of_a_session_ends_its_own_subscription_only(live: Live) -> None:
    """The others go on."""

    async def run() -> None:
        loop, watch = asyncio.get_running_loop(), Watches(live).of("board", results_of(live, []))
        mine, never = loop.create_future(), loop.create_future()
        async with aclosing(watch.follow(mine)) as ends, aclosing(watch.follow(never)) as goes_on:
            await anext(ends)
            await anext(goes_on)
            mine.set_result("the token has expired")
            with pytest.raises(Unauthenticated):
                await anext(ends)
            live.hear_of(ReadState(1, 1, 2))
            assert (await anext(goes_on)).data == b"2"

    asyncio.run(run())


def test_a_failure_reaches_every_client(live: Live) -> None:
    """Each subscription ends with it, and who subscribes again begins anew."""

    async def failing() -> Results[FinishedResult]:
        yield ReadState(1, 1, 1), FinishedResult(b"1", None)
        raise ConnectionError("the database is away")

    async def run() -> None:
        watches, ended = Watches(live), asyncio.get_running_loop().create_future()
        for _ in range(2):
            async with aclosing(watches.of("board", failing).follow(ended)) as client:
                with pytest.raises(ConnectionError):
                    [found async for found in client]

    asyncio.run(run())
