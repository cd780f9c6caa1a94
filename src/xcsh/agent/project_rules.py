"""The rules of a project in an agent, in all the ways that they reach a model."""

from __future__ import annotations

from typing import Any

from pydantic_ai.capabilities import AbstractCapability

from xcsh.agent.attachments.capability import RuleAttachments
from xcsh.agent.rulebook import READ_RULE, Rulebook
from xcsh.agent.stream_rules.capability import StreamRules
from xcsh.api import Registry
from xcsh.model.diagnostic import Diagnostic


class ProjectRules:
    """A registry in force: its rules in the prompt and by name, with the files that they are for, and watched for."""

    def __init__(self, registry: Registry) -> None:
        self.rulebook = Rulebook(registry)
        self.attachments = RuleAttachments(registry)
        self.stream = StreamRules(registry, tools=(READ_RULE,))

    @property
    def capabilities(self) -> list[AbstractCapability[Any]]:
        """For an agent, in the order that they belong in."""
        return [self.attachments, self.rulebook, self.stream]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the stream rules by now."""
        return self.stream.diagnostics

    def reload(self, registry: Registry) -> None:
        """Puts another registry in force: what the prompt says changes with the next request, the rest with the next
        run.
        """
        self.rulebook.reload(registry)
        self.attachments.reload(registry)
        self.stream.reload(registry)
