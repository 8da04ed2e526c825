"""`league serve`: the API under uvicorn; with the embedded database one process tree runs the whole league."""

import json
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from league.api.server.side_processes import play_for_ais, process_kept_running, project
from league.api.server.web import CreateApp, answer_requests
from league.api.server.web_processes import web_processes
from league.application.background import in_background
from league.application.bootstrap import CannotListen, League, database_kept_running
from league.application.companions import be_seen_working, tell_of_missing_companions
from league.application.jobs import Jobs
from league.features import declared
from league.infra.photo_store import photo_place
from league.infra.settings import Settings
from league.wording.language import _


def serve(
    create: CreateApp, league: League, settings: Settings, host: str, port: int, workers: int = 1, ai_processes: int = 1
) -> None:
    """Serve until the process is asked to stop. With several workers, these answer, and this process watches them.

    AIs play their seats of live tables in processes of their own: what they think would starve an event loop.

    Raises CannotListen, and CannotStart when no web process starts.
    """
    with ExitStack() as beside:
        listening = beside.enter_context(listen(host, port))
        beside.enter_context(database_kept_running(league, settings))
        jobs = Jobs(league.database.url, settings.broker_url, photo_place(settings))
        if league.database.embedded:
            # The projector gets a process of its own: a fold in a thread would starve the event loop.
            beside.enter_context(process_kept_running("projector", project, settings))
            # The worker only starts processes and waits for them.
            beside.enter_context(in_background(lambda ended: jobs.work(ended.is_set)))
            beside.enter_context(in_background(partial(be_seen_working, league.database.url)))
        else:
            beside.enter_context(in_background(partial(tell_of_missing_companions, league.database.url)))
        for _ in range(ai_processes if declared("ai_players") else 0):
            beside.enter_context(process_kept_running("ai", play_for_ais, settings))
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        said = f"The league is served on {address}, its API on {address}graphql (Ctrl-C ends it).\n"
        # A line for people; where standard error is collected, each line of it is JSON.
        if not sys.stderr.isatty():
            said = json.dumps({"event": said.strip(), "level": "info"}) + "\n"
        announce = partial(sys.stderr.write, said)
        if workers == 1:
            answer_requests(create, league, settings, jobs, listening, announce)
        else:
            with web_processes(workers, create, settings, listening) as keep_running:
                announce()
                keep_running()


@contextmanager
def listen(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket. Raises CannotListen."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listening = socket.create_server((host, port), family=found[0][0])
    except OSError as error:
        raise CannotListen(
            _(
                "cannot listen on {host} port {port}: {strerror}; `--port` takes another port",
                host=host,
                port=port,
                strerror=error.strerror or error,
            )
        ) from None
    with listening:
        # Connections inherit it. Without it each response waits 40 ms for the client's acknowledgement of its headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listening
