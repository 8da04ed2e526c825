"""The pictures of photos in a backup: each is checked against its hash on the way out and on the way in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from league.domain.sentences import say
from league.infra.photo_store import (
    OVERLAYS,
    PICTURES,
    PhotoDamaged,
    PhotoStore,
    hash_of,
)
from league.transfer.backup_format import BackupReader, StoredObject

NAME = re.compile(rf"({PICTURES}/(?P<hash>[0-9a-f]{{64}})|{OVERLAYS}/[\w-]{{1,64}})", re.ASCII)
"""The name of a stored object."""


def stored_objects(names: Sequence[str], pictures: PhotoStore) -> Iterator[StoredObject]:
    """The objects of these names. Raises PhotoDamaged for one that is missing or was changed, PhotosAway."""
    for name in names:
        content = pictures.get(name)
        if content is None or not _is_whole(name, content):
            raise PhotoDamaged(name.partition("/")[2], missing=content is None)
        yield StoredObject(name, content)


def restore_pictures(backup: BackupReader, objects: Iterable[StoredObject], pictures: PhotoStore | None) -> None:
    """Store the objects of a backup; None as `pictures`: it has none. Raises DamagedBackup, PhotosAway."""
    for stored in objects:
        if pictures is None or not _is_whole(stored.name, stored.content):
            raise backup.damaged(say("holds a picture with another hash"))
        pictures.put(stored.name, stored.content)


def _is_whole(name: str, content: bytes) -> bool:
    found = NAME.fullmatch(name)
    return found is not None and found["hash"] in (None, hash_of(content))
