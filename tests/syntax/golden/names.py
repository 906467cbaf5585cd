import os.path
import a.b as c
from . import sibling
from ..up import thing as other
from stars import *

total = 0


def outer(seen):
    count = 0

    def inner():
        nonlocal count
        global total
        count = count + 1
        total = seen

        def deepest():
            return total, count

        return deepest

    class Local:
        count = 1

        def method(self):
            return count

    import json
    return inner, Local, lambda x, y=count: (x, seen)


def comprehension_variables(x, ys):
    zs = [x for x in ys if x]
    ws = {k: v for k, v in ys}
    return [lambda: k for k in ws], x, zs
