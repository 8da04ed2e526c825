"""Reads forms that browsers post, which must come from our own pages, and has the headers of pages."""

from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from league.api.server.uploads import check_charset
from league.console.asking import NoPage
from league.domain.sentences import say

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
"""A page runs and loads only what this server sends as files: no code or style may stand inside the page."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Vary": "Cookie, Accept-Language",
    "Cache-Control": "private, no-cache",
}
"""Headers of each page, besides those of every response. Browsers ask again before they show a stored page."""

MOST_CONTROLS = 10_000
"""Limit on the controls of a form. An edition of twelve rulesets has seven hundred."""


def is_from_our_pages(request: Request, public_url: str | None) -> bool:
    """Whether a page of ours sent this post. If not, another site may have made the browser send it."""
    origin = request.headers.get("origin")
    if origin is None:
        # Old browsers leave it out, but name the page. A request that names neither is no form of a browser.
        try:
            page = urlsplit(request.headers.get("referer", ""))
        except ValueError:
            return False
        origin = f"{page.scheme}://{page.netloc}"
    own = {f"{request.url.scheme}://{request.url.netloc}"}
    if public_url is not None:
        public = urlsplit(public_url)
        own.add(f"{public.scheme}://{public.netloc}")
    return origin in own


def check_origin(request: Request, public_url: str | None) -> None:
    """Raises NoPage for a form that no page of ours sent."""
    if not is_from_our_pages(request, public_url):
        raise NoPage(403, say("Another site sent this form. Open the page of the league and fill it in there."))


async def sent_form(request: Request, public_url: str | None) -> FormData:
    """The form that a page of ours sent. Raises NoPage for forms of other sites, and for content that is no form."""
    check_origin(request, public_url)
    try:
        check_charset(request)
        return await request.form(max_fields=MOST_CONTROLS)
    except MultiPartException as error:
        raise NoPage(400, error.message) from None
    except HTTPException as error:
        raise NoPage(400, str(error.detail)) from None


def own_path(path: str) -> str:
    """The path to go back to, if it is on this site; otherwise the path of the first page."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
