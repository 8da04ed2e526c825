"""Who asks: bearer tokens, the keys of their issuers, and what each role may do."""
