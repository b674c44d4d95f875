"""Questions about spans and logs enter, one module for each; answers leave, joined to lineage where they touch it.

They only read: whatever can answer `ask` is enough, and values never become part of a statement's text.
"""
