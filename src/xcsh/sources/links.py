"""Which links are followed: a project's may not lead out of it, lest a checkout show your files to a model."""

import os
from typing import NamedTuple

from xcsh.model.source import Environment, Level, Source
from xcsh.sources.filesystem import lies_in


class Boundary(NamedTuple):
    """The real folder that a path must lie in; empty where links may lead anywhere."""

    real_root: str

    def outside(self, path: str) -> str | None:
        """The real target of `path` where it lies outside, else None. A link that leads nowhere is not outside."""
        if not self.real_root:
            return None
        real = os.path.realpath(path)
        return None if lies_in(real, self.real_root) else real


def boundary_of(path: str, source: Source, environment: Environment, *, anywhere: bool) -> Boundary:
    """The user's own files may be links to anywhere; a project's stay in its repository, or else its folder."""
    if anywhere or source.level != Level.PROJECT:
        return Boundary("")
    root = environment.repo_root or environment.cwd
    if not path.startswith(root.rstrip(os.sep) + os.sep):
        # The nearest .clinerules may stand above the repository: then nothing in it leads out of it, itself included.
        return Boundary(os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))
    return Boundary(os.path.realpath(root))
