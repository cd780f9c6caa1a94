"""Settings for people: each value and where it came from; and all there is to know about one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from xcsh.model.settings import Setting, variable_of
from xcsh.model.source import Environment, Level
from xcsh.sources.settings.origin import Account, Said
from xcsh.sources.settings.values import kind_of, texts_of
from xcsh.surfaces.layout import BOLD, CYAN, DIM, Style, columns, fit, plural, shown_path, visible, wrap

_REQUIREMENTS = re.compile(r" \([A-Z]-\d+[a-z]?(?:, [A-Z]-\d+[a-z]?)*\)")
_WIDEST_VALUE = 36
_LABEL = 10
_IN_PROJECT = "  project's items"
_Row = tuple[str, str, str, bool]
"""Name, value, origin, and whether it is marked as no default."""


def render_config(accounts: Sequence[Account], environment: Environment, style: Style) -> list[str]:
    """The lines of `xcsh config`."""
    rows = [row for account in accounts for row in _rows(account, environment)]
    changed = sum(_is_changed(account) for account in accounts)
    counts = f"{plural(len(accounts), 'setting')} · {changed or 'none'} not the default"
    lines = [style.paint(f"settings  {counts}", BOLD), ""]
    names = max(columns(name) for name, _, _, _ in rows)
    values = min(_WIDEST_VALUE, max(columns(value) for _, value, _, _ in rows))
    for name, value, origin, marked in rows:
        left = f"{'*' if marked else ' '} {style.paint(fit(name, names), BOLD if marked else CYAN)}"
        shown = value if columns(value) > values else fit(value, values)
        lines.append(f"{left}  {shown}  {style.paint(origin, DIM)}".rstrip())
    return [*lines, "", "more of one: xcsh config KEY   to change it: xcsh config set KEY VALUE"]


def render_setting(account: Account, environment: Environment, style: Style) -> list[str]:
    """The lines of `xcsh config KEY`."""
    setting = account.setting
    lines = [style.paint(setting.key, BOLD), *wrap("  ", summary_of(setting), style.width)]
    for name, value, origin, _ in _rows(account, environment):
        label = {setting.key: "value", _IN_PROJECT: "in project"}.get(name, "")
        lines.append(f"  {style.paint(fit(label, _LABEL), CYAN)}  {value}  {style.paint(origin, DIM)}")
    facts = (
        ("takes", kind_of(setting)),
        ("default", value_text(setting.default)),
        ("reference", "the same" if setting.reference is None else value_text(setting.reference)),
        ("variable", variable_of(setting.key)),
        ("set by", who_sets(setting)),
    )
    lines.extend(f"  {style.paint(fit(label, _LABEL), CYAN)}  {text}" for label, text in facts)
    if account.said:
        lines += ["", "what is said of it, the strongest last:"]
        lines.extend(_said_row(account, said, environment) for said in account.said)
    return lines


def summary_of(setting: Setting) -> str:
    """What a setting does, without the numbers of requirements."""
    return _REQUIREMENTS.sub("", setting.summary)


def who_sets(setting: Setting) -> str:
    """Whose file may set a key."""
    if setting.user_only:
        return "you alone, no project"
    return "you, and a project for its own items" if setting.project else "you, and a project that you trust"


def value_text(value: object) -> str:
    """A value in one line: numbers and bools as TOML writes them, texts bare."""
    if isinstance(value, bool):
        return str(value).lower()
    if texts_of(value) or value == ():
        return ", ".join(map(visible, texts_of(value))) or "[]"
    return f"{value:_}" if isinstance(value, int) else visible(str(value)) or '""'


def origin_text(said: Said, environment: Environment, element: int = -1) -> str:
    """Where something was said: `path:line`, a variable or a flag; of a list the line of one element."""
    if not os.path.isabs(said.where):
        return said.where
    position = said.elements[element] if 0 <= element < len(said.elements) else said.position
    return shown_path(said.where, environment) + (f":{position.line}" if position else "")


def _is_changed(account: Account) -> bool:
    return account.value != account.setting.default or account.differs_in_project


def _rows(account: Account, environment: Environment) -> Iterator[_Row]:
    """One line, or one for each element of a list; then those for the project's own items, where they differ."""
    key = account.setting.key
    changed = account.value != account.setting.default
    yield from _level_rows(key, account, Level.USER, environment, marked=changed)
    if account.differs_in_project:
        yield from _level_rows(_IN_PROJECT, account, Level.PROJECT, environment, marked=True)


def _level_rows(name: str, account: Account, level: str, environment: Environment, *, marked: bool) -> Iterator[_Row]:
    own = level == Level.PROJECT
    value = account.project_value if own else account.value
    deciding = account.deciding(level)
    if texts_of(value) and deciding:
        for row, (element, origin) in enumerate(_elements(deciding, environment)):
            yield "" if row else name, visible(element), origin, marked and not row
        return
    forced = account.project_forced if own else account.forced
    origin = ("reference" if forced else "default") if not deciding else origin_text(deciding[-1], environment)
    yield name, value_text(value), origin, marked


def _elements(deciding: Iterable[Said], environment: Environment) -> Iterator[tuple[str, str]]:
    for said in deciding:
        for index, element in enumerate(texts_of(said.value)):
            yield element, origin_text(said, environment, index)


def _said_row(account: Account, said: Said, environment: Environment) -> str:
    counts = said in account.deciding()
    own = said in account.deciding(Level.PROJECT)
    standing = "counts" if counts else "counts for the project's items" if own else "overridden"
    return f"  {origin_text(said, environment)}  {value_text(said.value)}  ({standing})"
