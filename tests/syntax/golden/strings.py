def texts(a, b):
    log(f"{a.name} is {b!r:>{width()}} and {a}", "one" "two", b"\xff", "\ud800")
    return {"k": 1, **a}, {1, *b}, [*a], -1, -1.5, not a, ~a, 1j, ..., 0x10
