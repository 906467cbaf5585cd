"""Watching a program's own tests for the orders of events that the analyzer warns about.

::

    with monitor(agent.messages, agent.undo) as watch:
        agent.messages, agent.undo = watch.buffer, watch.journal
        agent.add(message)

    with monitor_attributes(agent, "messages", "undo"):
        agent.add(message)

Both record what actually happens: which mutation, which append, from where, in which order, by which thread or task.
When the block ends they raise `MonitorFailure` with one argument for each finding: a mutation before its record, an
append whose failure was swallowed, a record that changed with the live cell, a write based on a stale read.
"""

from .arguments import Finding, Step
from .monitor import Monitor, monitor, monitor_attributes

__all__ = ["Finding", "Monitor", "Step", "monitor", "monitor_attributes"]
