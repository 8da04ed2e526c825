"""Pages for people: each is made from a GraphQL document of its own, executed in the process with the visitor's rights.

A page is a `Page` (`pages.py`), a form a `FormPage` (`forms.py`), declared beside its document and its template: in
`public/`, `scorekeeping/` or `admin/`, or by a feature. docs/console.md tells how to add one.
"""
