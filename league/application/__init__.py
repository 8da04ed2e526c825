"""Commands: dispatch, jobs, promotion, previews, process managers; `bootstrap` puts the program together."""
