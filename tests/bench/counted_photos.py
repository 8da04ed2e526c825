"""How well, and how fast, the pips on photos are counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

import cv2
import numpy as np

from league.vision.pip_counter import count_pips
from tests.bench.made_photos import HELD_APART, TUNED, Style, made_photo
from tests.bench.measure import say

SURE = 0.9
"""A total with this confidence must be right."""


def bench_photos(photos: int) -> None:
    """Count so many made-up photos of each style, and a photo of 12 megapixels."""
    say(f"\nphotos: {photos} of each style, one to seven tiles, double-six and double-nine in turn")
    say(f"{'':24}{'recall':>8}{'precision':>11}{'totals':>8}{'right':>7}{'sure':>6}{'sure but wrong':>16}")
    for title, styles in (("tuned on", TUNED), ("held apart", HELD_APART)):
        counts = [tiles_counted(style, photos) for style in styles.values()]
        for name, count in zip(styles, counts, strict=True):
            _print(f"  {name}", count)
        _print(f"{title}, together", sum(counts, Counter()))
    _bench_large()


def tiles_counted(style: Style, photos: int) -> Counter[str]:
    """Tiles and totals, by what became of them."""
    found: Counter[str] = Counter()
    for seed in range(photos):
        photo, tiles = made_photo(style, seed, "double-six" if seed % 2 else "double-nine")
        count = count_pips(photo)
        read = Counter((min(tile.a, tile.b), max(tile.a, tile.b)) for tile in count.tiles)
        found["tiles"] += len(tiles)
        found["read"] += read.total()
        found["right tiles"] += (read & Counter(tiles)).total()
        is_right = count.total == sum(map(sum, tiles))
        found["photos"] += 1
        found["totals"] += count.total is not None
        found["right"] += is_right
        found["sure"] += count.confidence >= SURE
        found["wrong"] += count.confidence >= SURE and not is_right
    return found


def _print(name: str, count: Mapping[str, int]) -> None:
    recall, precision = count["right tiles"] / count["tiles"], count["right tiles"] / max(1, count["read"])
    say(
        f"{name:24}{recall:8.3f}{precision:11.3f}{count['totals']:8}{count['right']:7}{count['sure']:6}"
        f"{count['wrong']:16}"
    )


def _bench_large() -> None:
    """A photo of 12 megapixels: the CPU time of counting, beside that of decoding alone."""
    small, _ = made_photo(TUNED["coloured"], 3, "double-nine")
    pixels = cv2.resize(cv2.imdecode(np.frombuffer(small, np.uint8), cv2.IMREAD_COLOR), (4000, 3000))
    _, photo = cv2.imencode(".jpg", pixels)
    content = photo.tobytes()
    decoding = min(_cpu(lambda: cv2.imdecode(photo, cv2.IMREAD_COLOR)) for _ in range(3))
    counting = min(_cpu(lambda: count_pips(content)) for _ in range(3))
    say(f"a photo of 12 megapixels: {counting:.2f} s of CPU to count, {decoding:.2f} s to decode it alone"
        f" ({counting / decoding:.1f})")  # fmt: skip


def _cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
