"""The web application: GraphQL, its streams, and health checks."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL

from league.api.auth.tokens import Tokens, checking_secret
from league.api.auth.web_sessions import WebSessions
from league.api.graphql.executing.answer_cache import AnswerCache
from league.api.graphql.executing.context import Context, MatchLocks, Process
from league.api.graphql.executing.documents import PersistedDocuments, core_of, documents_in, warn_of_faults
from league.api.graphql.executing.metrics import Metrics
from league.api.graphql.executing.operations import LeagueSchema
from league.api.graphql.executing.rate_limits import QUERY_COST, RateLimits
from league.api.graphql.executing.reader import POOL, ReadSource
from league.api.graphql.executing.replicas import Replicas
from league.api.graphql.live.listening import Live
from league.api.graphql.live.open_sessions import OpenSessions
from league.api.graphql.live.watches import Watches
from league.api.schema import schema, schema_with
from league.api.schema_part import SchemaPart
from league.api.server.caching_endpoint import CachingEndpoint
from league.api.server.compression import Compression
from league.api.server.endpoints import NewContext
from league.api.server.graphiql_page import PLACE, GraphiQLPage
from league.api.server.http import GraphQLEndpoint
from league.api.server.logo_endpoint import show_logo, take_logo
from league.api.server.middleware import REQUEST_ID, BodyLimit, RequestIds, SafeHeaders, SpokenLanguage, unexpected
from league.api.server.monitoring import (
    DatabaseFigures,
    MetricsPage,
    Readiness,
    ReplicaFigures,
    healthz,
    registry_to_show,
)
from league.api.server.sheet_endpoint import take_sheet
from league.api.server.uploads import UploadEndpoint
from league.application.bootstrap import League
from league.application.following import confirmations, duties_kept
from league.application.jobs import Jobs
from league.domain.sentences import say
from league.features import declared
from league.infra.database import engine as engine_of
from league.infra.decoders import Decoders
from league.infra.logs import configure_logs
from league.infra.outages import DatabaseProbe
from league.infra.settings import BadSetting, Settings

if TYPE_CHECKING:
    from league.api.server.tracing import Tracing

ALLOWED_HEADERS = (
    "Authorization",
    "Content-Type",
    REQUEST_ID,
    # What Apollo's clients and OpenTelemetry's instrumentation of browsers add to a request.
    "X-Apollo-Operation-Name",
    "Apollo-Require-Preflight",
    "Traceparent",
    "Tracestate",
)
"""Headers that pages of other origins may send."""


class InProcessExecutor(Struct, frozen=True):
    """Executes documents inside this process: has the schema and makes a context for each request."""

    schema: LeagueSchema
    new_context: NewContext
    live: Live
    settings: Settings
    engine: Engine
    league: League
    process: Process
    answer_cache: AnswerCache
    rate_limits: RateLimits


Pages = Callable[[InProcessExecutor], Sequence[BaseRoute]]
"""Makes the routes of pages, which ask the API in the process."""


def only_graphiql(_inside: InProcessExecutor) -> Sequence[BaseRoute]:
    """No pages but GraphiQL's."""
    return [Route("/", lambda _: RedirectResponse("/graphql"))]


def create_app(league: League, settings: Settings, jobs: Jobs, pages: Pages = only_graphiql) -> Starlette:
    """The application that serves a league. Raises BadSetting when there is no way to check tokens."""
    configure_logs(settings.log_level)
    engine = engine_of(league.database.url, pool_size=POOL + 5)
    tokens = Tokens(engine, checking_secret(settings), settings.jwks_url)
    rate_limits = RateLimits(settings.rate_limit, settings.broker_url)
    metrics = Metrics()
    metrics.count_connections(engine)
    figures = registry_to_show(metrics.registry)
    probe = DatabaseProbe(league.database.url)
    figures.register(DatabaseFigures(probe))
    tracing = _tracing() if settings.tracing else None
    served = schema if tracing is None else schema_with(tracing.operation_spans)
    live = Live(league.database.url, [channel for part in declared(SchemaPart) for channel in part.channels])
    open_sessions = OpenSessions(tokens, WebSessions(engine), live)
    replicas = Replicas(league.database.url, engine, settings.read_urls, live, pool_size=POOL + 5)
    figures.register(ReplicaFigures(replicas))
    source = ReadSource(engine, live, replicas)
    listed = documents_in(settings.documents)
    warn_of_faults(listed, core_of(served))
    process = Process(
        league,
        settings,
        jobs,
        source,
        open_sessions,
        MatchLocks(),
        rate_limits,
        metrics,
        PersistedDocuments(listed, only_listed=settings.only_listed_documents),
        Watches(live),
        Decoders(),
        {},
    )
    _share(process)

    def new_context(request_id: str) -> Context:
        return Context(process, request_id)

    def endpoint(protocol: str, page: GraphiQLPage | None) -> GraphQLEndpoint:
        made = GraphQLEndpoint(
            served,
            graphql_ide=None if page is None else "graphiql",
            subscription_protocols=[protocol],
            allowed_origins=settings.cors_origins,
        )
        made.new_context, made.documents, made.graphiql = new_context, process.documents, page
        return made

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        beside = [
            asyncio.create_task(work)
            for work in (live.listen(), replicas.follow(), open_sessions.watch(), rate_limits.share())
        ]
        try:
            with ExitStack() as background:
                background.enter_context(duties_kept(league, [confirmations(league)]))
                for serving in (part.serving for part in declared(SchemaPart) if part.serving is not None):
                    background.enter_context(serving(process))
                yield
        finally:
            for task in beside:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            process.decoders.close()
            await source.close()
            probe.close()
            if tracing is not None:
                await asyncio.to_thread(tracing.close)

    graphiql = GraphiQLPage()
    answers = AnswerCache(live, metrics)
    graphql = CachingEndpoint(endpoint(GRAPHQL_TRANSPORT_WS_PROTOCOL, graphiql), answers, rate_limits)
    # On a path of its own: otherwise a client that accepts every media type would get a stream for each query.
    stream = endpoint(GRAPHQL_SSE_PROTOCOL, None)
    sheets = UploadEndpoint(new_context, "/sheets", "importSheet", take_sheet)
    logo = UploadEndpoint(new_context, "/logo", "changeSettings", take_logo)
    app = Starlette(
        routes=[
            Route("/graphql", graphql),
            WebSocketRoute("/graphql", graphql),
            Route("/graphql/stream", stream),
            Route(PLACE, graphiql.file),
            Route("/sheets", sheets.answer, methods=["POST"]),
            Route("/logo", logo.answer, methods=["POST"]),
            Route("/logo/{sha256}.png", partial(show_logo, league.database.url), name="logo"),
            *(route for part in declared(SchemaPart) if part.endpoints for route in part.endpoints(process)),
            Route("/healthz", healthz),
            Route("/readyz", Readiness(probe, league.store, replicas).answer),
            Route("/metrics", MetricsPage(figures, new_context).answer),
            *pages(
                InProcessExecutor(served, new_context, live, settings, engine, league, process, answers, rate_limits)
            ),
        ],
        middleware=[
            *([] if tracing is None else [tracing.middleware]),
            Middleware(Compression),
            Middleware(SafeHeaders),
            Middleware(RequestIds),
            Middleware(SpokenLanguage, default=settings.language),
            Middleware(
                CORSMiddleware,
                allow_origins=settings.cors_origins,
                allow_methods=["GET", "POST"],
                allow_headers=ALLOWED_HEADERS,
                expose_headers=[REQUEST_ID, QUERY_COST, "RateLimit", "RateLimit-Policy", "Retry-After"],
            ),
            Middleware(BodyLimit),
        ],
        exception_handlers={500: unexpected},
        lifespan=lifespan,
    )
    app.state.engine, app.state.replicas = engine, replicas
    return app


def _share(process: Process) -> None:
    """Make what features share between the requests of this process."""
    for part in declared(SchemaPart):
        if part.shared is not None:
            made = part.shared(process)
            process.shared[type(made)] = made


def _tracing() -> "Tracing":
    try:
        from league.api.server.tracing import Tracing  # noqa: PLC0415  # an extra, and slow to import
    except ImportError as error:
        raise BadSetting(
            "OTEL_EXPORTER_OTLP_ENDPOINT", say("needs the extra `tracing` ({error})", error=error)
        ) from error
    return Tracing()
