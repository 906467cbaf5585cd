"""Questions about one function: which step can follow which, what a name can be, which locks are held.

`graph` lays out the steps, `paths` asks for a way between two of them, `solver` computes facts that hold at every step;
`reaching`, `origins`, `aliases`, `locks` and `loops` are such facts.
This room knows no library and no rule: what a call does is told to it by its callers.
"""
