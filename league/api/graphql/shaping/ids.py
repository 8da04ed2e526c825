"""Global ids: opaque to clients, they encode the kind of an object and its id in the league."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from functools import lru_cache

from league.domain.competitor import JOINT, competitor_of


@lru_cache(16_384)
def global_id(kind: str, local: str) -> str:
    """The global id of an object."""
    return urlsafe_b64encode(f"{kind}:{local}".encode()).decode().rstrip("=")


def read_global_id(id_: str) -> tuple[str, str] | None:
    """The kind and the id in the league; None for a text that is not a global id."""
    try:
        kind, colon, local = urlsafe_b64decode(id_ + "=" * (-len(id_) % 4)).decode().partition(":")
    except (NotBase64, ValueError):
        return None
    is_ours = bool(colon) and global_id(kind, local) == id_
    return (kind, local) if is_ours else None


def local_competitor_id(id_: str) -> str:
    """The id in the league of a player or a pair; any other text is returned unchanged."""
    read = read_global_id(id_)
    return read[1] if read is not None and read[0] in ("Player", "Team") else id_


def local_id(kind: str, id_: str) -> str:
    """The id in the league behind a global id of this kind; any other text is returned unchanged.

    The two players of a team may be named in either order.
    """
    read = read_global_id(id_)
    local = read[1] if read is not None and read[0] == kind else id_
    return competitor_of(local.split(JOINT)) if kind == "Team" else local
