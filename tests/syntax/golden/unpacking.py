def pairs(self, a, b):
    a, b = b, a
    self.x, y = 1, f()
    first, *middle, last = y
    (p, q), r = self.z
    [s] = t = y
    for i, (j, k) in enumerate(y):
        pass
    u, v = *y, 1
