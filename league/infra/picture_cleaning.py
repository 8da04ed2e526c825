"""Cleans pictures from outside: checks limits before decoding, and encodes them anew without a camera's metadata.

Only a decoding process loads this module. It needs the extra `photos`.
"""

from __future__ import annotations

import io
import re
import struct

from PIL import Image, ImageOps, UnidentifiedImageError, WebPImagePlugin
from pillow_heif import register_heif_opener

from league.domain.sentences import say
from league.infra.pictures import BadPicture, Picture

# Load all plugins now, so that a file need not wait for them.
Image.preinit()
register_heif_opener()
assert WebPImagePlugin.SUPPORTED, "the extra `photos` reads WebP"

MOST_PIXELS = 50_000_000
MOST_SCANS = 100
"""Limit on the scans of a JPEG. Each scan covers all pixels again. Cameras write 1; progressive JPEGs have about 10."""
KINDS = ("JPEG", "PNG", "WEBP", "HEIF")
LARGEST = 10 * 1024 * 1024
"""Limit on the bytes of a stored picture."""
QUALITIES = (92, 80, 60)
"""JPEG qualities to try, the best first: pips stay sharp. The first that makes the picture small enough is used."""
JPEG = b"\xff\xd8"
"""The first bytes of a JPEG."""
MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""The beginning of another segment of a JPEG. The other markers, FF 00 and FF D0 to FF D7, occur within a scan."""
START_OF_SCAN, END_OF_IMAGE, WITHOUT_LENGTH = 0xDA, 0xD9, (0x01, 0xD8)


def cleaned(content: bytes) -> Picture:
    """A picture without its metadata, such as the place where it was taken. Raises BadPicture.

    Counts the pixels, and the scans of a JPEG, before anything is decoded. These checks do not find every costly file.
    """
    if content.startswith(JPEG) and scans_in(content) > MOST_SCANS:
        raise BadPicture(say("the picture has more than {most} scans: save it anew as a JPEG", most=MOST_SCANS))
    try:
        with Image.open(io.BytesIO(content), formats=KINDS) as image:
            if image.width * image.height > MOST_PIXELS:
                reason = say(
                    "the picture has {width} x {height} pixels; at most {most} million are allowed",
                    width=image.width,
                    height=image.height,
                    most=MOST_PIXELS // 1_000_000,
                )
                raise BadPicture(reason)
            # Only the metadata tells how the camera was turned.
            ImageOps.exif_transpose(image, in_place=True)
            image.load()
            upright = image if image.mode == "RGB" else image.convert("RGB")  # a copy takes 200 MB
    except UnidentifiedImageError:
        raise BadPicture(say("the file is not a picture: send a JPEG, PNG, WebP or HEIC")) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadPicture(say("the picture has far too many pixels")) from error
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, RuntimeError) as error:
        raise BadPicture(say("the picture is damaged or cut off")) from error
    upright.info.clear()
    for quality in QUALITIES:
        out = io.BytesIO()
        upright.save(out, "JPEG", quality=quality)
        if out.tell() <= LARGEST:
            return Picture(out.getvalue(), upright.width, upright.height)
    raise BadPicture(say("the picture is too large to be stored; send a smaller one"))


def scans_in(jpeg: bytes) -> int:
    """The number of scans of a JPEG, counted by its segments without decoding."""
    scans, at = 0, len(JPEG)
    while (found := MARKER.search(jpeg, at)) and (kind := found[0][1]) != END_OF_IMAGE:
        scans += kind == START_OF_SCAN
        at = found.end()
        if kind not in WITHOUT_LENGTH:
            at += int.from_bytes(jpeg[at : at + 2])
    return scans
