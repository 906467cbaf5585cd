"""A module."""
from __future__ import annotations

try:
    import fast as engine
except ImportError:
    engine = None
    from . import slow

if TYPE_CHECKING:
    from a import B

cache: dict[str, int] = {}
x, *y = load()
with open(NAME) as file:
    TEXT = file.read()

for each in TEXT:
    cache[each] = 1
else:
    del each

i = cache
i["k"] += 1


def change():
    global cache, fresh
    cache = {}
    fresh = i
    del y


while x:
    x -= 1

assert cache
if __name__ == "__main__":
    change()
