"""Questions about one function: which step can follow which, what a name can be, which locks are held.

`graph` lays out the steps, `paths` asks for a way between two of them, `solver` computes facts that hold at every step.
`reaching`, `origins`, `aliases`, `locks`, `loops` and `guards` are such facts.
`questions`, `conditions` and `assumptions` tell paths that contradict themselves; `bindings` and `sharing` tell who binds names.
This room knows no library and no rule: what a call does is told to it by its callers.
"""
