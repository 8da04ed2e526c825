"""`python -m league` is the `league` command."""

from league.cli import main

main()
