"""Picture files in, upright pixels out. What a file claims is checked before it is decoded."""

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
"""Pixels of the longer side of the picture that is searched: tiles of a hand stay large enough to read."""

Pixels = NDArray[Any]
"""Rows, columns and, for colours, three channels."""


class BadImage(Exception):
    """The bytes cannot be counted."""


@dataclass
class TooManyBytes(BadImage):
    """The file is larger than `most` bytes."""

    size: int
    most: int = MOST_BYTES

    def __str__(self) -> str:
        return f"the file has {self.size} bytes; at most {self.most} are allowed"


@dataclass
class TooManyPixels(BadImage):
    """The picture claims more than `most` pixels."""

    width: int
    height: int
    most: int = MOST_PIXELS

    def __str__(self) -> str:
        return f"the picture has {self.width} x {self.height} pixels; at most {self.most} are allowed"


class NotAnImage(BadImage):
    """The bytes are no JPEG, PNG, WebP or HEIC."""

    def __str__(self) -> str:
        return "the file is not a picture: JPEG, PNG, WebP and HEIC can be read"


class TruncatedImage(BadImage):
    """The picture is damaged or ends too early."""

    def __str__(self) -> str:
        return "the picture is damaged or cut off"


@dataclass(frozen=True)
class Photo:
    """A picture to search: reduced, RGB, upright. `width` and `height` are those of the full upright picture."""

    pixels: Pixels
    width: int
    height: int

    @property
    def scale(self) -> float:
        """Pixels of the full picture for one of the reduced."""
        return self.width / float(self.pixels.shape[1])


def decode(content: bytes, longest: int = LONGEST_SIDE) -> Photo:
    """The picture in a file. Raises TooManyBytes, TooManyPixels, NotAnImage, TruncatedImage."""
    if len(content) > MOST_BYTES:
        raise TooManyBytes(len(content))
    try:
        with warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning):
            opened = Image.open(io.BytesIO(content), formats=KINDS)  # reads no pixels; their number is checked next
        with opened as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise TooManyPixels(width, height)
            image.draft("RGB", (longest, longest))  # a JPEG is decoded at a fraction of its size
            image.thumbnail((longest, longest), reducing_gap=2.0)
            if image.getexif().get(0x0112, 1) in {5, 6, 7, 8}:
                width, height = height, width
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except UnidentifiedImageError:
        raise NotAnImage from None
    except Image.DecompressionBombError:
        raise TooManyPixels(0, 0) from None
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, RuntimeError, OverflowError, TypeError):
        raise TruncatedImage from None
    return Photo(np.asarray(upright), width, height)
