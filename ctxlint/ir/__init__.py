"""The words of the analysis: frozen, serialisable values that every later room may import.

`span` says where, `value` what an expression denotes, `event` what happens, `function` in which order it can happen,
`module` what one file declares.
Nothing here knows a library, a rule or a tree; the same bytes of source give the same values on every machine.
"""
