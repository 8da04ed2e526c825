"""Authentication and authorization: bearer tokens, the keys of their issuers, and the permissions of each role."""
