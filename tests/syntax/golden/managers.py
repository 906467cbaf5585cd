def parenthesised(a):
    with (open(a) as f, open(f.name) as g,):
        f.write(g)


def no_name(a):
    with a, (b, c) as d:
        pass


def targets(self):
    with f() as self.x, g() as (y, z), h() as self.items[k()]:
        pass


def nested_in_loop(self, xs):
    for x in xs:
        with self.lock, suppress(E):
            f(x)
        g(x)


async def both(self):
    async with self.lock:
        with self.file as file:
            await file.read()
            return 1


def raises_inside(a):
    with a:
        raise E
