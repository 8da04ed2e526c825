"""The public keys of the token issuer, read from a URL and cached."""

import time
from typing import Any

import jwt

TIMEOUT = 5.0
LIFESPAN = 300.0
"""Seconds after which the keys are read again, so that a key that was withdrawn is not taken any more."""
PATIENCE = 60.0
"""Seconds before the keys are read again for a `kid` that is not among them: anybody can make one up."""
REST = 10.0
"""Seconds that a URL which cannot be read is left alone: each reading costs a thread the whole timeout."""


class IssuerKeys(jwt.PyJWKClient):
    """The keys at a JWKS URL; a known `kid` costs no reading, unknown ones one a minute."""

    def __init__(self, url: str) -> None:
        super().__init__(url, lifespan=LIFESPAN, timeout=TIMEOUT, cooldown_duration=PATIENCE)
        self._rests_until = 0.0

    def fetch_data(self) -> Any:
        """Read the keys. Raises PyJWKClientConnectionError, for a while also without trying again."""
        if time.monotonic() < self._rests_until:
            raise jwt.PyJWKClientConnectionError("they could not be read a moment ago")
        try:
            return super().fetch_data()
        except (jwt.PyJWTError, ValueError, OSError) as error:  # ValueError: what is there is no JSON
            self._rests_until = time.monotonic() + REST
            raise jwt.PyJWKClientConnectionError(str(error)) from error
