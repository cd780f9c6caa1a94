"""What of consent stands in settings and flags, and what is said of it before a turn."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from xcsh.agent.consent.patterns import EDIT_FILE, FILE_TOOLS, SHELL, WRITE_FILE, Pattern, parse_pattern
from xcsh.agent.consent.permissions import Permissions, Policy
from xcsh.agent.consent.steering_files import names_of
from xcsh.errors import UsageError
from xcsh.guard.tools import canonical
from xcsh.model.diagnostic import Diagnostic, Position, Report, Severity, ignore
from xcsh.model.registry import Registry
from xcsh.nearest import did_you_mean, nearest
from xcsh.parsing.finding import Finding
from xcsh.sources.settings.reading import USER_FILE
from xcsh.sources.settings.values import texts_of

READ_TOOLS = ("read_file", "list_files", "grep", "read_rule")
"""Change nothing and need no consent."""

CHANGING_TOOLS = (WRITE_FILE, EDIT_FILE, SHELL)
WORDS = {"write": WRITE_FILE, "edit": EDIT_FILE, "shell": SHELL}
"""What `--allow` takes beside patterns."""

_ALLOW, _DENY = "consent.allow", "consent.deny"
_SHOWN = 3
_GUARDING = re.compile(r"`(?:consent\b|sandbox\b|XCSH_CONSENT_|XCSH_SANDBOX\b)|did you mean `(?:consent\.|sandbox`)")
"""In a finding on settings: that it concerns what guards the user."""
_CLOSE = 0.8


def grants(values: Iterable[str]) -> frozenset[str]:
    """The patterns that the values of `--allow` give, each a comma-separated list of words and patterns.

    Raises UsageError for what is neither.
    """
    return frozenset(_granted(part) for value in values for part in _parts(value) if part)


def check_settings(registry: Registry) -> None:
    """Raises UsageError where what the user's settings say of consent or of the sandbox cannot be read.

    A file that is no TOML, a wrong value or a misspelt key would allow what was meant to be refused: nothing is begun.
    """
    path = os.path.join(registry.environment.home, USER_FILE)
    for item in registry.diagnostics:
        own = item.path == path or item.code == "invalid-variable"
        if own and (item.code == "invalid-settings-file" or _GUARDING.search(item.message)):
            place = f"{item.path}:{item.position.line}: " if item.path and item.position else ""
            hint = "mend it first: it may say what must not be done without asking (see: xcsh config)"
            raise UsageError(f"{place}{item.message}", hint)


def permissions_of(
    registry: Registry, allow: Iterable[str] = (), *, asks: bool = False, report: Report | None = None
) -> Permissions:
    """The permissions that the settings and the patterns `allow` give. `asks`: whether anybody can be asked.

    An entry of `consent.allow` that is no pattern allows nothing and is reported. Raises UsageError for one of
    `consent.deny`: it would refuse less than it was meant to. So it does as `check_settings` says.
    """
    check_settings(registry)
    settings = registry.settings
    always = _patterns(registry, _ALLOW, report or ignore)
    broken: list[Diagnostic] = []
    deny = _patterns(registry, _DENY, broken.append)
    if broken:
        first = broken[0]
        place = f"{first.path}:{first.position.line}: " if first.position else ""
        raise UsageError(f"{place}{first.message}", first.hint)
    policy = Policy(asks=asks, edits=asks and settings.get("consent.edits") != "ask")
    return Permissions(
        always, map(parse_pattern, sorted(allow)), policy, deny=deny, given_by="--allow",
        steering=names_of(registry.installed),
    )  # fmt: skip


def findings_on_patterns(registry: Registry) -> list[Diagnostic]:
    """Each entry of `consent.allow` and of `consent.deny` that is no pattern. Reads files where there is one."""
    found: list[Diagnostic] = []
    for key in (_ALLOW, _DENY):
        _patterns(registry, key, found.append)
    return found


def _patterns(registry: Registry, key: str, report: Report) -> list[Pattern]:
    """The patterns of a setting. An entry that is none counts for nothing and is reported where it was said."""
    patterns: list[Pattern] = []
    for text in dict.fromkeys(registry.settings.texts(key)):
        try:
            patterns.append(parse_pattern(text))
        except UsageError as error:
            who, path, position = _said(registry, key, text)
            severity = Severity.ERROR if key == _DENY else None
            finding = Finding(path)
            message = f"{who}: {error}"
            report(finding.make("invalid-consent-pattern", position, message, hint=error.hint, severity=severity))
    return patterns


def _said(registry: Registry, key: str, text: str) -> tuple[str, str, Position | None]:
    """What names an entry of a list to the user, and where it stands: with a file, its path and the place in it."""
    from xcsh.sources.settings.origin import accounts  # noqa: PLC0415 - only where an entry is wrong

    account = next(each for each in accounts(registry.environment, ignore) if each.setting.key == key)
    said = next((each for each in account.deciding() if text in texts_of(each.value)), None)
    if said is None:  # the file is another one by now
        return key, "", None
    if said.kind in ("user", "project"):
        at = texts_of(said.value).index(text)
        return key, said.where, said.elements[at] if at < len(said.elements) else said.position
    return f"{said.where} {key}" if said.kind == "flag" else said.where, "", None


def check_patterns(key: str, texts: Iterable[str]) -> None:
    """Raises UsageError where one of the texts for a setting of patterns is none: it would do nothing."""
    if key not in (_ALLOW, _DENY):
        return
    for text in texts:
        try:
            parse_pattern(text)
        except UsageError as error:
            raise UsageError(f"{key}: {error}", error.hint) from None


def keep_in_settings(registry: Registry) -> Callable[[str], object]:
    """Writes a pattern to `consent.allow` of the user's settings. Reads and writes files; raises UsageError."""
    path = os.path.join(registry.environment.home, USER_FILE)

    def keep(pattern: str) -> None:
        from xcsh.sources.settings.editing import add_to_list  # noqa: PLC0415 - few sessions write settings

        add_to_list(path, _ALLOW, pattern)

    return keep


def refused(permissions: Permissions) -> tuple[str, ...]:
    """The tools that are not offered while nobody can be asked, in a fixed order."""
    return tuple(tool for tool in CHANGING_TOOLS if not permissions.policy.asks and not permissions.names(tool))


def told_to_the_model(permissions: Permissions) -> str:
    """What the instructions say of what the model may not do; empty where nothing is refused."""
    texts: list[str] = []
    if missing := refused(permissions):
        texts.append(
            f"Not available in this run, because nobody is here to consent: {', '.join(missing)}. "
            "Do not try to call them. Show what you would change or run, as text, and say that it was not done."
        )
    if limited := _limited(permissions):
        texts.append(
            f"Nobody is here to consent, so only this is allowed of the tools named: {', '.join(limited)}. "
            "A command must be exactly one program with its arguments: no operators, redirections and variables."
        )
    return "\n".join(texts)


def told_to_the_user(permissions: Permissions) -> str:
    """One line on what the model may not do and how to allow it; empty where it may do everything."""
    missing = refused(permissions)
    words = [word for word, tool in WORDS.items() if tool in missing]
    texts = [f"the model may not use {', '.join(missing)}; to let it: --allow {','.join(words)}"] if missing else []
    if limited := _limited(permissions):
        more = f" and {len(limited) - _SHOWN} more" if len(limited) > _SHOWN else ""
        texts.append(f"allowed is only {', '.join(limited[:_SHOWN])}{more}")
    return "; ".join(texts)


def _limited(permissions: Permissions) -> list[str]:
    """The patterns of tools that are offered for some uses only."""
    if permissions.policy.asks:
        return []
    patterns = permissions.patterns
    whole = {pattern.tool for pattern in patterns if pattern.argument is None}
    whole |= set(FILE_TOOLS) if WRITE_FILE in whole else set()
    texts = (pattern.text for pattern in patterns if pattern.tool in CHANGING_TOOLS and pattern.tool not in whole)
    return list(dict.fromkeys(texts))


def _parts(value: str) -> list[str]:
    """The value at its commas, but for those between the parentheses of a pattern."""
    parts: list[str] = []
    for piece in value.split(","):
        if parts and "(" in parts[-1] and not parts[-1].rstrip().endswith(")"):
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return [part.strip() for part in parts]


def _granted(part: str) -> str:
    tool = WORDS.get(part)
    if tool is not None:
        return tool
    try:
        pattern = parse_pattern(part)
    except UsageError as error:
        raise UsageError(f"--allow: {error}", error.hint) from None
    if pattern.tool in CHANGING_TOOLS:
        return pattern.text
    near = _meant(pattern.tool)
    if near or (pattern.argument is None and "_" not in pattern.tool):
        choice = f"choose of: {', '.join(WORDS)}; or give a pattern: --allow 'shell(git status:*)'"
        meant = near if pattern.argument is None else f"'{WORDS.get(near)}({pattern.argument})'"
        hint = did_you_mean([f"--allow {meant}"] if near else [], choice)
        raise UsageError(f"--allow: {part!r} is no tool that can be allowed", hint)
    return pattern.text


def _meant(tool: str) -> str:
    """The word of `--allow` for a tool that other agents call so, or whose name is nearly that; empty for none."""
    if tool.startswith("mcp"):
        return ""
    known = {"bash": "shell"}
    near = nearest(tool, [*WORDS, *CHANGING_TOOLS], alike=_CLOSE)
    name = canonical(near[0] if near else tool)
    return known.get(name, name if name in WORDS else "")
