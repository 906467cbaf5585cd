@plain
@dotted.name
@called(1, key=2)
def decorated(a, b: int = default(), /, c: "list[str]" = None, *args: T, d, e: "Opt['X']" = {}, **kw) -> dict[str, "Node"]:
    """Only says what it would do."""


@registry.register(lambda: 1)
class Store(base.Store, Generic[T], make(), metaclass=Meta, flag=opt()):
    """A store."""

    size: int
    names: list[str] = field(default_factory=list)
    limit = 10
    kind: Literal["a", "b"] | None = None
    left, right = 1, 2

    @property
    def x(self): ...

    @x.setter
    def x(self, value):
        self._x: int = value

    if limit:
        def maybe(self): pass
    else:
        def maybe(self):
            raise NotImplementedError("later")

    class Inner:
        def deep(self):
            return __class__


async def coroutine(): await x


def generator():
    got = yield 1
    yield from other()


async def async_generator():
    yield


immediately = (lambda x: x.y)(1)


def declares(x):
    y: Foo
    self.z: Bar
    return y
