"""What is on the screen of the conversation: messages, tool calls, changes, notices."""
