def literals():
    return 1, 1.5, 2j, "s", b"b", None, True, ..., -1, -1.5, 1_000


def operators(a, b):
    return a + b - a * b / a // b % a ** b @ a, a << b >> a | b ^ a & b, +a, ~b, not a


def compared(a, b, c):
    return a < b, a == b != c, a is b, a is not b, a in b, a not in b, a < f() <= c > g()


def displays(a, b):
    return (), (a,), [*a, b], {a, *b}, {}, {"k": a, **b, f(): g()}


def slices(a, b):
    return a[b], a[b:], a[:b:f()], a[b, 1:2], a[()], a[b][f()].c[g()]


def calls(a, *args, **kwargs):
    return a(), a(1, *args, k=a, **kwargs), a.b(f(), *g(), *h(), k=i()), a[f()](g()), a()()


def positional_only(a, b=1, /, c=2, *, d, e=3):
    return a


def assigned(a):
    if (n := len(a)) > 1 and (m := f(n)):
        return n, m
    return (a := a + 1) + a


def chosen(a, b):
    return f() if a and g() else h() if b else a.c


def short_circuit(a, b):
    x = a.b and a.c or b
    y = a and f(a) and g(a) or h(a)
    return x or y()


def statements(a):
    a
    a.b
    a[f()]
    a.b.c()
    "text"
    ...
    a == f()
    pass


async def awaited(a, b):
    await a
    x = await a.b(await f(), await g())
    a.items[await f()] = await g()
    self.total = self.total + await f()
    return (await a).b, [await a, await b], x


def deletions(a, b):
    del a, b.c, b[f()], (b.d, [b.e])


def augmented(a, b):
    a += 1
    a.b -= f()
    a[f()] *= g()
    a.b[0].c |= {1}
    b @= a; b //= a; b **= a; b >>= a; b <<= a; b &= a; b ^= a; b %= a; b /= a


def annotated(a):
    x: int = f()
    y: "list[int]"
    a.b: float = g()
    a[f()]: int
    return x


def chained(a):
    b = a.c = a[f()] = [d, e] = g()
    return b


def deep_targets(a):
    a.b.c.d.e.f.g.h = 1
    a[0][1].b, (c, [*d, e]), *f = g()
    for a.x, a[i()] in h():
        pass


def rebound_while_assigned(a, b):
    a = self.c = a or b
    b = b = [b]
    return (a := a + 1) + a
