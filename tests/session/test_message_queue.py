"""What waits to be sent, in its order."""

from __future__ import annotations

from xcsh.session.message_queue import MessageQueue


def test_what_steers_goes_before_what_follows_and_each_kind_keeps_its_order() -> None:
    # S-2: whatever was said first
    queue = MessageQueue()
    queue.add("follow_up", "later")
    queue.add("steer", "soon")
    queue.add("follow_up", "last")
    queue.add("steer", "next")
    sent = [entry.text for entry in iter(queue.next, None) if entry is not None]
    assert sent == ["soon", "next", "later", "last"]
