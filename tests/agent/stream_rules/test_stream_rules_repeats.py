"""How often a stream rule fires: batches, sequences, `once`, `after-gap` and the cap of a turn."""

from __future__ import annotations

from tests.agent.stream_rules.guarded import (
    WIRES,
    guarded,
    interrupts,
    no_any,
    prompts,
    reminders,
    reopened,
    rule,
    rules_of,
    run,
    triggered,
)
from tests.agent.stream_rules.strict_wires import check_requests
from tests.llm.wire_models import answering, scripted
from tests.support import Project

from xcsh.agent import RulesTriggeredEvent
from xcsh.llm.reply import Reply, text

GOOD = Reply((text("done"),))
BAD = Reply((text("let a: any = 1"),))


@WIRES
async def test_rules_that_match_in_one_delta_are_one_injection(project: Project, wire: str) -> None:
    # T-10: several matches in one window are one batch
    rules = rules_of(project, no_any=rule(), no_let=rule(r"let a", "Write const."))
    async with scripted(Reply((text("let a: any = 1", 100),)), GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(model, rules))
    assert [sorted(names) for names in triggered(events)] == [["no-any", "no-let"]]
    assert len(server.exchanges) == 2
    assert [interrupts(server, "no-any"), interrupts(server, "no-let")] == [1, 1]
    assert len(prompts(result.all_messages())) == 2  # the prompt, and one message with both blocks
    check_requests(server)


@WIRES
async def test_rules_that_match_one_after_the_other_are_two_injections(project: Project, wire: str) -> None:
    # T-8: the retry is watched too
    rules = rules_of(project, no_any=rule(), no_eval=rule(r"eval\(", "Never eval."))
    async with scripted(BAD, Reply((text("eval(1)"),)), GOOD, wire=wire) as (model, server):
        result, events = await run(guarded(model, rules))
    assert triggered(events) == [("no-any",), ("no-eval",)]
    assert [interrupts(server, "no-any", 1), interrupts(server, "no-eval", 1)] == [1, 0]
    assert [interrupts(server, "no-any", 2), interrupts(server, "no-eval", 2)] == [1, 1]
    assert len(prompts(result.all_messages())) == 3
    check_requests(server)


async def test_a_rule_that_matches_its_own_retry_fires_once(project: Project) -> None:
    # T-11, T-15
    async with scripted(BAD, BAD) as (model, server):
        result, events = await run(guarded(model, no_any(project)))
    assert triggered(events) == [("no-any",)]
    assert result.output == "let a: any = 1"
    assert len(server.exchanges) == 2


async def test_once_holds_for_the_whole_conversation_and_no_other(project: Project) -> None:
    # T-11: what fired is read from the messages, not kept in the agent
    async with scripted(BAD, GOOD, BAD, BAD, GOOD) as (model, _):
        agent = guarded(model, no_any(project))
        first, events = await run(agent)
        assert triggered(events) == [("no-any",)]
        second, events = await run(agent, message_history=first.all_messages())
        assert triggered(events) == []
        assert second.output == "let a: any = 1"
        _, events = await run(agent, "another conversation")
        assert triggered(events) == [("no-any",)]


async def test_after_a_gap_of_turns_a_rule_fires_again(project: Project) -> None:
    # T-11: `repeat_gap` completed turns, counted in the messages
    settings = 'repeat_mode = "after-gap"\nrepeat_gap = 2'
    async with scripted(BAD, BAD, BAD, BAD, GOOD) as (model, _):
        agent = guarded(model, no_any(project, settings))
        fired: list[int] = []
        history = None
        for _turn in range(3):
            result, events = await run(agent, message_history=history)
            fired.append(len(triggered(events)))
            history = reopened(result.all_messages())
    assert fired == [1, 0, 1]  # in the first turn its own retry matched again, and stopped nothing


async def test_a_turn_has_no_more_interrupts_than_the_cap_allows(project: Project) -> None:
    # T-15: the matches after the cap stop nothing and are reminders
    many = {f"no_{at}": rule(f"x{at} ", f"Never x{at}.") for at in range(6)}
    said = iter(range(100))

    def respond(_: object) -> Reply:
        return Reply((text(f"x{next(said)} and more"),))

    async with answering(respond) as (model, server):
        rules = rules_of(project, "max_interrupts = 2", **many)
        agent = guarded(model, rules)
        result, events = await run(agent)
        assert triggered(events) == [("no-0",), ("no-1",)]
        assert result.output == "x2 and more"
        second, events = await run(agent, message_history=result.all_messages())
    assert triggered(events) == [("no-3",), ("no-4",)]  # the cap is of a turn
    assert reminders(server, "no-2") == 1
    assert second.output == "x5 and more"


async def test_without_interrupts_every_match_is_a_reminder(project: Project) -> None:
    # T-15: the cap may be 0
    async with scripted(BAD, GOOD) as (model, server):
        agent = guarded(model, no_any(project, "max_interrupts = 0"))
        first, events = await run(agent)
        assert not any(isinstance(event, RulesTriggeredEvent) for event in events)
        await run(agent, message_history=first.all_messages())
    assert reminders(server) == 1
