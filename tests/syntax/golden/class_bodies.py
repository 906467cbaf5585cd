import abc


class Base(metaclass=abc.ABCMeta):
    __slots__ = ("a", "b")
    registry: dict[str, type] = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Base.registry[cls.__name__] = cls

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        self.changed()

    def __getattr__(self, name):
        return self.__dict__[name]

    def __setitem__(self, key, value):
        self.a[key] = value

    def __delitem__(self, key):
        del self.a[key]


class Account(Base):
    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        self._balance = value

    @balance.deleter
    def balance(self):
        del self._balance

    @staticmethod
    def make(): return Account()

    @classmethod
    async def load(cls, path): return cls(await read(path))

    total = property(lambda self: self._total)


for name in NAMES:
    if name:
        class Conditional:
            field = name

        setattr(Conditional, name, 1)


def uses(account: Account, bag: Base):
    account.balance += 1
    account.balance = account.balance + 1
    del account.balance
    bag["k"] = bag["j"]
    bag["k"] += 1
    del bag["k"]
    setattr(account, "balance", 2)
    account.__setattr__("balance", 3)
    bag.__setitem__("k", 4)
    account.__dict__["balance"] = 5
    vars(account)["balance"] = 6


def local_class(base):
    class Inner(base, key=f()):
        value = g()

        def method(self):
            return base, value, __class__

    return Inner()
