def produces(xs):
    for x in xs:
        got = yield x
        f(got)
    return "done"


def delegates(self):
    result = yield from self.inner()
    return result


def may_never_resume(self):
    self.lock.acquire()
    try:
        yield self.value
    finally:
        self.lock.release()


def guarded(self):
    with self.lock:
        yield
    after()


def yields_in_expressions(x):
    f((yield 1), x, (yield 2))
    x[(yield)] = yield
    return lambda: (yield)


async def asynchronous(xs):
    async for x in xs:
        yield await f(x)


def expression_is_lazy(xs):
    return any(f(x) for x in xs if x.ok)
