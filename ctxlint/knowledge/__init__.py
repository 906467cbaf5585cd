"""What ctxlint knows before it sees any code: rules, models, words, and the user's configuration, as typed values.

The only room that reads TOML.
"""
