def groups():
    try:
        f()
    except* A as a:
        g(a)
    except* (B, errors.C):
        h()
    else:
        i()
    finally:
        j()
