"""A project with a rule in every bucket, one shadowed, one skipped, and a finding of each severity."""

from __future__ import annotations

FULL = {
    ".xcsh/rules/house-style.md": "---\nalwaysApply: true\n---\nBe brief.\n",
    ".xcsh/rules/no-any.md": "---\ncondition: ': any\\b'\nscope: tool:edit\n---\nNo any.\n",
    ".xcsh/rules/broken.md": "---\ncondition: '([a-z'\ndescription: Broken: yes\n---\nBroken.\n",
    ".cursor/rules/api-errors.mdc": "---\ndescription: How errors leave the API\nglobs: src/api/**\n---\nUse codes.\n",
    ".cursor/rules/react.mdc": "---\nglobs: src/**/*.{tsx,jsx}\n---\nUse hooks.\n",
    ".cursor/rules/tests.mdc": "---\nglobs: **/*.test.ts\n---\nTest it.\n",
    ".cursor/rules/house-style.mdc": "---\nalwaysApply: true\n---\nBe long.\n",
    ".cursor/rules/notes.txt": "not a rule",
    ".clinerules/off.md": "---\npaths: []\n---\nOff.\n",
    "AGENTS.md": "# Guide\n",
    "~/.cursor/rules/mine.mdc": "---\ndescription: Mine\n---\nMine.\n",
}
