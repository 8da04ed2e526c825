"""Screens for the hall in tests: what is seen whole on their pages, while these are turned."""

from __future__ import annotations

from playwright.sync_api import Page, ViewportSize

SCREENS: tuple[ViewportSize, ...] = ({"width": 1366, "height": 768}, {"width": 1920, "height": 1080})
"""Projectors and televisions of clubs."""
TURN = 12_000
"""Milliseconds for which a page is shown."""

_LINES = """() => [...document.querySelectorAll('.turned.shown .paged > li')].map(one => {
    const own = one.getBoundingClientRect(), list = one.parentElement.getBoundingClientRect();
    const [left, right] = [own.left >= list.left - 1, own.right <= list.right + 1];
    const high = own.bottom <= Math.min(innerHeight, list.bottom) + 1;
    const is_away = own.right < list.left || own.left > list.right;
    return [one.textContent, left && right && high, !is_away && !(left && right && high)];
})"""
"""Each line of the shown list: its text, whether all of it is seen, and whether it is cut off."""
_SCROLLS = "document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight"


def seen_whole(page: Page, turns: int) -> dict[str, int]:
    """How many lines of each list are seen whole within so many turns. Expects none to be cut off on any page.

    The page's clock must be installed (`page.clock`).
    """
    seen: dict[str, set[int]] = {}
    for _turn in range(turns):
        lines = page.evaluate(_LINES)
        assert [text for text, _whole, is_cut in lines if is_cut] == []
        assert not page.evaluate(_SCROLLS)
        heading = page.locator(".turned.shown h2").inner_text().split()[0]
        seen.setdefault(heading, set()).update(at for at, (_, is_whole, _cut) in enumerate(lines) if is_whole)
        page.clock.run_for(TURN)
    return {heading: len(whole) for heading, whole in seen.items()}
