"""One test for each statement about stale bases; the name bears its number."""

from __future__ import annotations

import pytest

from ctxlint.runtime import (
    Anchor,
    AppendTo,
    ConflictError,
    ContentHash,
    ContextStore,
    Diff,
    Identifier,
    LineAnchor,
    Quote,
    Reason,
    ReplaceAnchored,
    SetRegion,
    Snapshot,
    SpliceAt,
    StaleBaseError,
    UnreachableRollbackError,
    anchor,
    apply_self_diff,
    digest,
)

CONSTRAINTS = "lines 120-160: constraints\n"
RETRIEVED = "lines 800-860: old retrieval results\n"
BASE = Snapshot(41, {"plan": "the plan", "constraints": CONSTRAINTS, "retrieval": RETRIEVED})


def advanced(**changes: str | None) -> Snapshot:
    """Return revision 42: `BASE` with some regions changed, or removed."""
    regions = {region: content for region, content in {**BASE.regions, **changes}.items() if content is not None}
    return Snapshot(42, regions)


def refused(live: Snapshot, diff: Diff, kind: type[StaleBaseError] = StaleBaseError) -> StaleBaseError:
    with pytest.raises(kind) as caught:
        apply_self_diff(BASE, live, diff)
    assert (caught.value.base_revision, caught.value.live_revision) == (41, live.revision)
    return caught.value


def test_the_observed_run_is_rejected_naming_the_region():
    """Revision 41 to 42 with a retrieval write in between: no textual conflict, and yet invalid."""
    insert = Diff(
        (AppendTo("constraints", "cite the retrieval results\n"),),
        read_set=frozenset({"constraints", "retrieval"}),
    )
    live = advanced(retrieval="lines 800-860: a new document\n")
    refusal = refused(live, insert)
    assert refusal.reason is Reason.READ_SET_DRIFT
    assert refusal.regions == ("retrieval",)
    message = str(refusal)
    assert "r=41" in message and "r=42" in message and BASE.digest in message and live.digest in message
    assert "'retrieval'" in message


def test_a1_valid_when_the_digests_are_equal():
    diff = Diff((AppendTo("plan", "!"),), read_set=frozenset(BASE.regions))
    after = apply_self_diff(BASE, Snapshot(45, BASE.regions), diff)
    assert after.regions["plan"] == "the plan!"
    assert after.revision == 46


def test_a1_valid_when_everything_read_is_identical():
    diff = Diff((AppendTo("constraints", "x"),), read_set=frozenset({"plan"}))
    assert apply_self_diff(BASE, advanced(retrieval="other"), diff).regions["constraints"] == CONSTRAINTS + "x"


@pytest.mark.parametrize("change", [{"plan": "another"}, {"plan": None}, {"new": "region"}])
def test_a1_reading_includes_absence(change):
    diff = Diff((AppendTo("constraints", "x"),), read_set=frozenset({"plan", "new"}))
    assert refused(advanced(**change), diff).regions == tuple(change)


def test_a1_relying_on_which_regions_exist():
    diff = Diff((AppendTo("constraints", "x"),), reads_ids=True)
    assert refused(advanced(new="region"), diff).regions == ("new",)
    assert apply_self_diff(BASE, advanced(plan="same regions"), diff).revision == 43


@pytest.mark.parametrize(
    "reference",
    [
        Quote("old retrieval results", "retrieval"),
        Quote("old retrieval results"),
        Identifier("retrieval", "retrieval"),
        LineAnchor("retrieval", 1, "lines 800-860: old retrieval results"),
        ContentHash(digest(RETRIEVED), "retrieval"),
        ContentHash(digest(RETRIEVED)),
    ],
)
def test_a2_references_resolve_in_the_live_content_not_merely_in_the_base(reference):
    diff = Diff((AppendTo("constraints", "x"),), references=(reference,))
    assert apply_self_diff(BASE, BASE, diff).revision == 42
    refusal = refused(advanced(retrieval="a new document"), diff)
    assert refusal.reason is Reason.UNRESOLVED_REFERENCE


def test_a2_identifiers_are_whole_words():
    live = advanced(plan="my_plan2")
    assert not Identifier("my_plan").resolves(live)
    assert Identifier("my_plan2").resolves(live)


@pytest.mark.parametrize("line", [0, -1, 2, 99])
def test_a2_line_anchors_count_from_one_and_do_not_wrap(line):
    assert not LineAnchor("plan", line, "the plan").resolves(BASE)


def test_a3_the_inverse_still_anchors_after_one_more_write():
    store = ContextStore({"notes": "alpha beta gamma"})
    commit = store.apply(Diff((ReplaceAnchored("notes", anchor("beta"), "BETA"),)), store.snapshot())
    store.update(lambda tx: tx.write("notes", "before " + tx.read("notes") + " after"))
    store.rollback(commit)
    assert store.snapshot().regions["notes"] == "before alpha beta gamma after"


def test_a3_an_inverse_that_only_fits_the_present_is_not_enough():
    """A positional inverse restores the text today and loses its place at the next write."""
    positional = Diff((SpliceAt("plan", 0, 3, "the"),))
    diff = Diff((ReplaceAnchored("plan", anchor("the"), "our"),), inverse=positional)
    refusal = refused(BASE, diff, UnreachableRollbackError)
    assert refusal.reason is Reason.UNREACHABLE_ROLLBACK and refusal.regions == ("plan",)


def test_a4_drift_in_the_read_set_names_digests_revisions_and_every_region():
    diff = Diff((AppendTo("constraints", "x"),), read_set=frozenset({"plan", "retrieval"}))
    refusal = refused(advanced(plan="1", retrieval="2", constraints="3"), diff)
    assert refusal.regions == ("plan", "retrieval")


@pytest.mark.parametrize(
    ("live", "accepted"),
    [
        ("0123456789", True),
        ("012345678X", True),
        ("0123456X89", True),
        ("012345X789", True),
        ("01234X6789", False),
        ("X0123456789", False),
        ("01234", False),
    ],
)
def test_a5_positions_are_refused_when_the_base_advanced_at_or_before_them(live, accepted):
    base = Snapshot(1, {"r": "0123456789"})
    diff = Diff((SpliceAt("r", 5, 1, "-"),))
    if accepted:
        assert apply_self_diff(base, Snapshot(2, {"r": live}), diff).regions["r"] == live[:5] + "-" + live[6:]
    else:
        with pytest.raises(StaleBaseError) as caught:
            apply_self_diff(base, Snapshot(2, {"r": live}), diff)
        assert caught.value.reason is Reason.POSITIONAL_ANCHOR
        assert caught.value.regions == ("r",) and "position 5" in str(caught.value)


def test_a5_a_position_is_no_licence_to_overwrite_what_changed_behind_it():
    base, live = Snapshot(1, {"r": "0123456789"}), Snapshot(2, {"r": "0123456X89"})
    with pytest.raises(ConflictError) as caught:
        apply_self_diff(base, live, Diff((SpliceAt("r", 5, 4, "-"),)))
    assert caught.value.reason is Reason.WRITE_SET_DRIFT


def test_a6_what_cannot_be_rolled_back_is_not_rolled_forward():
    """Both places are the same text afterwards, so the author's anchor for the way back names neither."""
    diff = Diff(
        (ReplaceAnchored("plan", anchor("the plan"), "a a"),),
        inverse=Diff((ReplaceAnchored("plan", anchor("a"), "the plan"),)),
    )
    refusal = refused(BASE, diff, UnreachableRollbackError)
    assert isinstance(refusal, StaleBaseError) and refusal.reason is Reason.UNREACHABLE_ROLLBACK


def test_a6_a_region_of_which_nothing_is_left_is_restored_as_a_whole():
    store = ContextStore({"plan": "the plan", "log": ""})
    emptied = store.apply(Diff((ReplaceAnchored("plan", anchor("the plan"), ""),)), store.snapshot())
    filled = store.append("log", "first")
    store.append("log", " second")
    store.rollback(filled)
    store.rollback(emptied)
    assert store.snapshot().regions == {"plan": "the plan", "log": " second"}


@pytest.mark.parametrize(
    "inverse",
    [
        Diff((SetRegion("plan", "something else"),)),
        Diff(()),
        Diff((ReplaceAnchored("plan", anchor("not there"), "the"),)),
        Diff((SetRegion("plan", "the plan"), SetRegion("retrieval", "collateral"))),
    ],
)
def test_a6_a_given_inverse_must_restore_the_context(inverse):
    refused(BASE, Diff((SetRegion("plan", "new"),), inverse=inverse), UnreachableRollbackError)


def test_a7_the_authors_own_writes_are_drift():
    """The same agent writes tool output while it composes the diff."""
    store = ContextStore(BASE.regions)
    with pytest.raises(StaleBaseError) as caught, store.transaction() as tx:
        tx.append("constraints", "about " + tx.read("retrieval"))
        store.write("retrieval", "the tool output of this very agent")
    assert caught.value.regions == ("retrieval",)
    assert store.snapshot().regions["constraints"] == CONSTRAINTS


def test_a8_drift_outside_the_read_set_is_no_reason_to_reject():
    store = ContextStore(BASE.regions)
    with store.transaction() as tx:
        tx.append("constraints", "about " + tx.read("plan"))
        store.write("retrieval", "drift")
        store.append("constraints", "more drift, where the diff writes and does not read; ")
    assert (
        store.snapshot()
        .regions["constraints"]
        .endswith("more drift, where the diff writes and does not read; about the plan")
    )


def test_a8_retries_are_bounded_and_say_so():
    store = ContextStore(BASE.regions)
    runs = []

    def author(tx):
        runs.append(tx.base.revision)
        tx.append("constraints", tx.read("retrieval"))
        store.append("retrieval", "again")

    with pytest.raises(StaleBaseError) as caught:
        store.update(author, attempts=3)
    assert caught.value.reason is Reason.RETRIES_EXHAUSTED
    assert caught.value.regions == ("retrieval",)
    assert caught.value.__cause__.reason is Reason.READ_SET_DRIFT
    assert runs == [0, 1, 2]


def test_a8_a_refusal_that_no_fresh_base_can_change_is_not_retried():
    store, runs = ContextStore(BASE.regions), []

    def author(tx):
        runs.append(1)
        tx.refer(Quote("nowhere"))
        tx.append("plan", "x")

    with pytest.raises(StaleBaseError) as caught:
        store.update(author)
    assert caught.value.reason is Reason.UNRESOLVED_REFERENCE and runs == [1]


def test_a9_staleness_comes_before_reconciliation():
    """Everything is wrong with this diff; what was read is what counts."""
    diff = Diff(
        (SetRegion("plan", "mine"), SpliceAt("retrieval", 0, 0, "x")),
        read_set=frozenset({"constraints"}),
        references=(Quote("nowhere"),),
    )
    live = advanced(plan="theirs", constraints="drifted", retrieval="X" + RETRIEVED)
    assert refused(live, diff).reason is Reason.READ_SET_DRIFT
    no_reads = Diff(diff.edits, references=diff.references)
    assert refused(live, no_reads).reason is Reason.POSITIONAL_ANCHOR
    assert refused(advanced(plan="theirs"), no_reads).reason is Reason.UNRESOLVED_REFERENCE
    assert refused(advanced(plan="theirs"), Diff((SetRegion("plan", "mine"),))).reason is Reason.WRITE_SET_DRIFT


def test_a10_write_drift_is_merged_when_every_anchor_resolves_uniquely():
    diff = Diff((ReplaceAnchored("plan", anchor("plan", before="the "), "draft"),))
    assert apply_self_diff(BASE, advanced(plan="this is the plan now"), diff).regions["plan"] == "this is the draft now"


@pytest.mark.parametrize("live", ["the plan and the plan", "nothing of it", None])
def test_a10_otherwise_it_is_a_conflict(live):
    diff = Diff((ReplaceAnchored("plan", anchor("plan", before="the "), "draft"),))
    refusal = refused(advanced(plan=live), diff, ConflictError)
    assert isinstance(refusal, StaleBaseError)
    assert refusal.reason is Reason.WRITE_SET_DRIFT and refusal.regions == ("plan",)


@pytest.mark.parametrize("change", [{"plan": "theirs"}, {"plan": None}])
def test_a10_a_whole_region_is_never_overwritten_over_drift(change):
    assert refused(advanced(**change), Diff((SetRegion("plan", "mine"),)), ConflictError).regions == ("plan",)


def test_a10_one_anchor_that_fails_refuses_all_edits():
    store = ContextStore({"a": "one", "b": "two"})
    base = store.snapshot()
    store.write("b", "2")
    with pytest.raises(ConflictError):
        store.apply(Diff((AppendTo("a", "!"), ReplaceAnchored("b", anchor("two"), "three"))), base)
    assert store.snapshot().regions == {"a": "one", "b": "2"}


def test_a11_the_rollback_at_b2_is_refused_when_its_anchor_is_gone():
    """The second half of the observed run: the base advances once more before the rollback."""
    store = ContextStore(BASE.regions)
    commit = store.append("constraints", "the new constraint block\n")
    store.write("constraints", "rewritten by someone else")
    before = store.snapshot()
    with pytest.raises(UnreachableRollbackError) as caught:
        store.rollback(commit)
    assert caught.value.regions == ("constraints",)
    assert store.snapshot() == before


def test_a11_the_rollback_at_b2_is_anchored_when_the_write_went_elsewhere():
    store = ContextStore(BASE.regions)
    commit = store.append("constraints", "the new constraint block\n")
    store.append("constraints", "and a later one\n")
    store.write("retrieval", "B2")
    store.rollback(commit)
    assert store.snapshot().regions["constraints"] == CONSTRAINTS + "and a later one\n"


def test_a11_a_rollback_is_not_done_twice():
    store = ContextStore(BASE.regions)
    commit = store.append("constraints", "block")
    store.rollback(commit)
    with pytest.raises(UnreachableRollbackError):
        store.rollback(commit)


@pytest.mark.parametrize("region", ["plan", "fresh"])
@pytest.mark.parametrize("content", ["new", None])
def test_a11_whole_regions_are_restored_and_not_over_later_content(region, content):
    store = ContextStore(BASE.regions)
    commit = store.write(region, content)
    store.write("retrieval", "elsewhere")
    again = store.rollback(commit)
    assert store.snapshot().regions.get(region) == BASE.regions.get(region)
    store.rollback(again)
    assert store.snapshot().regions.get(region) == content
    store.append(region, " and a later word")
    with pytest.raises(UnreachableRollbackError):
        store.rollback(commit)


def test_a12_identity_is_a_full_digest_over_unambiguous_encoding():
    left, right = Snapshot(1, {"ab": "c"}), Snapshot(1, {"a": "bc"})
    assert left.digest != right.digest
    assert len(left.digest) == 64
    assert Snapshot(1, {"a": "1", "b": "2"}).digest == Snapshot(9, {"b": "2", "a": "1"}).digest


def test_a13_one_step_that_nothing_can_interleave_is_exempt():
    store = ContextStore(BASE.regions)
    commit = store.update(lambda tx: tx.write("plan", tx.read("plan") + tx.read("retrieval")))
    assert commit.before.regions == BASE.regions and commit.snapshot.revision == 1


def test_a_base_from_the_future_is_refused():
    with pytest.raises(StaleBaseError) as caught:
        apply_self_diff(Snapshot(50, BASE.regions), BASE, Diff((AppendTo("plan", "x"),)))
    assert caught.value.reason is Reason.UNKNOWN_BASE


def test_edits_of_one_diff_do_not_shift_each_other():
    base = Snapshot(1, {"r": "one two three"})
    diff = Diff(
        (
            ReplaceAnchored("r", anchor("one"), "1"),
            SpliceAt("r", 8, 5, "3"),
            ReplaceAnchored("r", anchor("two"), "zwei"),
        )
    )
    assert apply_self_diff(base, base, diff).regions["r"] == "1 zwei 3"
    with pytest.raises(StaleBaseError):
        apply_self_diff(base, base, Diff((SpliceAt("r", 0, 5, ""), SpliceAt("r", 4, 2, ""))))
    with pytest.raises(ValueError, match="set as a whole and edited"):
        apply_self_diff(base, base, Diff((SetRegion("r", "x"), AppendTo("r", "y"))))


def test_adjacent_edits_are_inverted_in_their_own_coordinates():
    store = ContextStore({"r": "aXbXc"})
    diff = Diff((SpliceAt("r", 1, 1, "long"), SpliceAt("r", 2, 0, "+"), SpliceAt("r", 3, 1, "")))
    commit = store.apply(diff, store.snapshot())
    assert store.snapshot().regions["r"] == "along+bc"
    store.rollback(commit)
    assert store.snapshot().regions["r"] == "aXbXc"


def test_snapshots_do_not_change_with_what_they_were_made_from():
    regions = {"a": "1"}
    snapshot = Snapshot(1, regions)
    regions["a"] = "2"
    assert snapshot.regions["a"] == "1"
    with pytest.raises(TypeError):
        snapshot.regions["a"] = "3"
    with pytest.raises(TypeError):
        Snapshot(1, {"a": ["mutable"]})


def test_a_transaction_sees_its_own_edits_and_reports_what_it_read():
    store = ContextStore({"a": "one two", "b": "x"})
    with store.transaction() as tx:
        tx.replace("a", "two", "three")
        tx.append("a", "!")
        assert tx.diff.read_set == frozenset()
        assert tx.read("a") == "one three!"
        tx.write("b", "y")
        tx.replace("b", Anchor("y", "", ""), "z")
        tx.delete("c")
        assert tx.get("c") is None and tx.read("b") == "z"
        assert tx.diff.read_set == {"a", "b", "c"} and tx.diff.write_set == {"a", "b", "c"}
        with pytest.raises(KeyError):
            tx.read("nowhere")
        with pytest.raises(StaleBaseError):
            tx.replace("a", "nowhere", "x")
    assert store.snapshot().regions == {"a": "one three!", "b": "z"}


def test_a_transaction_that_raises_is_dropped():
    store = ContextStore({"a": "1"})
    with pytest.raises(ZeroDivisionError), store.transaction() as tx:
        tx.write("a", "2")
        raise ZeroDivisionError
    assert store.revision == 0


def test_reading_alone_commits_nothing_but_is_validated():
    store = ContextStore({"a": "1"})
    assert store.update(lambda tx: tx.read("a")).snapshot is store.snapshot()
    with pytest.raises(StaleBaseError), store.transaction() as tx:
        tx.read("a")
        store.write("a", "2")
