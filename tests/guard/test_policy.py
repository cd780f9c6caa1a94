"""When a rule may fire again, and which of its matches interrupt."""

from __future__ import annotations

import json

import pytest
from tests.guard.rules import guard, names, rule, stream

from xcsh.guard.policy import Policy

FOO = json.dumps({"new_text": "foo"})


# T-11
def test_a_rule_fires_once_and_the_state_survives_json() -> None:
    first = guard(rule("r", "foo"))
    assert names(stream(first, "foo", source="text")) == ["r"]
    first.acknowledge(["r"])
    second = guard(rule("r", "foo"))
    second.restore(json.loads(json.dumps(first.save())))
    for watching in (first, second):
        watching.begin_request()
        watching.end_turn()
        assert not stream(watching, "foo", source="text")


def test_after_the_gap_a_rule_fires_again() -> None:
    # T-11
    watching = guard(rule("r", "foo"), policy=Policy("after-gap", repeat_gap=2))
    fired: list[bool] = []
    for _ in range(5):
        watching.begin_request()
        matches = stream(watching, "foo", source="text")
        fired.append(bool(matches))
        watching.acknowledge(names(matches))
        watching.end_turn()
    assert fired == [True, False, True, False, True]


def test_a_rule_that_matches_its_own_retry_interrupts_a_few_times_only() -> None:
    # T-15
    watching = guard(rule("r", "foo"), policy=Policy("after-gap", repeat_gap=0, max_interrupts=3))
    interrupts: list[bool] = []
    for _ in range(5):
        watching.begin_request()
        (match,) = stream(watching, "foo", source="text")
        interrupts.append(match.interrupts)
        watching.acknowledge(["r"], interrupted=match.interrupts)
        state = json.loads(json.dumps(watching.save()))
        watching = guard(rule("r", "foo"), policy=watching.history.policy)
        watching.restore(state)
    assert interrupts == [True, True, True, False, False]


# T-12
@pytest.mark.parametrize(
    ("own", "general", "text", "tool"),
    [
        (None, "always", True, True), ("never", "always", False, False), ("prose-only", "never", True, False),
        ("tool_only", "always", False, True), ("odd", "tool-only", False, True),
    ],
)  # fmt: skip
def test_a_mode_says_which_matches_interrupt(own: str | None, general: str, *, text: bool, tool: bool) -> None:
    for source, interrupts in (("text", text), ("tool", tool)):
        watching = guard(rule("r", "foo", interrupt=own), policy=Policy(interrupt_mode=general))
        (match,) = stream(watching, FOO, source=source)
        assert match.interrupts == interrupts


@pytest.mark.parametrize(("mode", "last"), [("tool-only", "tool"), ("prose-only", "text")])
def test_a_match_that_only_reminds_does_not_hide_one_that_interrupts(mode: str, last: str) -> None:
    # T-12: of one request, each match of a rule in a stream of its own
    watching = guard(rule("r", "foo", interrupt=mode))
    interrupts: list[bool] = []
    for source in (*(("text", "tool") if last == "tool" else ("tool", "text")), last):
        text = FOO if source == "tool" else "foo"
        interrupts += [match.interrupts for match in stream(watching, text, source=source)]
    assert interrupts == [False, True]
