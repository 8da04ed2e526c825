"""Queries that only some roles may ask: all others get an error, as permissions.md of the docs says."""

from league.api.auth.permissions import PERMISSIONS, Viewer
from league.api.graphql.request_errors import NotAllowed

REFUSED_TO_OTHERS = "to others an error with the code FORBIDDEN, or UNAUTHENTICATED without a token."
"""The end of the description of such a query."""


def check_may_read(viewer: Viewer, operation: str) -> None:
    """Raise NotAllowed unless a role of the viewer allows the operation."""
    if not viewer.may(operation):
        raise NotAllowed(viewer.sub, needs=list(PERMISSIONS[operation]))
