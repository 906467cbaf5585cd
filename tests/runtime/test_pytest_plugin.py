"""The plugin, run as a user runs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ctxlint.plugins.pytest_plugin import _target

AGENT = """
class Agent:
    def __init__(self):
        self.messages = []
        self.undo = []

    def add(self, message):
        self.messages.append(message)
        self.undo.append(("pop", message))

    def safely(self, message):
        self.undo.append(("pop", message))
        self.messages.append(message)
"""

TESTS = """
from agent import Agent

def build_and_add():
    agent = Agent()
    agent.add("x")
    return agent

def test_late():
    agent = Agent()
    agent.add("x")
    assert agent.messages == ["x"]

def test_late_in_a_helper():
    assert build_and_add().messages == ["x"]

def test_right():
    agent = Agent()
    agent.safely("x")
    agent.safely("y")
    assert agent.messages == ["x", "y"]

def test_fails_anyway():
    Agent().add("x")
    assert 0, "the reason of its own"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # Other plugins only take time.
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "test_agent.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nctxlint_monitor =\n    agent:Agent messages undo\n")

    def run(*arguments):
        command = [sys.executable, "-m", "pytest", "-p", "ctxlint.plugins.pytest_plugin", "-p", "no:cacheprovider"]
        done = subprocess.run([*command, "-rA", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    run.directory = tmp_path
    return run


def test_it_is_off_unless_asked(project):
    output = project()
    assert "3 passed" in output and "1 failed" in output and "CTX101" not in output


def test_it_watches_the_configured_classes(project):
    output = project("--ctxlint-runtime")
    assert "1 passed" in output and "3 failed" in output
    assert "PASSED test_agent.py::test_right" in output
    assert "agent.py:8: CTX101 `Agent.messages` is mutated before its record reaches `Agent.undo`" in output
    assert "the reason of its own" in output, "a failing test keeps its own reason"


def test_the_fixture_needs_no_option(project):
    (project.directory / "test_agent.py").write_text(
        "from agent import Agent\n\n"
        "def test_late(ctxlint_monitor):\n"
        "    agent = Agent()\n"
        "    ctxlint_monitor(agent, 'messages', 'undo')\n"
        "    agent.add('x')\n\n"
        "def test_right(ctxlint_monitor):\n"
        "    agent = Agent()\n"
        "    ctxlint_monitor(agent, 'messages', 'undo')\n"
        "    agent.safely('x')\n"
    )
    output = project()
    assert "1 passed" in output and "1 failed" in output and "CTX101" in output


@pytest.mark.parametrize("line", ["os:path x", "os:Nobody messages undo", "nowhere:Agent messages undo", "os a b"])
def test_every_wrong_line_is_a_usage_error(line):
    with pytest.raises(pytest.UsageError, match="is not 'module:Class cell journal'"):
        _target(line)


def test_a_wrong_configuration_is_named(project):
    line = "agent:Nobody messages undo"
    (project.directory / "pytest.ini").write_text(f"[pytest]\nctxlint_monitor =\n    {line}\n")
    output = project("--ctxlint-runtime")
    assert f"ctxlint_monitor: '{line}' is not 'module:Class cell journal'" in output
