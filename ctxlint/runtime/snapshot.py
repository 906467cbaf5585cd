"""A context at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .digests import digest


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The regions of a context at one revision: id → content, in the order of the context.

    Content is kept, not hashes of it: references are resolved in it. Digests are derived.
    """

    revision: int
    regions: Mapping[str, str]

    def __post_init__(self) -> None:
        for region, content in self.regions.items():
            if not isinstance(region, str) or not isinstance(content, str):
                raise TypeError(f"regions map text to text; {region!r} maps to a {type(content).__name__}")
        object.__setattr__(self, "regions", MappingProxyType(dict(self.regions)))

    def __reduce__(self) -> tuple[type[Snapshot], tuple[int, dict[str, str]]]:
        return (Snapshot, (self.revision, dict(self.regions)))  # Views of mappings are neither pickled nor copied.

    @property
    def digest(self) -> str:
        """The identity of the whole context: `ctxlint.runtime.digest` of its regions, whatever their order."""
        return digest(self.regions)

    def drift(self, live: Snapshot) -> frozenset[str]:
        """Return the regions whose content differs in `live`, those that came and those that went included."""
        return frozenset(
            region for region in {*self.regions, *live.regions} if self.regions.get(region) != live.regions.get(region)
        )
