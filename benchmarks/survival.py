"""Whether accepted findings stay accepted when code is reformatted, renamed and moved.

    python benchmarks/survival.py [FOLDER…] [--findings 2000] [--ruff ruff]

Without folders the project is made of copies of the fixtures, as many as give the findings asked for; with folders, of those.
Its findings (every rule, every confidence) go into a baseline and into a commit. Then, one after the other:

    reformat   `ruff format` with another line length and other quotes
    rename     every package gets another name, and every import of it
    reorder    functions stand in another order in their files
    files      modules go to another folder under another name, and are imported from there
    functions  functions that need nothing of their module but its imports go to a module of their own
    variables  the variables of functions get other names

After each step `check --baseline` and `check --since` must introduce nothing: then the exit status is 0. Entries are stale when the
analysis itself sees less in the new shape of the code.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
WORDS = ("--select", "ALL", "--preview", "--min-confidence", "low")
Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class Told(NamedTuple):
    """What a comparison said: findings that are new, entries that are stale, and findings that were known."""

    new: list[str]
    stale: int
    known: int
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--findings", type=int, default=2000)
    parser.add_argument("--ruff", default=shutil.which("ruff") or str(Path(sys.executable).with_name("ruff")))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "project"
        copied(arguments.folders, project, arguments.findings)
        return survival(project, lambda: reformatted(project, arguments.ruff))


def survival(project: Path, reformat: Callable[[], None]) -> int:
    """Accept what the project has, transform it step by step, and tell what is new; the number of steps that failed."""
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "before"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    accepted = ctxlint(project, "baseline", "create", "--baseline", "baseline.jsonl").stderr
    print(accepted.strip().splitlines()[-1].partition(" accepted")[0], "accepted in", len(list(project.rglob("*.py"))), "files")
    print("| step | compared with | new | stale | known | s |\n|---|---|---|---|---|---|")
    failed = 0
    for name, transform in (
        ("reformat", reformat),
        ("rename", lambda: renamed(project)),
        ("reorder", lambda: each(project, reordered)),
        ("files", lambda: modules_moved(project)),
        ("functions", lambda: each(project, functions_moved)),
        ("variables", lambda: each(project, variables_renamed)),
    ):
        transform()
        for against in (["--baseline", "baseline.jsonl"], ["--since", "HEAD"]):
            told = compared(project, against)
            print(f"| {name} | {against[0][2:]} | {len(told.new)} | {told.stale} | {told.known} | {told.seconds:.1f} |", flush=True)
            for line in told.new[:10]:
                print(f"  {line}")
            failed += bool(told.new)
    return failed


def copied(folders: Sequence[Path], project: Path, findings: int) -> None:
    """Fill the project: with the folders, or with so many copies of the fixtures."""
    project.mkdir(parents=True)
    for folder in folders:
        shutil.copytree(folder, project / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    if not folders:
        (project / "copy_1").mkdir()
        fixture_copy(project / "copy_1")
        one = len(ctxlint(project, "check", ".", "--output-format", "concise", "-q").stdout.splitlines())
        for number in range(2, -(-findings // one) + 1):
            shutil.copytree(project / "copy_1", project / f"copy_{number}")


def fixture_copy(package: Path) -> None:
    """Fill a package with the rules' fixtures, one package a rule."""
    (package / "__init__.py").touch()
    for rule in sorted(FIXTURES.glob("CTX*")):
        shutil.copytree(rule, package / rule.name.lower())
        (package / rule.name.lower() / "__init__.py").touch()


def reformatted(project: Path, ruff: str) -> None:
    subprocess.run([ruff, "format", "-q", "--isolated", "--line-length", "60", "--config", "format.quote-style='single'", "."],
                   cwd=project, check=False)      # files that ruff cannot read stay as they are


def renamed(project: Path) -> None:
    """Give every top package another name, and its imports."""
    for package in sorted(path for path in project.iterdir() if path.is_dir() and path.name.isidentifier()):
        package.rename(project / f"renamed_{package.name}")
        name = re.compile(rf"(?<![\w.]){package.name}(?=[\w.]* import\b|\.\w)|(?<=import ){package.name}(?!\w)")
        for file in project.rglob("*.py"):
            edit(file, lambda text, name=name, new=f"renamed_{package.name}": name.sub(new, text))  # type: ignore[misc]


def each(project: Path, change: Callable[[Path], None]) -> None:
    for file in sorted(project.rglob("*.py")):
        change(file)


def reordered(file: Path) -> None:
    """Put the plain functions of a module behind everything else, the last one first, when nothing at module level calls them."""
    found = parsed(file)
    if found is None:
        return
    tree, lines = found
    used = names_at_module_level(tree)
    movable = [node for node in tree.body if isinstance(node, Function) and not node.decorator_list and node.name not in used]
    taken = [block for node in reversed(movable) for block in ("\n\n", *lines[node.lineno - 1 : node.end_lineno])]
    without(lines, movable)
    if movable:
        if lines and not lines[-1].endswith("\n"):
            lines.append("\n")
        file.write_text("".join([*lines, *taken]), encoding="utf-8")


def functions_moved(file: Path) -> None:
    """Move functions that need nothing of their module but its imports to a new module beside it."""
    found = parsed(file)
    if found is None or file.name == "__init__.py" or not (file.parent / "__init__.py").exists():
        return
    tree, lines = found
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    given = {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names} | set(dir(builtins))
    movable = [
        node for node in tree.body
        if isinstance(node, Function) and not node.decorator_list and names_of(node) - bound_in(node) <= given - {"*"}]
    defined = {node.name for node in tree.body if isinstance(node, (*Function, ast.ClassDef))} - {one.name for one in movable}
    movable = [node for node in movable if not names_of(node) & defined]
    if not movable or not imports:
        return
    new = file.with_name(f"{file.stem}_functions.py")
    head = [line for node in imports for line in lines[node.lineno - 1 : node.end_lineno]]
    body = [line for node in movable for line in ("\n\n", *lines[node.lineno - 1 : node.end_lineno])]
    new.write_text("".join([*head, *body]), encoding="utf-8")
    last = max(node.end_lineno or node.lineno for node in imports)
    names = ", ".join(node.name for node in movable)
    lines[last - 1] += f"from .{new.stem} import {names}\n"
    without(lines, movable)
    file.write_text("".join(lines), encoding="utf-8")


def modules_moved(project: Path) -> None:
    """Move modules of packages that import nothing relative to themselves into a folder `inner`, and leave their names behind."""
    for file in sorted(project.rglob("*.py")):
        found = parsed(file)
        if found is None or file.name.startswith("__") or not (file.parent / "__init__.py").exists():
            continue
        if any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(found[0])):
            continue
        inner = file.parent / "inner"
        inner.mkdir(exist_ok=True)
        (inner / "__init__.py").touch()
        file.rename(inner / f"{file.stem}_moved.py")
        names = [node.name for node in found[0].body if isinstance(node, (*Function, ast.ClassDef))]
        if names:
            file.write_text(f"from .inner.{file.stem}_moved import {', '.join(names)}\n", encoding="utf-8")


def variables_renamed(file: Path) -> None:
    """Rename what functions bind themselves, parameters apart, where no inner function could see it."""
    found = parsed(file)
    if found is None or sys.version_info < (3, 12):     # before, what stands in an f-string has no place
        return
    tree, lines = found
    inner = (*Function, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal)
    places = []
    for node in ast.walk(tree):
        if isinstance(node, Function) and not any(isinstance(one, inner) for one in ast.walk(node) if one is not node):
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            names -= {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
            names -= {one.name for one in ast.walk(node) if isinstance(one, ast.ExceptHandler)}
            names -= {name for one in ast.walk(node) if isinstance(one, (ast.MatchAs, ast.MatchStar)) and (name := one.name)}
            places += [(one.lineno, one.end_col_offset or 0) for one in ast.walk(node)
                       if isinstance(one, ast.Name) and one.id in names]
    for line, column in sorted(set(places), reverse=True):
        encoded = lines[line - 1].encode("utf-8")
        lines[line - 1] = (encoded[:column] + b"_" + encoded[column:]).decode("utf-8")
    file.write_text("".join(lines), encoding="utf-8")


def names_at_module_level(tree: ast.Module) -> set[str]:
    """The names that are read when the module is imported."""
    outside = [node for node in tree.body if not isinstance(node, Function)]
    return set().union(*(names_of(node) for node in outside)) if outside else set()


def names_of(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} | {
        name for one in ast.walk(node) if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}


def bound_in(node: ast.AST) -> set[str]:
    """The names that a function binds itself."""
    bound = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    bound |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    bound |= {one.name for one in ast.walk(node) if isinstance(one, (ast.ExceptHandler, *Function, ast.ClassDef)) and one.name}
    return bound


def parsed(file: Path) -> tuple[ast.Module, list[str]] | None:
    """The tree and the lines of a file; None for one that is no text or no Python."""
    try:
        text = file.read_bytes().decode("utf-8")
        return ast.parse(text), re.findall(r"[^\n]*\n|[^\n]+", text)
    except (ValueError, SyntaxError, RecursionError):
        return None


def without(lines: list[str], nodes: Sequence[ast.stmt]) -> None:
    for node in sorted(nodes, key=lambda one: -one.lineno):
        del lines[node.lineno - 1 : node.end_lineno]


def edit(file: Path, change: Callable[[str], str]) -> None:
    try:
        text = file.read_bytes().decode("utf-8")
    except ValueError:
        return
    if change(text) != text:
        file.write_bytes(change(text).encode("utf-8"))


def compared(project: Path, against: Sequence[str]) -> Told:
    begin = time.monotonic()
    done = ctxlint(project, "check", ".", *against, "--output-format", "concise")
    seconds = time.monotonic() - begin
    lines = done.stdout.splitlines()
    told = next(line for line in done.stderr.splitlines() if " introduced, " in line)
    known = re.search(r"(\d+) (?:pre-existing|accepted)", told)
    new = [line for line in lines if not re.search(r": CTX00[34] ", line)]
    return Told(new, sum(" CTX004 " in line for line in lines), int(known[1]) if known else 0, seconds)


def ctxlint(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ctxlint in the project; findings are no failure, anything else is."""
    done = subprocess.run(
        [sys.executable, "-m", "ctxlint", *words, *WORDS, "--cache-dir", str(project.parent / "cache")], cwd=project, check=False,
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    if "error:" in done.stderr:
        raise SystemExit(done.stderr)
    return done


if __name__ == "__main__":
    raise SystemExit(main())
