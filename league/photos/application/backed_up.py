"""The stored objects of photos that a backup takes along."""

from league.eventlog.encoded_rows import Conn
from league.infra.photo_store import OVERLAYS, PhotoStore, overlay_name, picture_name

OF_PHOTOS = "SELECT DISTINCT sha256 FROM photos WHERE NOT erased ORDER BY sha256"
WITH_OVERLAYS = "SELECT photo_id FROM photos WHERE NOT erased AND NOT to_count ORDER BY photo_id"


def names_of_pictures(conn: Conn, pictures: PhotoStore) -> list[str]:
    """The objects of all photos that are not erased. Raises PhotosAway."""
    found = [picture_name(sha256) for (sha256,) in conn.execute(OF_PHOTOS)]
    stored = set(pictures.names(OVERLAYS))
    overlays = [overlay_name(photo) for (photo,) in conn.execute(WITH_OVERLAYS)]
    return found + [name for name in overlays if name in stored]
