"""Runs commands of the program without a feature, all in one process: each line says a database and a command.

Answers each line with what the command printed. The command `get` says what some pages answer.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stdout
from io import StringIO

from league import features

if __name__ == "__main__":
    # Before anything else is imported: what features declare is read once.
    absent = sys.argv[1]
    features.INSTALLED = tuple(name for name in features.FEATURES if name != absent)

    from starlette.testclient import TestClient

    from league.application.bootstrap import open_league
    from league.application.jobs import Jobs
    from league.cli import main
    from league.console.site import create_site
    from league.infra.settings import from_environment

    def get(*paths: str) -> None:
        """Print the status of each page."""
        settings = from_environment(os.environ)
        with open_league(settings) as league:
            league.project()
            with TestClient(create_site(league, settings, Jobs(league.database.url, None))) as client:
                sys.stdout.write(json.dumps({path: client.get(path).status_code for path in paths}))

    for line in sys.stdin:
        os.environ["LEAGUE_DATABASE_URL"], *arguments = json.loads(line)
        with redirect_stdout(StringIO()) as printed:
            if arguments[0] == "get":
                get(*arguments[1:])
            else:
                sys.argv[1:] = arguments
                try:
                    main()
                except SystemExit as ended:
                    if ended.code:
                        raise
        sys.stdout.write(json.dumps(printed.getvalue()) + "\n")
        sys.stdout.flush()
