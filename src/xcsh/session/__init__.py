"""A conversation: what a person types becomes what the model is sent. Light to import."""
