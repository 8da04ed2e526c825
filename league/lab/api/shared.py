"""The laboratory of a process: all requests share its columns."""

from league.api.graphql.executing.context import Process
from league.lab.projections.trial import Laboratory


def shared(_process: Process) -> Laboratory:
    """What the requests to a process share."""
    return Laboratory()
