import contextlib
import functools


def swallow(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception:
            return None
    return wrapper


def locked(lock):
    def decorate(function):
        async def wrapper(*args, **kwargs):
            async with lock:
                return await function(*args, **kwargs)
        return wrapper
    return decorate


def retried(times=3):
    def decorate(function):
        def wrapper(*args):
            for attempt in range(times):
                try:
                    return function(*args)
                except OSError:
                    if attempt == times - 1:
                        raise
        return wrapper
    return decorate


@contextlib.contextmanager
def transaction(db):
    db.begin()
    try:
        yield db
    except BaseException:
        db.rollback()
        raise
    else:
        db.commit()


@swallow
@locked(LOCK)
@retried(times=2)
async def save(path): pass


@(lambda f: f)
@table[0].register
def odd(): pass
