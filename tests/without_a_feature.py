"""Runs a command of the program without a feature, or with `get` says what some pages answer without it."""

from __future__ import annotations

import json
import os
import sys

from league import features

if __name__ == "__main__":
    # Before anything else is imported: what features declare is read once.
    absent = sys.argv.pop(1)
    features.INSTALLED = tuple(name for name in features.FEATURES if name != absent)
    if sys.argv[1] != "get":
        from league.cli import main

        main()
    from starlette.testclient import TestClient

    from league.application.bootstrap import open_league
    from league.application.jobs import Jobs
    from league.console.site import create_site
    from league.infra.settings import from_environment

    settings = from_environment(os.environ)
    with open_league(settings) as league:
        league.project()
        client = TestClient(create_site(league, settings, Jobs(league.database.url, None)))
        with client:
            sys.stdout.write(json.dumps({path: client.get(path).status_code for path in sys.argv[2:]}))
