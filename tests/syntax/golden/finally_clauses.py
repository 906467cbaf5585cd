def copies(self, xs):
    for x in xs:
        try:
            if a():
                return b()
            if c():
                break
            if d():
                continue
            e()
        finally:
            self.close()
    f()


def return_precedes():
    try:
        return a()
    except E:
        b()
    finally:
        c()


def break_swallows():
    while True:
        try:
            a()
        finally:
            break
    b()


def return_swallows():
    try:
        a()
    finally:
        return 1


def loop_inside(xs):
    for x in xs:
        try:
            return a()
        finally:
            for y in x:
                if y:
                    break


def definition_inside():
    try:
        a()
    finally:
        def helper():
            return lambda: 1
