"""One test for each statement about rollback; the name bears its number."""

from __future__ import annotations

import dataclasses

import pytest

from ctxlint.runtime import (
    ContextStore,
    JournalCorruptError,
    JournalError,
    MemoryJournal,
    Reason,
    RewriteBuffer,
    RollbackIntegrityError,
    anchor,
    recover,
)

from .failing import FailingJournal


def refused(action, *arguments) -> RollbackIntegrityError:
    with pytest.raises(RollbackIntegrityError) as caught:
        action(*arguments)
    return caught.value


def test_the_observed_run_aborts_instead_of_dropping_the_record():
    """int becomes list[int]; the append of an overlapping rewrite is dropped under pressure; then all is undone."""
    journal = FailingJournal()
    buffer = RewriteBuffer("x: int = 1; y: str", journal=journal)
    before = buffer.digest
    buffer.replace("int", "list[int]")
    first = buffer.content
    journal.failures = 1
    refusal = refused(buffer.replace, "list[int]", "dict[str, int]")
    assert refusal.reason is Reason.NOT_COMMITTED
    assert str(refusal).startswith("inverse record not committed")
    assert isinstance(refusal.__cause__, OSError)
    assert buffer.content == first
    buffer.replace("[int]", "[float]")
    buffer.rollback(2)
    assert buffer.content == "x: int = 1; y: str" and buffer.digest == before


def test_b1_the_inverse_is_committed_before_the_mutation():
    seen = []

    class Watching(MemoryJournal):
        def append(self, record):
            seen.append(buffer.content if seen else None)
            super().append(record)

    journal = Watching()
    buffer = RewriteBuffer("old", journal=journal)
    buffer.splice(0, 3, "new")
    assert seen == [None, "old"]
    assert b'"removed":"old"' in journal.records()[-1]


def test_b2_every_mutation_is_recoverable():
    journal = MemoryJournal()
    buffer = RewriteBuffer("one two", journal=journal)
    buffer.checkpoint()
    buffer.splice(0, 3, "1")
    second = buffer.splice(2, 3, "2")
    buffer.splice(0, 0, ">")
    buffer.rollback_only(second)
    again = recover(journal)
    assert (again.content, again.digest, again.log) == (buffer.content, buffer.digest, buffer.log)
    again.rollback(2)
    assert again.content == "one two"


def test_b3_inverse_records_hold_content_anchors():
    buffer = RewriteBuffer("the quick brown fox")
    inverse = buffer.replace("quick", "slow")
    assert dataclasses.asdict(inverse) == {
        "offset": 4,
        "removed": "quick",
        "inserted": "slow",
        "before": "the ",
        "after": " brown fox",
        "digest_before": RewriteBuffer("the quick brown fox").digest,
        "digest_after": buffer.digest,
    }


def test_b3_later_edits_do_not_shift_what_is_undone():
    buffer = RewriteBuffer("abc")
    buffer.splice(2, 1, "C")
    buffer.splice(0, 0, "long prefix ")
    buffer.splice(0, 5, "")
    buffer.rollback(3)
    assert buffer.content == "abc"


def test_b3_an_image_cannot_share_what_can_still_change():
    with pytest.raises(TypeError, match="immutable"):
        RewriteBuffer(({"role": "user"},))
    with pytest.raises(TypeError, match="immutable"):
        RewriteBuffer((1, ("nested", ["list"])))
    with pytest.raises(TypeError, match="text or a tuple"):
        RewriteBuffer(["a list could be changed behind the log"])
    with pytest.raises(TypeError, match="holds text"):
        RewriteBuffer("text").splice(0, 0, ("token",))


def test_b4_rollback_is_last_in_first_out():
    buffer = RewriteBuffer("0")
    states = [buffer.content]
    for step in range(1, 6):
        buffer.splice(0, len(buffer.content), str(step))
        states.append(buffer.content)
    while states:
        assert buffer.content == states.pop()
        if states:
            buffer.rollback()


@pytest.mark.parametrize("overlap", ["allow", "forbid"])
def test_b5_a_failed_append_leaves_the_buffer_byte_identical(overlap):
    journal = FailingJournal()
    buffer = RewriteBuffer("abcdef", journal=journal, overlap=overlap)
    kept = buffer.splice(0, 1, "A")
    checkpoint = buffer.checkpoint()
    state = (buffer.content, buffer.digest, buffer.log, journal.records())
    for action in (
        lambda: buffer.splice(2, 2, "x"),
        lambda: buffer.replace(anchor("d"), "x"),
        lambda: buffer.absorb("foreign"),
        lambda: buffer.rollback(),
        lambda: buffer.rollback_only(kept),
        buffer.checkpoint,
    ):
        journal.failures = 1
        assert refused(action).reason is Reason.NOT_COMMITTED
        assert (buffer.content, buffer.digest, buffer.log, journal.records()) == state
    buffer.splice(2, 2, "x")
    buffer.rollback_to(checkpoint)
    assert (buffer.content, buffer.digest, buffer.log) == state[:3]


def test_b6_overlapping_splices_roll_back_exactly():
    buffer = RewriteBuffer("0123456789")
    buffer.splice(2, 4, "abcdefgh")
    buffer.splice(0, 6, "")
    buffer.splice(1, 2, "XYZ")
    buffer.rollback(3)
    assert buffer.content == "0123456789"


@pytest.mark.parametrize(
    ("offset", "length", "allowed"),
    [
        (3, 2, False),
        (2, 1, False),
        (4, 0, False),
        (0, 8, False),
        (0, 2, True),
        (5, 3, True),
        (2, 0, True),
        (5, 0, True),
    ],
)
def test_b6_overlap_can_be_forbidden_until_a_checkpoint(offset, length, allowed):
    journal = MemoryJournal()
    buffer = RewriteBuffer("0123456789", journal=journal, overlap="forbid")
    buffer.splice(2, 4, "abc")
    buffer = recover(journal)
    if not allowed:
        assert refused(buffer.splice, offset, length, "-").reason is Reason.OVERLAP
        buffer.checkpoint()
        buffer = recover(journal)
    buffer.splice(offset, length, "-")


def test_b6_spans_move_with_edits_ahead_of_them_and_end_with_rollback():
    buffer = RewriteBuffer("0123456789", overlap="forbid")
    buffer.splice(5, 2, "ab")
    buffer.splice(0, 1, "long")
    assert refused(buffer.splice, 8, 1, "-").reason is Reason.OVERLAP
    buffer.splice(5, 1, "-")
    buffer.rollback(2)
    buffer.splice(0, 1, "-")
    assert refused(buffer.splice, 5, 1, "-").reason is Reason.OVERLAP


def test_b6_a_span_moves_when_something_is_inserted_right_before_it():
    buffer = RewriteBuffer("0123456789", overlap="forbid")
    buffer.splice(5, 2, "ab")
    buffer.splice(5, 0, "xx")
    assert refused(buffer.splice, 8, 1, "-").reason is Reason.OVERLAP
    buffer.splice(9, 1, "-")


def test_b7_a_splice_keeps_its_place_while_edits_ahead_of_it_move_it():
    buffer = RewriteBuffer("0123456789")
    first = buffer.splice(5, 1, "AAA")
    buffer.splice(0, 1, "long-")
    buffer.splice(7, 1, "b")
    buffer.splice(12, 1, "z")
    assert buffer.content == "long-12b4AAAz789"
    buffer.rollback_only(first)
    assert buffer.content == "long-12b45z789"


def test_b7_selective_rollback_replays_from_the_head():
    buffer = RewriteBuffer("one two three")
    first = buffer.replace("one", "1111")
    buffer.replace("three", "3")
    buffer.splice(0, 0, ">> ")
    buffer.rollback_only(first)
    assert buffer.content == ">> one two 3"
    buffer.rollback(2)
    assert buffer.content == "one two three"


def test_b7_selective_rollback_is_refused_where_a_later_splice_touched_it():
    buffer = RewriteBuffer("one two three")
    first = buffer.replace("one", "1111")
    later = buffer.replace("11 two", "x")
    state = (buffer.content, buffer.log)
    assert refused(buffer.rollback_only, first).reason is Reason.OVERLAP
    assert (buffer.content, buffer.log) == state
    buffer.rollback_only(later)
    buffer.rollback_only(first)
    assert buffer.content == "one two three"
    assert refused(buffer.rollback_only, first).reason is Reason.PAST_START


def test_b7_inserts_at_the_very_place_of_a_deletion_are_ambiguous():
    buffer = RewriteBuffer("abc")
    deletion = buffer.splice(1, 1, "")
    buffer.splice(1, 0, "X")
    assert refused(buffer.rollback_only, deletion).reason is Reason.OVERLAP


def test_b8_the_digest_after_rollback_is_compared():
    """Tampering outside every anchor: the inverse fits, and the result is still not what it was."""
    buffer = RewriteBuffer("x" * 100 + "old" + "y" * 100)
    buffer.replace("old", "new")
    content, current = buffer._state
    buffer._state = ("Z" + content[1:], current)
    assert refused(buffer.rollback).reason is Reason.DIGEST_MISMATCH
    assert buffer.content[0] == "Z" and len(buffer.log) == 1


def test_b9_not_committed():
    with pytest.raises(RollbackIntegrityError, match="inverse record not committed"):
        RewriteBuffer("abc", journal=FailingJournal(1))


def test_b9_past_the_start_of_the_log():
    buffer = RewriteBuffer("abc")
    checkpoint = buffer.checkpoint()
    buffer.splice(0, 1, "A")
    later = buffer.checkpoint()
    with pytest.raises(RollbackIntegrityError, match="rollback past start of log") as caught:
        buffer.rollback(2)
    assert caught.value.reason is Reason.PAST_START and buffer.content == "Abc"
    buffer.rollback_to(checkpoint)
    assert refused(buffer.rollback_to, later).reason is Reason.PAST_START
    with pytest.raises(ValueError, match="-1"):
        buffer.rollback(-1)
    buffer.rollback(0)
    assert buffer.content == "abc"


def test_b9_anchor_mismatch():
    buffer = RewriteBuffer("one two three")
    buffer.replace("two", "2")
    content, current = buffer._state
    buffer._state = (content.replace("2", "?"), current)
    with pytest.raises(RollbackIntegrityError, match="anchor mismatch: buffer diverged from undo log") as caught:
        buffer.rollback()
    assert caught.value.reason is Reason.ANCHOR_MISMATCH and buffer.content == "one ? three"


def test_b9_a_checkpoint_of_another_history_is_refused():
    buffer = RewriteBuffer("abc")
    buffer.splice(0, 1, "x")
    checkpoint = buffer.checkpoint()
    buffer.rollback()
    buffer.splice(0, 1, "y")
    assert refused(buffer.rollback_to, checkpoint).reason is Reason.ANCHOR_MISMATCH


@pytest.mark.parametrize(("offset", "length"), [(-1, 0), (0, -1), (4, 0), (2, 2), (10, 1)])
def test_spans_outside_the_buffer_are_errors_and_never_wrap(offset, length):
    with pytest.raises(IndexError):
        RewriteBuffer("abc").splice(offset, length, "x")


def test_an_anchor_must_name_exactly_one_place():
    buffer = RewriteBuffer("a b a b")
    assert refused(buffer.replace, "a", "x").reason is Reason.ANCHOR_MISMATCH
    assert refused(buffer.replace, "c", "x").reason is Reason.ANCHOR_MISMATCH
    buffer.replace(anchor("a", before="b "), "x")
    assert buffer.content == "a b x b"


def test_tokens_and_lines_are_spliced_like_text():
    journal = MemoryJournal()
    buffer = RewriteBuffer(("def", b"raw", 7, None, ("nested", 1.5)), journal=journal)
    buffer.splice(1, 2, ("x", "y", "z"))
    buffer.replace(("y", "z"), ())
    assert buffer.content == ("def", "x", None, ("nested", 1.5))
    again = recover(journal)
    assert again.content == buffer.content
    again.rollback(2)
    assert again.content == ("def", b"raw", 7, None, ("nested", 1.5))


def test_foreign_changes_are_recorded_as_one_splice():
    buffer = RewriteBuffer("one two three")
    mine = buffer.replace("three", "3")
    foreign = buffer.absorb("one TWO 3")
    assert foreign.removed == "two" and foreign.inserted == "TWO"
    assert buffer.absorb("one TWO 3") is None
    buffer.rollback_only(mine)
    assert buffer.content == "one TWO three"


def test_compaction_forgets_the_log_and_keeps_the_content():
    journal = MemoryJournal(capacity=3)
    buffer = RewriteBuffer("a", journal=journal)
    buffer.splice(1, 0, "b")
    buffer.splice(2, 0, "c")
    assert refused(buffer.splice, 3, 0, "d").__cause__.reason is Reason.JOURNAL_FULL
    buffer.compact()
    buffer.splice(3, 0, "d")
    assert recover(journal).content == "abcd"
    assert refused(buffer.rollback, 2).reason is Reason.PAST_START


def test_an_interrupt_between_record_and_change_leaves_the_buffer_in_doubt():
    class Interrupted(MemoryJournal):
        armed = False

        def append(self, record):
            super().append(record)
            if self.armed:
                raise KeyboardInterrupt

    journal = Interrupted()
    buffer = RewriteBuffer("abc", journal=journal)
    journal.armed = True
    with pytest.raises(KeyboardInterrupt):
        buffer.splice(0, 1, "A")
    journal.armed = False
    assert buffer.content == "abc"
    assert refused(buffer.splice, 1, 1, "B").reason is Reason.IN_DOUBT
    assert recover(journal).content == "Abc"


def test_a_journal_is_not_mixed_up_with_another_buffers():
    journal = MemoryJournal()
    with pytest.raises(JournalError) as caught:
        recover(journal)
    assert caught.value.reason is Reason.JOURNAL_EMPTY
    RewriteBuffer("abc", journal=journal)
    with pytest.raises(JournalError) as caught:
        RewriteBuffer("other", journal=journal)
    assert caught.value.reason is Reason.JOURNAL_NOT_EMPTY


@pytest.mark.parametrize(
    "record", [b"\xff", b"[]", b"{}", b'{"op":"splice"}', b'{"op":"unknown"}', b'{"op":"rollback"}']
)
def test_records_of_something_else_are_refused(record):
    journal = MemoryJournal()
    RewriteBuffer("abc", journal=journal)
    journal.append(record)
    with pytest.raises(JournalCorruptError):
        recover(journal)
    with pytest.raises(JournalCorruptError):
        ContextStore.recover(journal)
    journal.rotate([record])
    with pytest.raises(JournalCorruptError):
        recover(journal)


def test_a_journal_with_a_missing_record_is_refused():
    journal = MemoryJournal()
    buffer = RewriteBuffer("abc", journal=journal)
    buffer.splice(0, 1, "x")
    buffer.splice(2, 1, "y")
    base, _, last = journal.records()
    journal.rotate([base, last])
    assert refused(recover, journal).reason is Reason.ANCHOR_MISMATCH
