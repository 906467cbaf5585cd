def after_return(xs):
    return 1
    try:
        f()
    except E:
        g()
    finally:
        h()
    with x:
        i()
    for x in xs:
        if x:
            break
        j()


def after_raise(a):
    if a:
        raise ValueError
        f()
    while 1:
        g()
        continue
        h()
