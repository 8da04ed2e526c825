"""Pictures from outside: what costs too much or is of another kind is refused, what a camera adds is left out."""

from __future__ import annotations

import io

import pytest
from hostile_files import heic_of_noise, jpeg_of_many_scans, png_of_many_chunks
from PIL import Image

from league.infra.decoding import LIMITS_MEMORY, DecodingLimits, TookTooMuchMemory, decode
from league.infra.picture_cleaning import MOST_SCANS, cleaned, scans_in
from league.infra.pictures import BadPicture, cleaning_of


def picture(kind: str, side: int = 64, **more: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), (200, 90, 60)).save(out, kind, **more)
    return out.getvalue()


def test_a_jpeg_of_more_scans_than_programs_write_is_refused() -> None:
    """Each scan takes as long as the whole picture. As many as are allowed are decoded."""
    assert cleaned(jpeg_of_many_scans(64, MOST_SCANS - 1)).width == 64
    with pytest.raises(BadPicture, match="more than 100 scans"):
        cleaned(jpeg_of_many_scans(64, MOST_SCANS))


def test_scans_are_counted_by_the_segments_of_a_jpeg() -> None:
    """Neither what looks like one in the metadata counts, nor what a phone adds behind the picture, such as a video."""
    assert scans_in(picture("JPEG")) == 1
    assert scans_in(picture("JPEG", progressive=True)) == 10
    assert scans_in(picture("JPEG", comment=b"\xff\xda" * 500) + b"\xff\xda\x00\x02" * 500) == 1
    assert scans_in(jpeg_of_many_scans(64, 300)) == 301
    assert scans_in(b"\xff\xd8") == scans_in(b"\xff\xd8\xff\xda\xff") - 1 == 0


@pytest.mark.parametrize("brand", [b"avif", b"heic", b"mif1"])
def test_avif_is_refused(brand: bytes) -> None:
    """It is refused even if the file says that it is HEIC."""
    content = picture("AVIF").replace(b"ftypavif", b"ftyp" + brand, 1)
    with pytest.raises(BadPicture):
        cleaned(content)


HOSTILE = {
    "JPEG": lambda: jpeg_of_many_scans(4000, 20),
    "PNG": lambda: png_of_many_chunks(8000, 1000),
    "WebP": lambda: picture("WEBP", 4000, method=0),
    "HEIC": lambda: heic_of_noise(8, 256),
}


@pytest.mark.skipif(not LIMITS_MEMORY, reason="the system does not limit memory")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_picture_that_takes_more_than_its_limit_is_refused(kind: str) -> None:
    """A few kilobytes of each kind can take all the memory that there is; the real limit decodes 50 megapixels."""
    content = HOSTILE[kind]()
    assert len(content) < 400_000
    with pytest.raises((TookTooMuchMemory, BadPicture)):  # most libraries call it a damaged picture
        decode(cleaning_of(content), DecodingLimits(megabytes=30))
