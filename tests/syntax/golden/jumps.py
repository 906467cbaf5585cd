def continue_in_finally(xs):
    for x in xs:
        try:
            f()
        finally:
            continue
    g()


def return_replaces_return():
    try:
        return f()
    finally:
        return g()


def raise_in_finally():
    try:
        return f()
    finally:
        raise E


def everything(xs):
    while f():
        try:
            a()
        except A:
            break
        except (B, C) as e:
            continue
        else:
            b()
        finally:
            c()
    else:
        d()
    g()


def nested_finally():
    try:
        try:
            return f()
        finally:
            a()
    finally:
        b()


def manager_inside_finally(lock):
    try:
        with lock:
            return f()
    except E:
        g()
    finally:
        h()


def handler_inside_finally():
    try:
        f()
    finally:
        try:
            g()
        except E:
            pass
    h()


def outer_loop(xs):
    for x in xs:
        for y in x:
            if y:
                break
        else:
            continue
        break
    else:
        f()
