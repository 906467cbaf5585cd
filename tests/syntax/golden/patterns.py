def sequences(x):
    match x:
        case []:
            a()
        case [1, _]:
            b()
        case [first, *_]:
            c(first)
        case [*rest, last] | (last, 0, rest):
            d(rest, last)


def mappings(x):
    match x:
        case {}:
            a()
        case {"a": 1, Key.B: {"c": c}}:
            b(c)
        case {"d": d, **rest} if f(d):
            g(rest)


def classes(x):
    match f(x):
        case int() | str():
            a()
        case Point(x=0, y=y) as point:
            b(y, point)
        case ast.Call(ast.Name(id), [_, *_]):
            c(id)


def values(x, y):
    match x, y:
        case (-1, "s" "t") | (1 + 2j, b"b"):
            a()
        case Color.RED, None | True:
            b()


def inside_loop(xs):
    for x in xs:
        match x:
            case "stop":
                break
            case "skip":
                continue
            case str(text) if not text:
                return text
        f(x)


async def awaited(x):
    match await x:
        case _ if await f():
            a()
        case y:
            b(y)
