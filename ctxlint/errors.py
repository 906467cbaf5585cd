"""Errors that end a run with exit status 2.

    CtxlintError
    ├── UsageError            the command line asks for something that cannot be done (unknown code, missing path)
    └── ConfigurationError    a configuration, rule or model file says something wrong; names the file and the key

Code under analysis never causes one of these: what cannot be analysed is a diagnostic (CTX003).
"""

from __future__ import annotations


class CtxlintError(Exception):
    """The run cannot do what was asked; the message names the file or key and says what to do."""


class UsageError(CtxlintError):
    """The command line asks for something that cannot be done."""


class ConfigurationError(CtxlintError):
    """A configuration, rule or model file is wrong; the message names the file and the key."""
