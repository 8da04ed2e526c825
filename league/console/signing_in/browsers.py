"""What people call a browser, instead of what it calls itself."""

from league.wording.language import _

BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
    ("SamsungBrowser/", "Samsung Internet"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
)  # fmt: skip
"""By a mark in what they call themselves, in this order: most of them also claim to be the later ones."""

SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS", "Mac"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def browser_in_words(agent: str) -> str:
    """`Chrome on Android`; what it calls itself where that is not known."""
    browser = next((name for mark, name in BROWSERS if mark in agent), None)
    system = next((name for mark, name in SYSTEMS if mark in agent), None)
    if browser is None:
        return agent[:60]
    return browser if system is None else _("{browser} on {system}", browser=browser, system=system)
