"""Images in prompts: read and checked, kept with the session, and sent where the model takes them."""
