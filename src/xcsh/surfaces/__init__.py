"""Registry to text or values: what a model is told, and what people and programs are shown. Pure."""
