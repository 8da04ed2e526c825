"""A real browser for tests of pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, expect, sync_playwright
from waiting import LIMIT

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
"""The first has the engine of the others without their windows: its pages take a third of the processor's time."""

INSECURE = "league.test"

LEFT = ("htmx:afterRequest, ", "htmx:sendAbort, ")
"""What htmx says when a page is left before its request is answered. It also says `htmx:sendError` if one fails."""

ARGUMENTS = [
    "--no-sandbox",  # containers have no user namespaces for it; the tests open pages of their own only
    # A page that a test fulfils is from nowhere, and could not ask a server on this machine.
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets",
    # A name of this machine that browsers do not take for it: over http its pages are not secure.
    f"--host-resolver-rules=MAP {INSECURE} 127.0.0.1",
]


AXE = Axe().axe_script
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colours: all that another colour scheme can break."""
# Only what is asked for crosses to Python: whole answers took a third of the time.
FAULTS = """async rules => {
    const options = {resultTypes: ['violations'], iframes: false, ...(rules.length ? {runOnly: rules} : {})};
    const {violations} = await axe.run(options);
    const serious = violations.filter(one => ['serious', 'critical'].includes(one.impact));
    return serious.map(one => [one.id, one.nodes[0].html]);
}"""


def serious_faults(page: Page, *rules: str) -> list[list[str]]:
    """The serious and critical faults that axe finds on a page, by these rules or by all, each with its first place."""
    if not page.evaluate("'axe' in window"):  # a tab that looks at many pages has it as its first script
        page.evaluate(AXE)
    found: list[list[str]] = page.evaluate(FAULTS, list(rules))
    return found


@dataclass
class Tab:
    """A page in the browser, and what it has asked for and said."""

    page: Page
    asked: list[str] = field(default_factory=list)
    """The addresses of its requests and WebSockets."""
    said: list[str] = field(default_factory=list)
    """Errors of its console, which also tells what the policy of the page has refused."""


@contextmanager
def driver() -> Iterator[Playwright]:
    """What starts the browser. Skips the test where there is none."""
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no chromium, and .ci/run could not install it")
        pytest.skip("needs chromium")
    expect.set_options(timeout=LIMIT * 1000)
    with sync_playwright() as playwright:
        yield playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. Skips the test where there is none."""
    with driver() as playwright, launched(playwright) as browser:
        yield browser


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """The browser, of a driver that has been started."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


@contextmanager
def new_tab(browser: Browser) -> Iterator[Tab]:
    """An empty tab, without what others have stored."""
    with browser.new_context() as context:
        context.set_default_timeout(LIMIT * 1000)
        opened = Tab(context.new_page())

        def hear(message: ConsoleMessage) -> None:
            if message.type == "error" and not message.text.startswith(LEFT):
                opened.said.append(message.text)

        opened.page.on("console", hear)
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("request", lambda request: opened.asked.append(request.url))
        opened.page.on("websocket", lambda socket: opened.asked.append(socket.url))
        yield opened
