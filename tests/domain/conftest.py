"""How much Hypothesis tries here: a hundred examples a law, always the same ones where CI is set."""

import os

from hypothesis import settings

settings.register_profile("domain", max_examples=100, deadline=None, derandomize="CI" in os.environ)
settings.load_profile("domain")
