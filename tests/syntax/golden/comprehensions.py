def kinds(xs):
    a = [f(x) for x in xs]
    b = {f(x) for x in xs}
    c = {k(x): v(x) for x in xs}
    d = sum(f(x) for x in xs)
    return a, b, c, d


def nested_loops(rows):
    return [cell.value for row in rows() if row for cell in row.cells() if keep(cell) and cell.ok]


def inside_each_other(rows):
    return [[f(cell) for cell in row] for row in rows]


def first_iterable_is_outer(x):
    return [x for x in x.items() for y in x]


def walrus_binds_outside(xs):
    return [y for x in xs if (y := f(x))], y


def unpacked_targets(pairs):
    return {a: b for a, (b, *c) in pairs}, [o for o.x in pairs], [d for d[k()] in pairs]


async def asynchronous(xs):
    a = [x async for x in xs]
    b = [await f(x) for x in a]
    return {x: y async for x, y in await xs() if await g(x)}, (z async for z in xs)


class Body:
    names = ["a"]
    pairs = [(name, names) for name in names]
    nested = [[pairs for pairs in name] for name in pairs if names]
    inner = [[names for each in names] for names in pairs]


whole = [x for x in range(3)]
