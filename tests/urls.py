"""URLs of databases."""

from urllib.parse import urlsplit


def url_of(server: str, name: str) -> str:
    """The URL of another database on the same server."""
    return urlsplit(server)._replace(path=f"/{name}").geturl()
