"""Pages for people: each is made from a GraphQL document of its own, executed in the process with the visitor's rights.

A page is a `Page` (`pages.py`), a form a `FormPage` (`forms.py`), declared in the folder of its feature beside its
`.graphql` document and its `.html` template. `site.py` lists them. docs/console.md tells how to add one.
"""
