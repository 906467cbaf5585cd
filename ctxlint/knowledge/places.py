"""Where the data files lie: inside the installed package, or beside `pyproject.toml` in a checkout.

A wheel carries `rules/` as `ctxlint/rules`.
An editable install and a checkout import the package from the checkout, where that folder does not exist; there the
files lie in `rules/` beside `pyproject.toml`.
"""

from __future__ import annotations

from pathlib import Path

from ctxlint.errors import ConfigurationError

PACKAGE = Path(__file__).resolve().parent.parent


def rules_folder(package: Path = PACKAGE) -> Path:
    """Return the folder of the rule files; raise ConfigurationError when this installation has none."""
    packaged = package / "rules"
    if packaged.is_dir():
        return packaged
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "rules").is_dir():
        return checkout / "rules"
    raise ConfigurationError(f"no rule files: neither {packaged} nor {checkout / 'rules'} exists; reinstall ctxlint")


def checkout_folder(package: Path = PACKAGE) -> Path:
    """Return the root of the checkout this package runs from; raise ConfigurationError in an installed copy."""
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "rules").is_dir():
        return checkout
    raise ConfigurationError(f"{checkout} is no checkout of ctxlint: the dev commands need its rules/ and docs/")


def license_text(package: Path = PACKAGE) -> str:
    """Return the licence of ctxlint: that of the checkout, else the one that was installed with it."""
    beside = package.parent / "LICENSE"
    if beside.is_file() and (package.parent / "pyproject.toml").is_file():
        return beside.read_text(encoding="utf-8")
    from importlib.metadata import files

    for file in files("ctxlint") or ():
        if file.name == "LICENSE":
            return file.read_text(encoding="utf-8")
    raise ConfigurationError("this installation of ctxlint has no LICENSE file; reinstall it")
