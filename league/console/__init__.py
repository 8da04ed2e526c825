"""Pages for people. Each page has a GraphQL document, executed in this process with the visitor's rights.

A page is a `Page` (`pages.py`), a form a `FormPage` (`forms.py`). It is declared beside its document and its template:
in `public/`, `scorekeeping/` or `admin/`, or by a feature. docs/console.md tells how to add one.
"""
