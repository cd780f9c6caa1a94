"""`python -m xcsh`."""

from __future__ import annotations

import sys

from xcsh.cli.main import main

sys.exit(main())
