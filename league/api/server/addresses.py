"""Where a request comes from: its rate limit and its way to the metrics depend on it."""

import ipaddress

from starlette.requests import HTTPConnection

FORWARDED_FOR = "X-Forwarded-For"


def address_of(request: HTTPConnection) -> str | None:
    """The address of the client, as a trusted proxy forwards it; None for a program on this machine.

    A request with X-Forwarded-For has come through a proxy, so its client is elsewhere whatever address it names.
    """
    address = request.client.host if request.client else ""
    if FORWARDED_FOR not in request.headers and (request.client is None or _is_loopback(address)):
        return None  # no client: a Unix socket
    return address


def _is_loopback(address: str) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:  # a proxy may forward a name
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback
