"""Buffer and store against plain models, under random interleavings and failing appends."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ctxlint.runtime import (
    ContextStore,
    Reason,
    RewriteBuffer,
    RollbackIntegrityError,
    StaleBaseError,
    Transaction,
    digest,
    recover,
)

from .failing import FailingJournal

TEXT = st.text("ab\n\U0001f600", max_size=4)
SETTINGS = settings(max_examples=80, stateful_step_count=25, deadline=None)


class BufferMachine(RuleBasedStateMachine):
    """The model is the list of all contents since the start: rollback is stepping back in it."""

    def __init__(self) -> None:
        super().__init__()
        self.journal = FailingJournal()
        self.buffer = RewriteBuffer("abba", journal=self.journal)
        self.contents = ["abba"]
        self.checkpoints = [(0, self.buffer.checkpoint())]

    @rule(data=st.data(), insert=TEXT)
    def splice(self, data, insert):
        content = self.contents[-1]
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, len(content)))
        self.buffer.splice(start, end - start, insert)
        self.contents.append(content[:start] + insert + content[end:])

    @rule(data=st.data(), insert=TEXT)
    def splice_with_failing_append(self, data, insert):
        start = data.draw(st.integers(0, len(self.contents[-1])))
        self.journal.failures = 1
        with pytest.raises(RollbackIntegrityError) as caught:
            self.buffer.splice(start, 0, insert)
        assert caught.value.reason is Reason.NOT_COMMITTED

    @rule(content=st.text("ab", max_size=8))
    def absorb(self, content):
        if self.buffer.absorb(content) is not None:
            self.contents.append(content)
        else:
            assert content == self.contents[-1]

    @rule()
    def checkpoint(self):
        self.checkpoints.append((len(self.contents) - 1, self.buffer.checkpoint()))

    @rule(data=st.data(), failing=st.booleans())
    def rollback(self, data, failing):
        n = data.draw(st.integers(0, len(self.contents) - 1))
        self.journal.failures = int(failing and n > 0)
        if failing and n > 0:
            with pytest.raises(RollbackIntegrityError):
                self.buffer.rollback(n)
            return
        self.buffer.rollback(n)
        del self.contents[len(self.contents) - n :]
        self._forget_checkpoints()

    @rule(data=st.data())
    def rollback_to(self, data):
        depth, checkpoint = data.draw(st.sampled_from(self.checkpoints))
        self.buffer.rollback_to(checkpoint)
        del self.contents[depth + 1 :]
        self._forget_checkpoints()

    @rule(extra=st.integers(1, 3))
    def rollback_too_far(self, extra):
        with pytest.raises(RollbackIntegrityError) as caught:
            self.buffer.rollback(len(self.contents) - 1 + extra)
        assert caught.value.reason is Reason.PAST_START

    @precondition(lambda self: len(self.contents) > 1)
    @rule(data=st.data())
    def rollback_only(self, data):
        """Against a model that knows which characters each splice brought: what is left must be all the others'."""
        log = self.buffer.log
        inverse = data.draw(st.sampled_from(log))
        index = log.index(inverse)
        before = self.contents[-1]
        cells = origins(self.contents[0], log)
        try:
            self.buffer.rollback_only(inverse)
        except RollbackIntegrityError as refusal:
            assert refusal.reason is Reason.OVERLAP and self.buffer.content == before
            return
        after = self.buffer.content
        own = [place for place, (_, origin) in enumerate(cells) if origin == index]
        if own:
            assert after == before[: own[0]] + inverse.removed + before[own[-1] + 1 :]
        assert len(after) == len(before) - len(inverse.inserted) + len(inverse.removed)
        replayed = [self.contents[index]]
        for later in self.buffer.log[index:]:
            replayed.append(later.redo(replayed[-1]))
        assert replayed[-1] == after
        self.contents[index:] = replayed
        self._forget_checkpoints(index)

    @rule()
    def crash_and_recover(self):
        recovered = recover(self.journal)
        assert recovered.log == self.buffer.log
        assert recovered._checkpoint_depth == self.buffer._checkpoint_depth
        self.buffer = recovered

    @rule()
    def compact(self):
        self.buffer.compact()
        self.contents = self.contents[-1:]
        self.checkpoints = [(0, self.buffer.checkpoint())]

    @invariant()
    def agrees_with_the_model(self):
        assert self.buffer.content == self.contents[-1]
        assert self.buffer.digest == digest(self.contents[-1])
        assert len(self.buffer.log) == len(self.contents) - 1

    def _forget_checkpoints(self, depth: int | None = None):
        last = len(self.contents) - 1 if depth is None else depth
        self.checkpoints = [known for known in self.checkpoints if known[0] <= last]


def origins(base, log):
    """Return the characters after all splices of `log`, each with the number of the splice that brought it."""
    cells = [(character, None) for character in base]
    for number, inverse in enumerate(log):
        cells[inverse.offset : inverse.offset + len(inverse.removed)] = [(new, number) for new in inverse.inserted]
    return cells


REGIONS = st.sampled_from("abc")


class StoreMachine(RuleBasedStateMachine):
    """The model runs every transaction alone on the whole state; a commit must equal that, a refusal have a cause.

    A transaction writes into a region what it read from another, so a lost or stale read shows in the content.
    """

    def __init__(self) -> None:
        super().__init__()
        self.journal = FailingJournal()
        self.store = ContextStore({"a": "0"}, journal=self.journal)
        self.model = {"a": "0"}
        self.open: list[tuple[str, str, object]] = []
        self.commits: list[tuple[object, dict[str, str]]] = []
        self.steps = 0

    @rule(region=REGIONS, content=st.one_of(st.none(), st.text("xy", max_size=3)))
    def write(self, region, content):
        before = dict(self.model)
        commit = self.store.write(region, content)
        if content is None:
            self.model.pop(region, None)
        else:
            self.model[region] = content
        self.commits.append((commit, before))

    @rule(source=REGIONS, written=REGIONS)
    def begin(self, source, written):
        transaction = Transaction(self.store.snapshot())
        self.steps += 1
        transaction.append(written, f"[{self.steps}:{len(transaction.get(source) or '')}]")
        self.open.append((source, written, transaction))

    @precondition(lambda self: self.open)
    @rule(data=st.data(), failing=st.booleans())
    def commit(self, data, failing):
        source, target, transaction = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        stale = transaction.base.regions.get(source) != self.model.get(source)
        self.journal.failures = int(failing)
        before = dict(self.model)
        try:
            commit = self.store.apply(transaction.diff, transaction.base)
        except StaleBaseError as refusal:
            self.journal.failures = 0
            assert stale and refusal.reason is Reason.READ_SET_DRIFT and refusal.regions == (source,)
        except RollbackIntegrityError as refusal:
            assert failing and not stale and refusal.reason is Reason.NOT_COMMITTED
        else:
            assert not stale and not failing
            self.model[target] = self.model.get(target, "") + transaction.diff.edits[0].insert
            self.commits.append((commit, before))

    @precondition(lambda self: self.commits)
    @rule()
    def rollback_last(self):
        """With nothing in between the rollback is exact; the commit before is then the last one again."""
        commit, before = self.commits.pop()
        if commit.snapshot != self.store.snapshot() and commit.snapshot.regions != self.store.snapshot().regions:
            return
        self.store.rollback(commit)
        self.model = before

    @rule()
    def crash_and_recover(self):
        revision = self.store.revision
        self.store = ContextStore.recover(self.journal)
        assert self.store.revision == revision

    @invariant()
    def agrees_with_the_model(self):
        assert self.store.snapshot().regions == self.model


TestBuffer = BufferMachine.TestCase
TestBuffer.settings = SETTINGS
TestStore = StoreMachine.TestCase
TestStore.settings = SETTINGS
