def late_and_early(self, items):
    handlers = []
    for item in items:
        handlers.append(lambda: item)
        handlers.append(lambda item=item: item)
    return handlers


def counter():
    count = 0

    def increment(step=count):
        nonlocal count
        count += step
        return count

    async def slowly():
        nonlocal count
        count += await step()
        count = count + await step()

    return increment, slowly


def middle(a):
    def passes_on():
        def uses():
            return a, print
        return uses
    return passes_on


def parameter_default(a=[], *, b={}):
    def inner(a=a, b=lambda: b):
        return a, b
    return inner


def recursive(n):
    def again(m):
        return again(m - 1) if m else n
    return again(n)


def deleted():
    try:
        f()
    except E as e:
        g = lambda: e
    return g


total = 0


async def counts():
    global total
    total += await f()
    total = total + await f() + total
    total += 1
