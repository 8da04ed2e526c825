"""The `league` command: it parses arguments, calls the application, and prints. `commands.py` lists its commands."""

import signal
import sys
from typing import NoReturn

from league.cli.commands import app
from league.cli.entry import SUCCESS
from league.wording.language import speaking


def main() -> NoReturn:
    """Run the command and end the process with its exit code."""
    # SIGTERM raises an exception, so that all that is open is closed, such as the embedded database.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with speaking("en"):  # until `--language` is read
        try:
            app(standalone_mode=True)
        except KeyboardInterrupt:
            sys.exit(128 + signal.SIGINT)
        except Exception as error:
            # Imported here because it imports most of the program, which `league --help` does not need.
            from league.cli.opening import exit_code_of  # noqa: PLC0415  # see above

            code = exit_code_of(error, as_json="--json" in sys.argv)
            if code is None:
                raise
            sys.exit(code)
    sys.exit(SUCCESS)
