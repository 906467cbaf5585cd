def chosen(self):
    try:
        f()
    except (KeyError, self.error) as e:
        log(e)
    except OSError:
        raise
    else:
        g()
    h()


def everything():
    try:
        f()
    except BaseException:
        g()


def bare():
    try:
        f()
    except:
        return None


def reraised_as(e):
    try:
        f()
    except Exception as error:
        raise Failure(str(error)) from error


def nested():
    try:
        try:
            f()
        except A:
            g()
    except B:
        h()
