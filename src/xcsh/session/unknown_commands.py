"""A text that begins like a command which there is not: whether it was meant as one."""

from __future__ import annotations

import os
import re

from xcsh.session.prompt_pipeline import PromptContext, stage_for

CALL = re.compile(r"/([A-Za-z][\w:.-]{0,63})(?=\s|$)")
"""What a text begins with that calls a command; its group is the name."""


def unknown_command(text: str, context: PromptContext) -> str | None:
    """The name that a text calls and that nothing has; None where it calls something, or is meant as a text.

    What has a second slash is a path, and so is what stands in the file system: `/usr/bin/env is broken`, `/tmp is
    full`. So is what ends in a sentence's mark.
    """
    match = CALL.match(text)
    if match is None or match[1][-1] in ".:" or stage_for(text, context) is not None:
        return None
    return None if os.path.lexists(match[0]) else match[1]
