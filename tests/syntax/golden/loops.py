def forever(self):
    while True:
        step()
    never()


def counted(xs):
    for x in xs:
        if x:
            continue
        if x.stop:
            break
        f(x)
    else:
        g()
    h()


async def asynchronous(xs):
    async for x in xs:
        await f(x)
    return [y async for y in xs if await y]


def empty_forever():
    while True:
        pass


def while_else(a):
    while a():
        b()
    else:
        c()
