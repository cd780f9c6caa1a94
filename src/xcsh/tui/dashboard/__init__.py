"""The dashboard of rules and commands (S-23); all but `screen` and the widgets knows no Textual."""
