"""A project's own policies on the checks of the built-in rules: an order of calls, and a lock over a cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlint.cli.main import main

DOC = 'doc = """\n' + "".join(f"## {name}\nText.\n" for name in ("What it does", "Why is this bad", "When it is fine", "Fix safety")) + '"""\n'
HEAD = 'title = "A policy"\nseverity = "error"\nstatus = "stable"\nsince = "1"\n'
ORDER = (
    'code = "PAY1"\nname = "audited-charge"\n' + HEAD + 'message = "`{then}` is reached without `{first}`"\ncheck = "precedes"\n' + DOC
    + '[with]\nfirst = "audit.append"\nthen = "payments.charge"\n'
)
LOCK = (
    'code = "PAY2"\nname = "locked-balance"\n' + HEAD + 'message = "`{cell}` is changed while `{lock}` is not held"\ncheck = "under_lock"\n' + DOC
    + '[with]\ncell = "Account.balance"\nlock = "Account.lock"\n'
)
OTHERS = {"audit.py": "def append(x):\n    print(x)\n", "payments.py": "def charge(x):\n    print(-x)\n"}


def found(tmp_path: Path, policy: str, program: str) -> list[int]:
    """The lines that the policy reports in `program`, which may import `audit` and `payments`."""
    project, policies, report = tmp_path / "project", tmp_path / "policies", tmp_path / "report.json"
    code = policy.split('"')[1]
    project.mkdir()
    policies.mkdir()
    (policies / f"{code}.toml").write_text(policy)
    for name, text in {**OTHERS, "bank.py": program}.items():
        (project / name).write_text(text)
    main(["check", "--isolated", "--no-cache", "--config", f"rule-paths = ['{policies.as_posix()}']", "--select", code,
          "--output-format", "json", "--output-file", str(report), str(project)])
    return [finding["location"]["row"] for finding in json.loads(report.read_text())]


ORDERS = {
    "audited": ("audit.append(x)\n    payments.charge(x)", False),
    "never audited": ("payments.charge(x)", True),
    "audited afterwards": ("payments.charge(x)\n    audit.append(x)", True),
    "audited on one way": ("if x:\n        audit.append(x)\n    payments.charge(x)", True),
    "both on the same condition": ("if x:\n        audit.append(x)\n    y = 1\n    if x:\n        payments.charge(x)", False),
    "a failed audit is passed over": ("try:\n        audit.append(x)\n    except OSError:\n        pass\n    payments.charge(x)", True),
    "a failed audit ends it": ("try:\n        audit.append(x)\n    except OSError:\n        return\n    payments.charge(x)", False),
    "audited in a helper": ("note(x)\n    payments.charge(x)", False),
    "a helper that may leave early": ("perhaps(x)\n    payments.charge(x)", True),
    "charged in a helper": ("audit.append(x)\n    pay(x)", False),
    "in another task": ("threading.Thread(target=note, args=(x,)).start()\n    payments.charge(x)", True),
}


@pytest.mark.parametrize(("body", "reported"), ORDERS.values(), ids=ORDERS)
def test_the_order_of_two_calls(tmp_path: Path, body: str, reported: bool) -> None:
    program = (
        "import threading\nimport audit\nimport payments\n\n\ndef note(x):\n    audit.append(x)\n\n\n"
        "def perhaps(x):\n    if x:\n        audit.append(x)\n\n\n"
        f"def run(x):\n    {body}\n"
    )
    if "pay(x)" in body:
        program += "\n\ndef pay(x):\n    payments.charge(x)\n"
    assert bool(found(tmp_path, ORDER, program)) == reported


LOCKS = {
    "held": ("with self.lock:\n            self.balance += n", False),
    "not held": ("self.balance += n", True),
    "another lock": ("with self.other:\n            self.balance += n", True),
    "held by acquire": ("self.lock.acquire()\n        self.balance += n\n        self.lock.release()", False),
    "after the release": ("self.lock.acquire()\n        self.lock.release()\n        self.balance += n", True),
    "another cell": ("self.seen += n", False),
    "the only caller does not hold it": ("self.change(n)\n\n    def change(self, n):\n        self._change(n)", True),
    "held by every caller": ("with self.lock:\n            self._change(n)", False),
}


@pytest.mark.parametrize(("body", "reported"), LOCKS.values(), ids=LOCKS)
def test_the_lock_over_a_cell(tmp_path: Path, body: str, reported: bool) -> None:
    program = (
        "import threading\n\n\nclass Account:\n    def __init__(self):\n        self.lock = threading.Lock()\n"
        "        self.other = threading.Lock()\n        self.balance = self.seen = 0\n\n"
        f"    def add(self, n):\n        {body}\n"
    )
    if "_change" in body:
        program += "\n    def _change(self, n):\n        self.balance += n\n"
    assert bool(found(tmp_path, LOCK, program)) == reported


@pytest.mark.parametrize(
    ("policy", "name"),
    [(ORDER.replace("payments.charge", "payments.chrage"), "payments.chrage"), (ORDER.replace("audit.append", "audit.apend"), "audit.apend"),
     (LOCK.replace("Account.balance", "Account.blance"), "Account.blance"), (LOCK.replace("Account.lock", "Account.lok"), "Account.lok")],
)
def test_a_name_that_nothing_bears_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: str, name: str) -> None:
    program = (
        "import threading\nimport audit\nimport payments\n\n\nclass Account:\n    def __init__(self):\n        self.lock = threading.Lock()\n"
        "        self.balance = 0\n\n    def add(self, n):\n        with self.lock:\n            self.balance += n\n"
        "        audit.append(n)\n        payments.charge(n)\n"
    )
    found(tmp_path, policy, program)
    assert f"`{name}`" in capsys.readouterr().err
