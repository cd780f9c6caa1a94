"""Executes the bytes of a file as a module."""

from __future__ import annotations

import sys
from types import ModuleType

from xcsh.extensions.files import CodeFile


def execute(file: CodeFile, kind: str) -> ModuleType:
    """The module that exactly `file.data` makes; raises whatever the code raises.

    It is known to Python under a name that no import statement takes by accident, since data classes and others look
    up the module that they are in.
    """
    name = f"xcsh {kind} {file.path}"
    module = ModuleType(name)
    module.__file__ = file.path
    code = compile(file.data, file.path, "exec", dont_inherit=True)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)  # noqa: S102 - the user's own code, or a trusted project's
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
