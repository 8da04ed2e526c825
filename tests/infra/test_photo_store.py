"""Pictures in a folder and in an S3-compatible bucket: the same store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from buckets import bucket_served

from league.infra.photo_store import (
    PhotoDamaged,
    PhotosAway,
    PhotoStore,
    hash_of,
    photo_place,
    picture_name,
    required_photo_place,
)
from league.infra.settings import BadSetting, Settings, from_environment

CONTENT = b"a picture"


@pytest.fixture
def bucket() -> Iterator[str]:
    """The URL of an empty bucket."""
    with bucket_served() as url:
        yield url


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> PhotoStore:
    """Each kind of store, empty."""
    place = str(tmp_path / "photos") if request.param == "folder" else request.getfixturevalue("bucket")
    return PhotoStore(place)


def test_what_is_put_is_got(store: PhotoStore) -> None:
    """An object is stored whole, replaced, listed in its folder and removed; one that is not there is no error."""
    name = picture_name(hash_of(CONTENT))
    assert store.get(name) is None
    store.delete(name)
    store.put(name, b"half")
    store.put(name, CONTENT)
    store.put("overlays/one", b"another")
    assert store.get(name) == CONTENT
    assert list(store.names("pictures")) == [name]
    assert store.picture(hash_of(CONTENT)) == CONTENT
    store.delete(name)
    assert store.get(name) is None
    assert list(store.names("pictures")) == []
    store.delete("overlays/one")


def test_a_picture_that_was_changed_or_lost_is_told(store: PhotoStore) -> None:
    """A picture is given out only with the hash that it was stored under."""
    store.put(picture_name(hash_of(CONTENT)), b"another picture")
    with pytest.raises(PhotoDamaged, match="changed"):
        store.picture(hash_of(CONTENT))
    store.delete(picture_name(hash_of(CONTENT)))
    with pytest.raises(PhotoDamaged, match="missing"):
        store.picture(hash_of(CONTENT))


def test_a_bucket_that_is_not_there_is_an_outage(bucket: str) -> None:
    """It is not reported as a picture that was never stored."""
    with pytest.raises(PhotosAway):
        PhotoStore(bucket.replace("club", "nobody")).put("pictures/one", CONTENT)


def test_where_photos_are(tmp_path: Path) -> None:
    """They are beside the embedded database, at the configured place, or nowhere: then a caller gets an error."""
    assert photo_place(Settings(data_dir=tmp_path)) == str(tmp_path / "photos")
    assert photo_place(from_environment({"LEAGUE_PHOTOS": "s3://club/photos"})) == "s3://club/photos"
    external = from_environment({"LEAGUE_DATABASE_URL": "postgresql://db/league"})
    assert photo_place(external) is None
    with pytest.raises(BadSetting, match="LEAGUE_PHOTOS"):
        required_photo_place(external)
    with pytest.raises(BadSetting, match="LEAGUE_PHOTOS"):
        from_environment({"LEAGUE_PHOTOS": "ftp://club/photos"})
