"""`python -m xcsh`."""

from __future__ import annotations

import sys

# `python -m` puts the working folder first, where a project's json.py would pass for the real one.
if not sys.flags.safe_path and sys.path and not __file__.startswith(sys.path[0]):
    del sys.path[0]

from xcsh.cli.main import main

sys.exit(main())
