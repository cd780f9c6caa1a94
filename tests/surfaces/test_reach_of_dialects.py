"""Rules of every dialect reach a file through one matcher, that of `xcsh rules --for` and of the session (R-54)."""

from __future__ import annotations

import pytest
from tests.support import Project

from xcsh.surfaces.reach import attaching, names_of, reach_of

SCOPED = {
    "native": (".xcsh/rules/r.md", "globs: src/**"),
    "cursor": (".cursor/rules/r.mdc", "globs: src/**"),
    "cursor-nested": ("src/.cursor/rules/r.mdc", "globs: '*.ts'"),
    "windsurf": (".windsurf/rules/r.md", "trigger: glob\nglobs: src/**"),
    "devin": (".devin/rules/r.md", "trigger: glob\nglobs: src/**"),
    "antigravity": (".agent/rules/r.md", "trigger: glob\nglobs: src/**"),
    "cline": (".clinerules/r.md", "paths: ['src/**']"),
    "cline-user": ("~/Cline/Rules/r.md", "paths: ['src/**']"),
    "claude-rules": (".claude/rules/r.md", "paths: src/**/*.{ts,tsx}"),
    "copilot": (".github/instructions/r.instructions.md", "applyTo: 'src/**,lib/**'"),
    "kiro": (".kiro/steering/r.md", "inclusion: fileMatch\nfileMatchPattern: 'src/**'"),
    "continue": (".continue/rules/r.md", 'globs: ["src/**"]'),
    "trae": (".trae/rules/r.md", "globs: src/**"),
    "agents-md": ("src/AGENTS.md", ""),
    "claude-md": ("src/CLAUDE.md", ""),
    "gemini-md": ("src/GEMINI.md", ""),
}


# "`xcsh rules --for PATH` predicts exactly what the session does"
@pytest.mark.parametrize("provider", SCOPED)
def test_a_scoped_rule_reaches_the_files_of_its_scope_and_no_others(provider: str, project: Project) -> None:
    path, block = SCOPED[provider]
    project.write({path: f"---\n{block}\n---\nBody." if block else "Body."})
    registry = project.discover()
    [entry] = registry.active
    assert entry.rule.origin.provider == provider
    for file, reached in (("src/deep/a.ts", True), ("other/src.ts", False), ("a.ts", False)):
        [reach] = reach_of(registry, file)
        assert (reach.how == "attached") == reached
        names = names_of(registry.environment, file)
        assert (attaching(entry, names, registry.settings) is not None) == reached


# rules above the working folder keep the meaning of their patterns
def test_patterns_of_a_folder_above_count_from_there(project: Project) -> None:
    project.make_repository()
    project.write(
        {
            ".devin/rules/a.md": "---\ntrigger: glob\nglobs: services/pay/src/**\n---\nA",
            ".windsurf/rules/b.md": "---\ntrigger: glob\nglobs: web/**\n---\nB",
            ".claude/rules/c.md": "---\npaths: '*.ts'\n---\nC",
            "services/pay/x.txt": "",
        }
    )
    registry = project.discover(cwd="services/pay")
    reached = {reach.entry.rule.name for reach in reach_of(registry, "src/a.ts") if reach.how == "attached"}
    assert reached == {"a", "c"}
    assert {entry.rule.name: entry.rule.globs for entry in registry.active}["b"] == ("../../web/**",)
