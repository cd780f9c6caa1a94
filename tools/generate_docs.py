"""Writes what is made from tables: pages of docs/, and the events of the schema. `--check` only compares."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence

from compatibility import HEAD, rows
from event_docs import SCHEMA, events_page, schema_text

from xcsh.model.arguments import ArgumentSyntax, Includes, Names, Whole
from xcsh.model.codes import CODES
from xcsh.model.diagnostic import Severity
from xcsh.model.provider import CommandTable, OwnerKeys, Provider, Reader, RuleTable
from xcsh.model.rule import Activation
from xcsh.model.settings import SETTINGS, Setting
from xcsh.model.source import SKIP_REASONS, Level, Naming, Root, Source
from xcsh.parsing import readers
from xcsh.providers import BUILTIN_PROVIDERS

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
NOTE = "<!-- Generated from {table} by tools/generate_docs.py. Change the table, then run `make docs`. -->"

REQUIREMENT = re.compile(r" \(R-\d+\)")

READERS: dict[Reader, str] = {
    readers.as_it_stands: "any value, as it stands",
    readers.text: "a text; anything else is dropped",
    readers.only_true: "`true`; anything else counts as absent",
    readers.boolean: "`true` or `false`; anything else is dropped",
    readers.strings: "a pattern, or the texts of a list",
    readers.text_or_texts: "a text, or the texts of a list",
}
EFFECTS: dict[str | None, str] = {
    Activation.ALWAYS: "in every prompt",
    Activation.GLOB: "attached where a file matches",
    Activation.MODEL: "listed, the model decides by the description",
    Activation.MANUAL: "inactive: only when it is asked for",
    Activation.DISABLED: "inactive: switched off",
    None: "decides nothing, the other keys count",
}
PROBES: dict[str, tuple[tuple[str, object], ...]] = {
    "trigger": (
        ("always_on", "always_on"),
        ("model_decision", "model_decision"),
        ("glob", "glob"),
        ("manual", "manual"),
        ("anything else", "something-else"),
    ),
    "paths": (('["src/**"]', ["src/**"]), ("[]", []), ("a text", "src/**"), ("a list with an empty text", [""])),
    "applyTo": (("'**'", ["**"]), ("src/**", ["src/**"]), ("''", "")),
    "inclusion": tuple((word, word) for word in ("always", "fileMatch", "auto", "manual", "something else")),
    "type": tuple((word, word) for word in ("always_apply", "agent_requested", "manual", "something else")),
}
"""Values of owners' keys to show: as they are written, and as they are read. What they do is asked of the table."""


SETTINGS_IN_WORDS = """\
Every key has a default, so that none of this is needed. Of two places that set a key, the one further down wins:

| place | whose | reaches |
|---|---|---|
| `~/.xcsh/agent/settings.toml` | yours | everything |
| `.xcsh/settings.toml` | the project's | its own rules and commands, by the keys marked *project* below |
| `XCSH_TTSR_ENABLED=false` | your environment's | everything |
| `--set ttsr.enabled=false` | this call's | everything |

The file of a project that you trust (`xcsh trust`) reaches everything, but for the keys marked *you alone*. A folder
that you have just cloned cannot change how your own rules are read, or what needs your consent.

Lists are joined: what you deny stays denied, whatever else is said. `reference = true`, `XCSH_REFERENCE=1` or
`--reference` sets every key with a reference value to it, whatever any place says of that key.

```toml
# ~/.xcsh/agent/settings.toml
[requests]
attempts = 2

[consent]
deny = ["shell(rm:*)"]
```

```toml
# .xcsh/settings.toml
[rules]
attach = "advisory"      # for the rules of this project

[requests]
attempts = 9             # ignored, with a finding, until you trust the project
```

```console
$ XCSH_REQUESTS_ATTEMPTS=3 xcsh config requests.attempts
requests.attempts
  How often one request is made, where it fails for a reason that passes.
  value       3  XCSH_REQUESTS_ATTEMPTS
  …
what is said of it, the strongest last:
  ~/.xcsh/agent/settings.toml:3  2  (overridden)
  XCSH_REQUESTS_ATTEMPTS  3  (counts)
```

## Looking and changing

| | |
|---|---|
| `xcsh config` | every key with its value and where that came from; `*` marks what is no default |
| `xcsh config KEY` | one key: what it takes, its default, and what every place says of it |
| `xcsh config set KEY VALUE` | writes it into your file; comments and order stay (needs `xcsh[agent]`) |
| `xcsh config unset KEY` | takes it out again |
| `… --project` | the same with the project's file; where the project was trusted, trust it again |
| `xcsh config path` | where the two files are |

## Variables and flags

The variable of a key is `XCSH_` and the key in capitals, with underscores for dots: `ttsr.repeat_gap` is
`XCSH_TTSR_REPEAT_GAP`. `--set KEY=VALUE` goes with every verb and with `-p`, as often as needed. In both, true and
false may be `1` and `0`, and commas separate the elements of a list, but for those in parentheses:
`XCSH_CONSENT_DENY='shell(rm:*),shell(git push:*)'`. An empty variable says nothing. `XCSH_REFERENCE` is on for every
text but `0` and `false`. A program gives both to `xcsh.discover(variables=…, settings=…)`, which looks up no
environment by itself.

## What is wrong

An unknown key is a finding with its line and column and the nearest name; so is a value that a key does not take, and
a key that a project may not set. The rest of the file counts. A file that is no TOML, or sets a key twice, is one
finding, and nothing of it counts. A variable with a bad value is a finding that names it; one whose name is nearly
that of a key is a hint, and others that begin with `XCSH_` are your own business. A bad `--set` ends the call.

## Keys
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table; bars in cells are escaped."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines.extend(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)
    return lines


def providers_page() -> str:
    """docs/providers.md."""
    ordered = sorted(BUILTIN_PROVIDERS, key=lambda provider: -provider.priority)
    lines = [
        "# Where rules are read",
        "",
        NOTE.format(table="src/xcsh/providers/"),
        "",
        "Each tool's files are read as that tool reads them. When two files give a rule of the same name, the one",
        "further up in this table wins, and the other is shown as shadowed; within a tool the order of its places",
        "decides, then the file name. *Reference* tools are read in every mode; the others stop with",
        '`discovery.providers = "reference"`. With `rules.activation = "reference"` a tool\'s own key and its',
        "defaults for files with frontmatter decide nothing.",
        "",
        *table(
            ("priority", "tool", "id", "places", ""),
            (
                (
                    str(provider.priority),
                    f"[{heading(provider)}](#{anchor(heading(provider))})",
                    f"`{provider.id}`",
                    places(provider),
                    "reference" if provider.reference else "beyond",
                )
                for provider in ordered
            ),
        ),
        "",
        'Switch one off, or a single rule, with `discovery.disabled = ["windsurf", "rule:old-notes"]` in your',
        "[settings](settings.md).",
    ]
    for provider in ordered:
        lines += ["", *provider_section(provider)]
    return "\n".join(lines) + "\n"


def compatibility_page() -> str:
    """docs/compatibility.md."""
    lines = [
        "# Which files of which tool",
        "",
        NOTE.format(table="src/xcsh/providers/"),
        "",
        "What is found and read, by tool. [formats.md](formats.md) says how, [providers.md](providers.md) names every",
        "place. *Patterns* is the key by which a rule says for which files it is; *what the tool takes* is a limit of",
        "the tool, above which `xcsh doctor` warns: nothing is cut here. AGENTS.md is the file that Codex, Amp, Zed,",
        "Cursor, Roo Code and others share.",
        "",
        *table(HEAD, rows(BUILTIN_PROVIDERS)),
    ]
    return "\n".join(lines) + "\n"


def provider_section(provider: Provider) -> list[str]:
    """One provider's part of the page."""
    lines = [f"## {heading(provider)}"]
    if provider.reads:
        lines += ["", f"What the tool does: {provider.reads}."]
    if provider.rules is not None:
        lines += ["", *rules_section(provider, provider.rules)]
    for noun, commands in (
        ("Commands", provider.commands),
        ("Prompt templates", provider.prompts),
        ("Skills", provider.skills),
    ):
        if commands is not None:
            lines += ["", *commands_section(noun, commands)]
    return lines


def places(provider: Provider) -> str:
    """All the places that a provider looks at, each once."""
    tables = (provider.rules, provider.commands, provider.prompts, provider.skills)
    found = [f"`{place(source)}`" for items in tables if items is not None for source in items.sources]
    return ", ".join(dict.fromkeys(found)) or "named by a registry"


def rules_section(provider: Provider, rules: RuleTable) -> list[str]:
    """Where a tool's rules are and what is kept of them."""
    lines = table(
        ("", "place of rules", "whose", "what is a rule"),
        ((str(row), f"`{place(source)}`", whose(source), files(source)) for row, source in enumerate(rules.sources, 1)),
    )
    if rules.plugins:
        lines = ["The `rules` folder of every plugin in `~/.claude/plugins/installed_plugins.json`, in its order."]
    if rules.fields is None:
        lines += ["", "No frontmatter: the text is the rule, as it stands."]
    else:
        lines += [
            "",
            *table(
                ("key", "what is kept"),
                (
                    ("`description`", READERS[rules.fields.description]),
                    ("`globs`", READERS[rules.fields.globs]),
                    ("`alwaysApply`", READERS[rules.fields.always_apply]),
                    ("`condition`", READERS[readers.text_or_texts]),
                    ("`ttsr_trigger`, where `condition` is absent", READERS[rules.fields.trigger]),
                ),
            ),
        ]
    if about := list(owner_lines(rules.owner, has_block=rules.fields is not None)):
        lines += ["", *about]
    if not provider.yaml_needs_quotes:
        lines += [
            "",
            "An unquoted pattern such as `globs: *.ts` is what this tool wants, so no hint here advises quotes.",
        ]
    if rules.context:
        lines += [
            "",
            "Context files: a rule elsewhere that repeats one word for word is not said twice (`prompt.dedupe`).",
        ]
    if rules.imports:
        folders = " and ".join(f"`~/{home}`" for home in rules.homes)
        lines += ["", f"`@path` stands for a file of the project, or of {folders}, five levels deep."]
    if rules.hides_comments:
        lines += ["", "HTML comments that begin a line are left out, except in code."]
    if rules.name_key:
        lines += ["", "Frontmatter `name` is the rule's name."]
    return lines


def commands_section(noun: str, commands: CommandTable) -> list[str]:
    """Where a tool's commands are and how they are read."""
    lines = table(
        ("", f"place of {noun.lower()}", "whose", "what is one"),
        (
            (str(row), f"`{place(source)}`", whose(source), files(source))
            for row, source in enumerate(commands.sources, 1)
        ),
    )
    if commands.plugins:
        lines = [
            "The `commands` folder of every plugin in `~/.claude/plugins/installed_plugins.json`, in its order.",
            "`/plugin:name` always works, `/name` where it is the first of that name.",
        ]
    if commands.name_key:
        lines += ["", "Frontmatter `name` overrides the file name."]
    if commands.alias:
        lines += ["", f"`/{commands.alias.format(name='NAME', path='PATH')}` always works."]
    if commands.arguments is not None:
        when = "Arguments" if commands.beyond else 'With `commands.arguments = "tool"` arguments'
        lines += ["", f"{when} are the tool's own: {', '.join(arguments_of(commands.arguments))}."]
    return lines


def arguments_of(syntax: ArgumentSyntax) -> Iterable[str]:
    """The placeholders and includes of a tool's syntax, one phrase each."""
    if syntax.first is not None:
        missing = ", which stays where there is no such argument" if syntax.keeps_missing else ""
        yield f"`${syntax.first}` is the first{missing}"
        if syntax.rest:
            yield "the highest number takes the rest"
    if syntax.whole is not None:
        yield f"`$ARGUMENTS` is all of them {'as typed' if syntax.whole == Whole.TYPED else 'joined by a space'}"
    if syntax.names is not None:
        listed = syntax.names == Names.LISTED
        yield f"`$name` is {'one that frontmatter lists' if listed else 'given as `name=value`'}"
    if syntax.braces:
        yield "`{{args}}` is all of them as typed"
    if syntax.inputs:
        yield "`${input:name:hint}` is given as `name=value` or in its order"
    if syntax.includes == Includes.MARKS:
        yield "`` !`command` `` and `@file` are [includes](command-formats.md)"
    if syntax.includes == Includes.BRACES:
        yield "`!{command}` and `@{file}` are [includes](command-formats.md)"
    yield "what a template does not take follows it"


def owner_lines(owner: OwnerKeys, *, has_block: bool) -> Iterable[str]:
    """What the owning tool's own key and defaults decide."""
    if owner.key and owner.decide:
        yield f"The tool's own key `{owner.key}` decides, unless `alwaysApply` is given:"
        yield ""
        rows = (
            (f"`{text}`" if " " not in text else text, EFFECTS[owner.decide(value)])
            for text, value in PROBES.get(owner.key, ())
        )
        yield from table((f"`{owner.key}`", "effect"), rows)
        if owner.patterns:
            yield ""
            yield f"Where `globs` is absent, the patterns of `{owner.key}` are the rule's globs."
    defaults = (
        ("A file without frontmatter" if has_block else "Every file", owner.bare_default),
        ("A file whose keys decide nothing", owner.default),
    )
    said = [f"{subject}: {EFFECTS[activation]}." for subject, activation in defaults if activation]
    if said:
        if owner.key:
            yield ""
        yield " ".join(said)


def place(source: Source) -> str:
    """A row's path as people write it."""
    path = source.path
    if source.root == Root.HOME:
        path = f"~/{path}"
    if source.root == Root.PACKAGE:
        path = f"xcsh/{path}"
    return path if source.name and not source.extensions else f"{path}/"


def whose(source: Source) -> str:
    """Level and reach of a row."""
    reach = {
        Root.ANCESTORS: ", from the repository root down to the working folder",
        Root.ABOVE: ", from the repository root down to the folder above the working folder",
        Root.NESTED: ", in every folder below the working folder, for that folder",
        Root.NEAREST: ", the nearest one walking up, and only that",
    }
    owner = {Level.USER: "yours", Level.NATIVE: "the package's"}.get(source.level, "the project's")
    also = f"; where there is a `{source.beside}`" if source.beside else ""
    return owner + reach.get(source.root, "") + also


def files(source: Source) -> str:
    """Which files of a row are rules."""
    if source.marker:
        return f"every folder that holds a `{source.marker}`"
    if not source.extensions:
        unless = f"; not beside {' or '.join(f'`{other}`' for other in source.instead)}" if source.instead else ""
        return f"the file, as the rule `{source.name}`{unless}"
    parts = [" and ".join(f"`*{extension}`" for extension in source.extensions)]
    if source.more_extensions:
        parts.append(
            "beyond the reference also " + " and ".join(f"`*{extension}`" for extension in source.more_extensions)
        )
    if source.name:
        parts.append(f"a file of that name is the rule `{source.name}`")
    if source.naming == Naming.FILE:
        parts.append("named by the file alone")
    if source.naming == Naming.TWO_PARTS:
        parts.append("named by file and folder")
    if source.always:
        parts.append("always on, whatever it says")
    if source.reserved:
        parts.append("not " + ", ".join(f"`{folder}/`" for folder in source.reserved))
    return "; ".join(parts)


def diagnostics_page() -> str:
    """docs/diagnostics.md."""
    lines = [
        "# Diagnostics",
        "",
        NOTE.format(table="src/xcsh/model/codes.py"),
        "",
        "What `xcsh doctor` can say of a file. A finding never stops anything: the other files load all the same, and",
        "a file that cannot be understood never applies to more than its author wrote. `xcsh doctor` exits with 1 on",
        "errors, with `--strict` on warnings too.",
    ]
    for severity in Severity.ORDER:
        codes = [code for code, entry in CODES.items() if entry.severity == severity]
        if codes:
            lines += ["", f"**{severity}**: " + ", ".join(f"[{code}](#{code})" for code in codes)]
    for code, entry in CODES.items():
        lines += ["", f"## {code}", "", f"*{entry.severity}* · **{entry.summary}.** {entry.explanation}", ""]
        lines += [f"- seen with: {entry.example}"]
        if entry.hint:
            lines += [f"- what to do: {entry.hint}"]
    lines += [
        "",
        "# Why a file is skipped",
        "",
        "Every file in a rules folder is an active rule, a shadowed one, or skipped for one of these reasons",
        "(`xcsh rules --all`).",
        "",
        *table(("reason", "meaning"), ((f"`{reason}`", text) for reason, text in SKIP_REASONS.items())),
    ]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """docs/settings.md."""
    lines = [
        "# Settings",
        "",
        NOTE.format(table="src/xcsh/model/settings.py"),
        "",
        SETTINGS_IN_WORDS,
        *table(
            ("key", "values", "default", "reference", "who", "what it does"),
            (
                (
                    f"`{setting.key}`",
                    values(setting),
                    toml(setting.default),
                    toml(setting.reference) if setting.reference is not None else "",
                    who(setting),
                    REQUIREMENT.sub("", setting.summary),
                )
                for setting in SETTINGS
            ),
        ),
    ]
    return "\n".join(lines) + "\n"


def who(setting: Setting) -> str:
    """Whose file may set a key."""
    if setting.user_only:
        return "you alone"
    return "you, project" if setting.project else "you"


def values(setting: Setting) -> str:
    """The values that a key takes."""
    if setting.choices:
        return ", ".join(toml(choice) for choice in setting.choices)
    number = "a positive number" if setting.least else "a number from 0 on"
    kinds: dict[type, str] = {bool: "true, false", int: number, str: "a text", tuple: "a list of texts"}
    return kinds[type(setting.default)]


def toml(value: object) -> str:
    """A value as it stands in a settings file."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[]`"
    return f"`{value:_}`" if isinstance(value, int) else f'`"{value}"`'


def heading(provider: Provider) -> str:
    """The title, with what the provider is for where another one has the same title."""
    titles = [other.title for other in BUILTIN_PROVIDERS]
    if titles.count(provider.title) == 1 or provider.reference:
        return provider.title
    return f"{provider.title} ({provider.id})"


def anchor(title: str) -> str:
    """The fragment by which a heading is linked."""
    return "".join(
        character for character in title.lower().replace(" ", "-") if character.isalnum() or character in "-_"
    )


PAGES: dict[str, Callable[[], str]] = {
    "providers.md": providers_page,
    "diagnostics.md": diagnostics_page,
    "settings.md": settings_page,
    "compatibility.md": compatibility_page,
    "events.md": lambda: events_page(NOTE.format(table="src/xcsh/session/events.py and src/xcsh/agent/events.py")),
    os.path.relpath(SCHEMA, DOCS): schema_text,
}


def main(arguments: list[str]) -> int:
    """Writes every page; with `--check` says which differ from their tables and returns 1."""
    stale = False
    for name, render in PAGES.items():
        path = os.path.normpath(os.path.join(DOCS, name))
        shown = os.path.relpath(path, os.path.dirname(DOCS))
        text = render()
        current = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                current = file.read()
        if current == text:
            continue
        if "--check" in arguments:
            stale = True
            change = difflib.unified_diff(current.splitlines(), text.splitlines(), shown, "the table", lineterm="", n=0)
            print("\n".join(list(change)[:20]))
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"wrote {shown}")
    if stale:
        print("generated pages are not current; run: make docs")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
