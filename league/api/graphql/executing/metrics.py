"""Counters of the process for Prometheus. Figures of the database are read when Prometheus asks."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from sqlalchemy import Engine, event

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds. Most answers take less than 0.05."""


class Metrics:
    """The counters of one process that serves a league."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        # With several processes, the sum over those that are alive.
        gauge = partial(Gauge, multiprocess_mode="livesum", registry=self.registry)
        self.operations = Histogram(
            "league_operation_seconds",
            "Duration of operations, by each root field that they ask for, and by result: ok, ended or an error code.",
            ("field", "result"),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.cached_answers = Counter(
            "league_kept_answers",
            "Cacheable answers: hit, sent from the cache; miss, computed.",
            ("result",),
            registry=self.registry,
        )
        self.computations = Counter(
            "league_subscription_computations",
            "Results of subscriptions that were computed; one may be sent to many clients.",
            registry=self.registry,
        )
        self.sockets = gauge("league_sockets", "WebSockets that are open.")
        self.cached_bytes = gauge("league_kept_bytes", "Memory that cached answers take.")
        self._connections = gauge("league_connections", "Connections to the database.", ("state",))

    def count_connections(self, engine: Engine) -> None:
        """Count the connections of an engine from now on."""
        used, idle = self._connections.labels("used"), self._connections.labels("idle")

        def take(*_: object) -> None:
            idle.dec()
            used.inc()

        def give_back(*_: object) -> None:
            used.dec()
            idle.inc()

        event.listen(engine, "connect", lambda *_: idle.inc())
        event.listen(engine, "checkout", take)
        event.listen(engine, "checkin", give_back)
        event.listen(engine, "close", lambda *_: idle.dec())
