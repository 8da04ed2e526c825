"""Commands: dispatch, jobs, promotion, previews, policies; `bootstrap` puts the program together."""
