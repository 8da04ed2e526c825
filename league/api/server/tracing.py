"""Traces by OpenTelemetry. Only a process that has somewhere to send them imports this module.

The SDK reads its own variables: where to send the spans, how many of them, and the name of the service.
"""

from collections.abc import Callable, Iterator
from inspect import isawaitable
from typing import Any

from graphql import GraphQLResolveInfo
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from starlette.middleware import Middleware
from strawberry.extensions import SchemaExtension

from league.api.graphql.executing.operations import for_log


class Tracing:
    """The spans of one served league: requests, their operations, and the root fields of these."""

    def __init__(self) -> None:
        self._provider = TracerProvider()
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("league")

    @property
    def middleware(self) -> Middleware:
        """Spans of requests, except for health checks, metrics, and links to sign in, whose path is a secret."""
        return Middleware(
            OpenTelemetryMiddleware,
            tracer_provider=self._provider,
            excluded_urls="healthz,readyz,metrics,sign-in/link",
            exclude_spans=["receive", "send"],
        )

    def operation_spans(self) -> SchemaExtension:
        """The spans of one operation."""
        return OperationSpans(self._tracer)

    def close(self) -> None:
        """Send what is left. Blocks."""
        self._provider.shutdown()


class OperationSpans(SchemaExtension):
    """A span for the operation, and one for each of its root fields."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    def on_operation(self) -> Iterator[None]:
        """Around everything."""
        # Not the current span: the tasks that carry on a stream are not the one that began it.
        span = self._tracer.start_span("graphql operation")
        self._within = trace.set_span_in_context(span)
        try:
            yield
        finally:
            execution = self.execution_context
            if execution.operation_name is not None:
                span.set_attribute("graphql.operation.name", for_log(execution.operation_name))
            span.set_attribute("graphql.errors", len(execution.pre_execution_errors or ()))
            span.end()

    def resolve(
        self, _next: Callable[..., Any], root: Any, info: GraphQLResolveInfo[Any], *args: str, **kwargs: Any
    ) -> Any:
        """A span around a root field; other fields are resolved as they are."""
        if info.path.prev is None:
            return self._root_field(f"{info.parent_type.name}.{info.field_name}", _next, root, info, *args, **kwargs)
        return _next(root, info, *args, **kwargs)

    async def _root_field(self, name: str, resolve: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with self._tracer.start_as_current_span(name, context=self._within):
            result = resolve(*args, **kwargs)
            return await result if isawaitable(result) else result
