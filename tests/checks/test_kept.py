"""Stores of a function: told in an order that no set decides."""

from __future__ import annotations

import itertools

from ctxlint.calls.identity import FunctionId
from ctxlint.roles.image import Image
from ctxlint.roles.kept import Stored, _in_order

SAVE = FunctionId("agent", 1)
STORES = [
    Stored("agent.Agent.saved", Image("agent.Agent.messages", depth, (SAVE, event), taken), SAVE, 9)
    for depth, event, taken in ((99, 2, False), (1, 2, False), (1, 2, True), (1, 7, False))
]


def test_images_of_one_store_come_in_one_order_the_least_copied_first() -> None:
    orders = {_in_order(each) for each in itertools.permutations([*STORES, STORES[0]])}
    assert orders == {(STORES[1], STORES[2], STORES[3], STORES[0])}
