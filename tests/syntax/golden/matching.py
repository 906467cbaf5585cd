def shapes(self, command):
    match command:
        case "go" | "run":
            a()
        case Point(0, y=Color.RED as c) if c.ok():
            b()
        case [first, *rest, [last]]:
            d(first, rest, last)
        case {"kind": kind, **others}:
            e(kind, others)
        case None:
            f()
        case (1, found) | [found, 2]:
            g(found)
        case other:
            h(other)
    i()


def not_exhaustive(self):
    match self.state:
        case -1:
            a()
