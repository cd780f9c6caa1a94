"""What the packages of the agent and the session promise to whoever builds on them."""

from __future__ import annotations

import pytest

import xcsh.agent
import xcsh.session

AGENT = [
    "Always",
    "ChangeJournal",
    "Consent",
    "ConsentRequest",
    "No",
    "Once",
    "ProjectRules",
    "RequestResentEvent",
    "Resending",
    "ResponseInterruptedError",
    "ResponseRetractedEvent",
    "RuleAttachments",
    "Rulebook",
    "RulesAttachedEvent",
    "RulesTriggeredEvent",
    "Session",
    "StreamRules",
    "TurnResult",
    "build_agent",
    "keep_in_settings",
    "permissions_of",
    "run_turn",
]
SESSION = [
    "AgentSession",
    "ClosedSessionError",
    "ExtensionCommandError",
    "Image",
    "ImageError",
    "Kept",
    "PromptResult",
    "SessionEvent",
    "StreamingBehaviorError",
    "UndoReport",
    "create_agent_session",
    "event_json",
    "image_of",
    "keep_session",
    "read_image",
    "resume_session",
]


@pytest.mark.parametrize(("package", "names"), [(xcsh.agent, AGENT), (xcsh.session, SESSION)])
def test_the_public_names_of_a_package_are_pinned_and_all_load(package: object, names: list[str]) -> None:
    # S-10
    assert sorted(package.__all__) == sorted(names)  # pyright: ignore[reportAttributeAccessIssue]
    assert all(getattr(package, name) is not None for name in names)
    assert set(names) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        getattr(package, "nonsense")  # noqa: B009
