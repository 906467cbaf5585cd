type Alias = list[int]
type Generic[T: int, *Ts, **P] = dict[T, P]


def generic[T](x: T, *rest: *Ts) -> list[T]:
    y: T = x
    return [y, T]


class Box[T, U = int](Base[T]):
    item: T


def nested_strings(a):
    return f"{a["k"]} {f"{f"{a}"}"} {a!r:{width}} {a = }"


def index_with_star(a, b):
    return a[*b], a[1, *b]


def no_parentheses():
    try:
        f()
    except A, B:
        g()


def templates(a):
    return t"x{a.b!r:>{w()}}y"


lazy import late.module as late
lazy from early import bird


def unpacking_comprehensions(xs, ds):
    return [*x for x in xs], {*x for x in xs}, {**d for d in ds}
