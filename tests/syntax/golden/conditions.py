def reads_stay_in_one_block(self, x):
    if x and self.ok:
        f()


def calls_get_blocks(self, x):
    if x and g() or not h():
        f()


def negation_swaps(a, b):
    if not (a and b()):
        f()
    else:
        g()


def values(a, b):
    c = a and b()
    d = a() if b else c
    e = a if b else self.c
    return 0 < f() < g(), a < b < c


def parenthesised(a, b, c):
    return (a and b) and c, a and b and c, a or b and c


def elif_chain(a):
    if a == 1:
        f()
    elif a == 2:
        g()
    else:
        h()
    i()


def nothing_depends(a):
    if a:
        pass
    f()


def walrus(a):
    while (n := a.read()) is not None and n:
        f(n)


def asserted(self):
    assert self.ok, message()
    f()


def constants():
    if 0:
        f()
    if "x":
        g()
    if not None:
        h()
