"""Commands: dispatch, jobs, promotion, previews, process managers; `bootstrap` assembles the program."""
