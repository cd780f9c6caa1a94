"""The guard of a stream: what the model writes goes in, the rules that it breaks come out. No input or output."""
