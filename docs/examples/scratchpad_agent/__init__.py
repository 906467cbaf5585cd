"""A small agent that keeps notes, edits them and can take its edits back.

It is here to be analysed: each of its three modules loses state in a way that tests do not show.
"""
