"""The event that attached rules add to the stream of an agent's events."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_ai import CapabilityEvent


@dataclass(kw_only=True)
class RulesAttachedEvent(CapabilityEvent, namespace="xcsh", name="rules_attached"):
    """The next request gives the model rules for a file that a tool call touched.

    `rules`: names, in registry order; `paths`: their files, relative to the working folder where they lie in it.
    `file`: what the touched file is called below the working folder. `held_back`: the call was to change it and did
    nothing; the model is asked to repeat it.
    """

    rules: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    file: str = ""
    held_back: bool = False
