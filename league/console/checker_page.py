"""The page that checks proofs in the browser: one file, which visitors can save, and its policy."""

import base64
import hashlib
import re
from functools import cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from league.console.static_files import FILES

PAGE = FILES / "check-proof.html"

_POLICY = re.compile(r'(?<=<meta http-equiv="Content-Security-Policy" content=")[^"]*')


def policy_for(page: str) -> str:
    """The policy of the page: it may run its own scripts and style, and send requests only to its own server.

    The page contains the policy, too, so that it holds for a saved file as well.
    """
    scripts, styles = (
        " ".join(f"'sha256-{_digest(content)}'" for content in re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL))
        for tag in ("script", "style")
    )
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def with_policy(page: str) -> str:
    """The page with the policy that its scripts and style need now."""
    return _POLICY.sub(lambda _: policy_for(page), page)


async def answer(_request: Request) -> Response:
    """The page under its own policy: it has scripts inside, which other pages must not, and may do less than they."""
    page, policy = _page()
    headers = {
        "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return HTMLResponse(page, headers=headers)


async def answer_module(_request: Request) -> Response:
    """The page's reader of proofs as a module for other pages. It exports `leagueProof` and `noble`."""
    return Response(_module(), media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})


@cache
def _module() -> str:
    scripts = re.findall(r"<script>(.*?)</script>", _page()[0], re.DOTALL)
    parts = [script for script in scripts if re.search(r"^const (?:noble|leagueProof) =", script, re.MULTILINE)]
    return "".join(parts) + "export { leagueProof, noble };\n"


@cache
def _page() -> tuple[str, str]:
    page = PAGE.read_text(encoding="utf-8")
    return page, policy_for(page)


if __name__ == "__main__":  # after a change of the page
    PAGE.write_text(with_policy(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
