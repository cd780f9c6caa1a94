"""The guard over a stream as it comes from an SDK or off a wire: text, OpenAI chat chunks, Anthropic events."""

from xcsh.guard.adapters.anthropic_messages import guard_anthropic
from xcsh.guard.adapters.openai_chat import guard_openai_chat
from xcsh.guard.adapters.text import guard_text
from xcsh.guard.adapters.watching import StreamInterrupted

__all__ = ["StreamInterrupted", "guard_anthropic", "guard_openai_chat", "guard_text"]
