"""The web application: GraphQL, its streams, and health checks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import RedirectResponse
from starlette.routing import Route, WebSocketRoute
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL

from league.api.auth.tokens import Tokens, checking_secret
from league.api.graphql.context import Context
from league.api.graphql.live import Live
from league.api.graphql.reader import POOL, Source
from league.api.schema import schema
from league.api.server.health import healthz, readyz
from league.api.server.http import GraphQLEndpoint
from league.api.server.middleware import REQUEST_ID, BodyLimit, RequestIds
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.infra.database import engine as engine_of
from league.infra.logs import configure_logs
from league.infra.settings import Settings


def create_app(league: League, settings: Settings, jobs: Jobs) -> Starlette:
    """The application that serves a league. Raises BadSetting when there is no way to check tokens."""
    configure_logs(settings.log_level)
    engine = engine_of(league.database.url, pool_size=POOL + 5)
    tokens = Tokens(engine, checking_secret(settings), settings.jwks_url)
    live = Live(league.database.url)
    source = Source(engine, live)

    def new_context(request_id: str) -> Context:
        return Context(league, jobs, source, tokens, request_id)

    def endpoint(protocol: str, *, with_graphiql: bool) -> GraphQLEndpoint:
        made = GraphQLEndpoint(
            schema,
            graphql_ide="graphiql" if with_graphiql else None,
            subscription_protocols=[protocol],
            allowed_origins=settings.cors_origins,
        )
        made.new_context = new_context
        return made

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        listening = asyncio.create_task(live.listen())
        try:
            yield
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening
            engine.dispose()

    graphql = endpoint(GRAPHQL_TRANSPORT_WS_PROTOCOL, with_graphiql=True)
    # On a path of its own: otherwise a client that accepts every media type would get a stream for each query.
    stream = endpoint(GRAPHQL_SSE_PROTOCOL, with_graphiql=False)
    app = Starlette(
        routes=[
            Route("/", lambda _: RedirectResponse("/graphql")),
            Route("/graphql", graphql),
            WebSocketRoute("/graphql", graphql),
            Route("/graphql/stream", stream),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
        ],
        middleware=[
            Middleware(RequestIds),
            Middleware(
                CORSMiddleware,
                allow_origins=settings.cors_origins,
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type", REQUEST_ID],
                expose_headers=[REQUEST_ID],
            ),
            Middleware(BodyLimit),
        ],
        lifespan=lifespan,
    )
    app.state.engine, app.state.store = engine, league.store
    return app
