"""Writes a project of rule files as people write them: the same files for the same number, on every machine."""

from __future__ import annotations

import os
import random

SEED = 20_261
AREAS = ("api", "billing", "cart", "search", "auth", "ui", "jobs", "mail", "admin", "db", "infra", "docs")
THINGS = ("errors", "tests", "naming", "logging", "forms", "queries", "caching", "money", "dates", "retries", "layout")
ENDINGS = ("ts", "tsx", "py", "go", "rs", "sql", "css")
TEXT = """
a the and of to for with when each never always before after return value caller file module function type test error
request response user order price total cart query index cache retry queue event handler state default keep write read
check name prefer avoid small explicit stable single public private input output boundary
"""
WORDS = TEXT.split()
IGNORE = """
__pycache__/ *.py[cod] *$py.class *.so build/ dist/ eggs/ .eggs/ lib64/ parts/ sdist/ var/ wheels/ *.egg-info/
.installed.cfg *.egg MANIFEST *.manifest *.spec pip-log.txt htmlcov/ .tox/ .nox/ .coverage .coverage.* .cache
nosetests.xml coverage.xml *.cover *.py,cover .hypothesis/ .pytest_cache/ cover/ *.mo *.pot *.log
local_settings.py db.sqlite3 db.sqlite3-journal instance/ docs/_build/ target/ .ipynb_checkpoints
profile_default/ ipython_config.py .pdm-python __pypackages__/ *.sage.py .env .venv env/ venv/ ENV/
.spyderproject .ropeproject /site .mypy_cache/ .dmypy.json .pyre/ .pytype/ cython_debug/ .idea/ node_modules/
npm-debug.log* yarn-error.log* .npm .eslintcache .stylelintcache *.tgz .yarn-integrity .parcel-cache .next out
.nuxt .vuepress/dist .temp .docusaurus .serverless/ .fusebox/ .dynamodb/ .tern-port .vscode-test .yarn/cache
*.tsbuildinfo
""".replace(" ", "\n")
"""What a project in Python and TypeScript ignores: some eighty patterns, most of them of no concern to rule files."""
SHARES = (("plain", 70), ("star", 15), ("json", 8), ("yaml", 7))


def write_project(folder: str, count: int) -> int:
    """Writes a repository with `count` rules in `.cursor/rules`; returns the bytes of the rule files."""
    chance = random.Random(f"{SEED}/{count}")
    rules = os.path.join(folder, ".cursor", "rules")
    os.makedirs(rules)
    os.mkdir(os.path.join(folder, ".git"))
    with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as file:
        file.write(IGNORE)
    kinds = [kind for kind, share in SHARES for _ in range(share)]
    total = 0
    for number in range(count):
        if number % 100 == 0:
            chance.shuffle(kinds)
        area, thing = chance.choice(AREAS), chance.choice(THINGS)
        text = f"---\n{_block(kinds[number % 100], area, thing, chance)}---\n\n{_body(area, thing, chance)}"
        data = text.encode()
        total += len(data)
        with open(os.path.join(rules, f"{area}-{thing}-{number:05}.mdc"), "wb") as file:
            file.write(data)
    return total


def _block(kind: str, area: str, thing: str, chance: random.Random) -> str:
    ending, other = chance.sample(ENDINGS, 2)
    always = str(chance.random() < 0.1).lower()
    description = f"How {thing} are done in {area}"
    if kind == "plain":
        globs = chance.choice(("", f" src/{area}/**", f" src/{area}/**/*.{ending},src/{area}/*.{other}"))
        return f"description: {description}\nglobs:{globs}\nalwaysApply: {always}\n"
    if kind == "star":
        globs = chance.choice((f"**/*.{ending}", f"**/*.{{{ending},{other}}}", f"*.{ending},*.{other}"))
        return f"description: {description}\nglobs: {globs}\nalwaysApply: false\n"
    if kind == "json":
        return f'description: "{description}"\nglobs: ["**/*.{ending}", "src/{area}/**"]\nalwaysApply: {always}\n'
    if chance.random() < 0.5:
        return f"description: {description}\nglobs:\n  - src/{area}/**\n  - '**/*.{ending}'\nalwaysApply: false\n"
    return f"description: >-\n  {description},\n  and what to do about {thing}\nalwaysApply: {always}\n"


def _body(area: str, thing: str, chance: random.Random) -> str:
    length = chance.randint(400, 4_000)
    parts = [f"# {thing.capitalize()} in {area}\n"]
    size = len(parts[0])
    while size < length:
        words = " ".join(chance.choices(WORDS, k=chance.randint(6, 18)))
        line = chance.choice(("- {}.\n", "{}.\n\n", "```\n{}\n```\n")).format(words)
        parts.append(line)
        size += len(line)
    return "".join(parts)[:length].rstrip() + "\n"
