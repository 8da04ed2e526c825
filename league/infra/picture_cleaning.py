"""Pictures from outside: bounded before they are decoded, and written anew without what a camera adds to them.

Only a process that decodes a file loads this module, which needs the extra `photos`.
"""

from __future__ import annotations

import io
import re
import struct

from PIL import Image, ImageOps, UnidentifiedImageError, WebPImagePlugin
from pillow_heif import register_heif_opener

from league.domain.sentences import say
from league.infra.pictures import BadPicture, Picture

# So that nothing is left to load when the file comes.
Image.preinit()
register_heif_opener()
assert WebPImagePlugin.SUPPORTED, "the extra `photos` reads WebP"

MOST_PIXELS = 50_000_000
MOST_SCANS = 100
"""Of a JPEG, each of which goes over all pixels again. A camera writes 1, programs that make it load gradually 10."""
KINDS = ("JPEG", "PNG", "WEBP", "HEIF")
LARGEST = 10 * 1024 * 1024
"""Bytes of a picture as it is stored."""
QUALITIES = (92, 80, 60)
"""Of the JPEG that is stored, the first with which it is small enough: pips stay as sharp as they were."""
JPEG = b"\xff\xd8"
"""How a JPEG begins."""
MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""Of a JPEG, what begins another segment. The others, FF 00 and FF D0 to FF D7, occur within a scan."""
START_OF_SCAN, END_OF_IMAGE, WITHOUT_LENGTH = 0xDA, 0xD9, (0x01, 0xD8)


def cleaned(content: bytes) -> Picture:
    """A picture without its metadata, such as the place where it was taken. Raises BadPicture.

    Its pixels, and the scans of a JPEG, are counted before anything is decoded. Such checks do not find every file that
    is costly.
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
            # The camera may have been turned, which only the metadata says.
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
    """How many scans a JPEG has, as its segments say: nothing is decoded."""
    scans, at = 0, len(JPEG)
    while (found := MARKER.search(jpeg, at)) and (kind := found[0][1]) != END_OF_IMAGE:
        scans += kind == START_OF_SCAN
        at = found.end()
        if kind not in WITHOUT_LENGTH:
            at += int.from_bytes(jpeg[at : at + 2])
    return scans
