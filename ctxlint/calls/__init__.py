"""Many functions: names and types across modules, and which functions a call can reach.

`program` holds the linked modules and the class hierarchy, `names` resolves dotted names, `types` says what a value can be,
`infer` finds it out, `resolve` turns calls into callees.
"""
