def cancelled(self):
    try:
        f()
    except asyncio.CancelledError:
        self.close()
        raise
    except errors.Timeout as e:
        log(e)
    except Exception:
        g()


def base_catches_the_rest():
    try:
        f()
    except KeyError:
        a()
    except BaseException as e:
        b()
        raise e
    except ValueError:
        never()


def raised_here(x):
    try:
        if x:
            raise ValueError(x)
        raise self.error from x
    except ValueError:
        f()


def chained(e):
    raise make(e) from cause()


def evaluated_types():
    try:
        f()
    except (A, kinds()[0]):
        a()
    except B:
        b()
    except other():
        c()


def in_else_and_handler():
    try:
        f()
    except A:
        raise B
    else:
        raise C


def stub():
    raise NotImplementedError
