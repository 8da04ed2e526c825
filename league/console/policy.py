"""What browsers may do with a page, and which posts come from our own pages."""

from urllib.parse import urlsplit

from starlette.requests import Request

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
"""A page runs and loads what this server sends, and nothing else: no code or style is inside the page."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Vary": "Cookie, Accept-Language",
    "Cache-Control": "private, no-cache",
}
"""Of each page, beside those of every response. Browsers ask again before they show a page that they have."""


def is_from_our_pages(request: Request, public_url: str | None) -> bool:
    """Whether a browser sent this post from a page of ours; else another site may have made the browser send it."""
    origin = request.headers.get("origin")
    if origin is None:
        # Old browsers leave it out; then they name the page. What names neither is no form of a browser.
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
