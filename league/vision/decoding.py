"""Decodes picture files to upright pixels. The size that a file claims is checked before it is decoded."""

import io
import struct
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError
from pillow_heif import register_heif_opener

register_heif_opener()

MOST_BYTES = 10 * 1024 * 1024
MOST_PIXELS = 50_000_000
KINDS = ("JPEG", "PNG", "WEBP", "HEIF")
LONGEST_SIDE = 1600
"""Pixels on the longer side of the reduced picture. Tiles of a hand stay large enough to read."""

Pixels = NDArray[Any]
"""An array of rows and columns; colour pictures have a third axis of three channels."""


class BadImage(Exception):
    """The pips cannot be counted on these bytes. Each subclass names a reason."""


class TooManyBytes(BadImage):
    """The file is larger than MOST_BYTES."""


class TooManyPixels(BadImage):
    """The picture claims more than MOST_PIXELS."""


class NotAnImage(BadImage):
    """The bytes are no JPEG, PNG, WebP or HEIC."""


class TruncatedImage(BadImage):
    """The picture is damaged or ends too early."""


@dataclass(frozen=True)
class DecodedPhoto:
    """A picture reduced for the search, in RGB and upright. `width` and `height` are those of the full picture."""

    pixels: Pixels
    width: int
    height: int

    @property
    def scale(self) -> float:
        """Pixels of the full picture per pixel of the reduced one."""
        return self.width / float(self.pixels.shape[1])


def decode(content: bytes, longest: int = LONGEST_SIDE) -> DecodedPhoto:
    """Decode a picture and reduce it to `longest` pixels on its longer side.

    Raises TooManyBytes, TooManyPixels, NotAnImage, TruncatedImage.
    """
    if len(content) > MOST_BYTES:
        raise TooManyBytes(f"the file has {len(content)} bytes; at most {MOST_BYTES} are allowed")
    try:
        with warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning):
            opened = Image.open(io.BytesIO(content), formats=KINDS)  # reads no pixels; their number is checked next
        with opened as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise TooManyPixels(f"the picture has {width} x {height} pixels; at most {MOST_PIXELS} are allowed")
            image.draft("RGB", (longest, longest))  # a JPEG is decoded at a fraction of its size
            image.thumbnail((longest, longest), reducing_gap=2.0)
            if image.getexif().get(0x0112, 1) in {5, 6, 7, 8}:
                width, height = height, width
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except UnidentifiedImageError:
        raise NotAnImage("the file is not a picture: JPEG, PNG, WebP and HEIC can be read") from None
    except Image.DecompressionBombError:
        raise TooManyPixels(f"the picture has more than {MOST_PIXELS} pixels") from None
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, RuntimeError, OverflowError, TypeError):
        raise TruncatedImage("the picture is damaged or cut off") from None
    return DecodedPhoto(np.asarray(upright), width, height)
