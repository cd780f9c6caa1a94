"""Consent: what may be done unasked, who is asked for the rest, and what is shown to them."""
