"""Stores pictures in a folder or in an S3-compatible bucket, by the hash of their content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

from league.domain.sentences import say
from league.infra.settings import BadSetting, Settings

PICTURES = "pictures"
OVERLAYS = "overlays"
"""Folders: photos, named by hash, and copies with the recognised tiles drawn in, named by photo id."""


class PhotosNotInstalled(Exception):
    """The extra `photos` is not installed."""

    def __init__(self) -> None:
        super().__init__(
            say("the packages for photos are missing: install them with `pip install 'domino-league[photos]'`")
        )


class PhotosAway(Exception):
    """The folder or the bucket cannot be reached, or refuses access."""


class PhotoDamaged(Exception):
    """A stored picture is missing, or its content has changed."""

    def __init__(self, sha256: str, *, missing: bool) -> None:
        reason = (
            say("the picture {sha256} is missing where photos are stored", sha256=sha256)
            if missing
            else say("the stored picture {sha256} was changed: it has another hash now", sha256=sha256)
        )
        super().__init__(reason)
        self.sha256 = sha256
        self.missing = missing


RETRIES: Any = {"max_retries": 3, "retry_timeout": timedelta(seconds=10)}
"""Retries with a bucket that does not answer: few, since a person is waiting for the upload."""


def is_installed() -> bool:
    """Whether the extra `photos` is installed."""
    return find_spec("obstore") is not None


class PhotoStore:
    """The store of a league's pictures. Every call blocks, and raises PhotosAway."""

    def __init__(self, place: str) -> None:
        """Open the store. `place`: a folder, or a URL such as `s3://bucket/folder`. Raises PhotosNotInstalled."""
        try:
            from obstore.exceptions import BaseError  # noqa: PLC0415  # of the extra `photos`
            from obstore.store import LocalStore, from_url  # noqa: PLC0415  # of the extra `photos`
        except ImportError:
            raise PhotosNotInstalled from None
        self._errors = (BaseError, OSError)
        with self._reached():
            self._store: Any = (
                from_url(place, retry_config=RETRIES) if "://" in place else LocalStore(place, mkdir=True)
            )

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            raise PhotosAway(str(error)) from error

    def put(self, name: str, content: bytes) -> None:
        """Store an object atomically; it replaces an older one of this name."""
        with self._reached():
            self._store.put(name, content)

    def get(self, name: str) -> bytes | None:
        """The content of an object; None if there is none."""
        with self._reached(), suppress(FileNotFoundError):
            return bytes(self._store.get(name).bytes())
        return None

    def delete(self, name: str) -> None:
        """Remove an object, if there is one."""
        with self._reached(), suppress(FileNotFoundError):
            self._store.delete(name)

    def names(self, folder: str) -> Iterator[str]:
        """The names of the objects in a folder."""
        with self._reached():
            for page in self._store.list(folder):
                yield from (str(found["path"]) for found in page)

    def picture(self, hash_: str) -> bytes:
        """The picture with this hash. Raises PhotoDamaged if it is missing or its content has another hash."""
        content = self.get(picture_name(hash_))
        if content is None or hash_of(content) != hash_:
            raise PhotoDamaged(hash_, missing=content is None)
        return content


def hash_of(content: bytes) -> str:
    """The SHA-256 of a picture, in hexadecimal."""
    return sha256(content).hexdigest()


def picture_name(hash_: str) -> str:
    """The name of a picture in the store."""
    return f"{PICTURES}/{hash_}"


def overlay_name(photo: str) -> str:
    """The name of a photo's overlay in the store. The server makes the ids of photos, so they are safe in a path."""
    return f"{OVERLAYS}/{photo}"


def photo_place(settings: Settings) -> str | None:
    """The place of stored photos: LEAGUE_PHOTOS, or beside the embedded database; None if none is configured."""
    if settings.photos is not None:
        return settings.photos
    return None if settings.database_url is not None else str(settings.data_dir.absolute() / "photos")


def required_photo_place(settings: Settings) -> str:
    """The place of stored photos. Raises BadSetting if an external database is used and no place is set."""
    place = photo_place(settings)
    if place is None:
        raise BadSetting("LEAGUE_PHOTOS", say("must be set to store photos: a folder, or s3://BUCKET/FOLDER"))
    return place
