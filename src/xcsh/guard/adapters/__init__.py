"""The guard over a stream as it comes from an SDK or off a wire: text, OpenAI chat chunks, Anthropic events."""
