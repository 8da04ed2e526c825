"""The counter reads real photos, says when it cannot tell, and names what is wrong with a file."""

import io
import json
import random
from pathlib import Path

import pytest

pytest.importorskip("cv2")

import numpy as np
from bench.counted_photos import tiles_counted
from bench.made_photos import HELD_APART, TUNED
from PIL import Image

from league.photos.cli import count_pips as count_pips_command
from league.vision import pip_counter
from league.vision.pip_counter import NotAnImage, TooManyBytes, TooManyPixels, TruncatedImage, count_pips, overlay

pytestmark = pytest.mark.heavy

PHOTOS = Path(__file__).parent / "photos"
LABELS = {row["file"]: row for row in json.loads((PHOTOS / "labels.json").read_text())}


def names(pairs) -> list[tuple[int, int]]:
    return sorted((min(pair), max(pair)) for pair in pairs)


def picture(file: str) -> Image.Image:
    return Image.open(io.BytesIO((PHOTOS / file).read_bytes()))


def encoded(image: Image.Image, kind: str = "JPEG", **options) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize("file", LABELS)
def test_real_photos(file: str) -> None:
    """Every tile of the photos is right, touching tiles and white on white included."""
    count = count_pips((PHOTOS / file).read_bytes(), threshold=0)
    assert names((tile.a, tile.b) for tile in count.tiles) == names(LABELS[file]["tiles"])
    assert count.total == LABELS[file]["total"]


@pytest.mark.parametrize(("kind", "name"), [("PNG", "png"), ("WEBP", "webp"), ("HEIF", "heic")])
def test_formats(kind: str, name: str) -> None:
    """A photo gives the same count in each file format."""
    image = picture("pc_36w.jpg")
    assert count_pips(encoded(image, kind), threshold=0).total == 36, name


def test_the_camera_was_turned() -> None:
    """Outlines are in pixels of the upright picture."""
    exif = Image.Exif()
    exif[0x0112] = 6
    count = count_pips(encoded(picture("pc_36w.jpg"), exif=exif), threshold=0)
    assert (count.width, count.height, count.total) == (1200, 1600, 36)


def test_what_cannot_be_there_gives_no_total() -> None:
    """There is no total if a tile was already played, or is not in the set."""
    photo = (PHOTOS / "pc_36w.jpg").read_bytes()
    for count in (count_pips(photo, excluded={(2, 3)}), count_pips(photo, tile_set="double-six")):
        assert (count.total, count.reason) == (None, "not_in_set")


def test_a_tile_cut_by_the_edge_gives_no_total() -> None:
    """There is no total if the edge of the photo cuts a tile."""
    image = picture("pc_23.jpg").crop((0, 600, 1600, 1400))
    count = count_pips(encoded(image))
    assert count.total is None


@pytest.mark.parametrize("name", [*TUNED, *HELD_APART])
def test_styles_of_tiles(name: str) -> None:
    """Most styles of tiles are read, except bars from edge to edge, and no confident total is wrong."""
    found = tiles_counted({**TUNED, **HELD_APART}[name], 1)
    assert found["right tiles"] >= (0 if name == "edge to edge" else 0.7 * found["tiles"]), found
    assert found["wrong"] == 0, found


def test_no_tile() -> None:
    """A picture without tiles has no total, not a total of zero."""
    noise = np.random.default_rng(1).integers(0, 255, (600, 800, 3), dtype=np.uint8)
    for image in (Image.new("RGB", (800, 600), "white"), Image.fromarray(noise), Image.new("RGB", (1, 1))):
        assert count_pips(encoded(image)).total is None


def test_bad_files() -> None:
    """Each bad file gets the error of its kind, and no large picture is decoded."""
    photo = (PHOTOS / "pc_28.jpg").read_bytes()
    huge = encoded(Image.new("1", (10_000, 10_000)), "PNG")
    cases = [
        (b"", NotAnImage), (b"GIF89a", NotAnImage), (photo[:5000], TruncatedImage), (huge, TooManyPixels),
        (photo + bytes(pip_counter.MOST_BYTES), TooManyBytes),
    ]  # fmt: skip
    for content, error in cases:
        with pytest.raises(error):
            count_pips(content)


def test_the_command_has_words_for_each_fault() -> None:
    """Each error of the counter is said in the language of the command."""
    faults = {error.__name__ for error in pip_counter.BadImage.__subclasses__()}
    assert faults == set(count_pips_command._FAULTS)


def test_damaged_files_never_crash() -> None:
    """A damaged file is either counted or refused as a BadImage."""
    photo = encoded(picture("pc_36w.jpg").resize((400, 300)))
    for seed in range(40):
        dice, content = random.Random(seed), bytearray(photo)
        for _ in range(5):
            content[dice.randrange(2, 700)] = dice.randrange(256)
        try:
            count_pips(bytes(content))
        except pip_counter.BadImage:
            continue
        except Exception as error:  # noqa: BLE001
            pytest.fail(f"seed {seed}: {error!r}")


def test_overlay_is_a_picture_of_the_same_shape() -> None:
    """The overlay is the photo with the tiles drawn on it."""
    photo = (PHOTOS / "pc_28.jpg").read_bytes()
    drawn = Image.open(io.BytesIO(overlay(photo, count_pips(photo))))
    assert drawn.format == "JPEG"
    assert drawn.size == picture("pc_28.jpg").size
