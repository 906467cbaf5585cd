def each_item_is_a_frame(a, E):
    with a as x, suppress(E):
        f()
    g()


def left_by_return(self):
    with self.lock:
        return f()


def left_by_jumps(xs):
    for x in xs:
        with x:
            if a():
                break
            continue


async def asynchronous(self):
    async with self.lock as held, pool() as (p, q):
        await f()
