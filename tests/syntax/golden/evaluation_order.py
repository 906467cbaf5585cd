async def augmented_await(self):
    self.n += await g()


def item_after_value():
    d[i()] = v()


def chained_targets():
    a = b[i()] = v()


def augmented_item(self):
    self.d[key()] += 1


def augmented_name(n):
    n += f()


def call(self, a):
    self.x[k()].save(a, *b(), c=d(), **e())


def chain_over_results(a):
    return a.b(1).c[2].d(3).e


def called_results(handlers, name):
    handlers[name](make()())


def slices(a):
    del a[1:f()], a.b
    return a[::-1], a[1:2, ...]
