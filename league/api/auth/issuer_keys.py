"""The public keys of the token issuer, read from a URL and cached."""

import time
from typing import Any

import jwt

TIMEOUT = 5.0
LIFESPAN = 300.0
"""Seconds after which the keys are read again, so that a withdrawn key is no longer accepted."""
PATIENCE = 60.0
"""Seconds before an unknown `kid` causes another reading of the keys: any client can invent one."""
REST = 10.0
"""Seconds without a new attempt after a failed reading: each attempt blocks a thread for the whole timeout."""


class IssuerKeys(jwt.PyJWKClient):
    """The keys at a JWKS URL. A known `kid` causes no reading, unknown ones at most one a minute."""

    def __init__(self, url: str) -> None:
        super().__init__(url, lifespan=LIFESPAN, timeout=TIMEOUT, cooldown_duration=PATIENCE)
        self._rests_until = 0.0

    def fetch_data(self) -> Any:
        """Read the keys. Raises PyJWKClientConnectionError, for a while after a failure without a new attempt."""
        if time.monotonic() < self._rests_until:
            raise jwt.PyJWKClientConnectionError("they could not be read a moment ago")
        try:
            return super().fetch_data()
        except (jwt.PyJWTError, ValueError, OSError) as error:  # ValueError: the answer is not JSON
            self._rests_until = time.monotonic() + REST
            raise jwt.PyJWKClientConnectionError(str(error)) from error
