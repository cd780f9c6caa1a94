"""`xcsh config`: each setting's value and where it came from; sets one, unsets one, names the files."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from xcsh.cli.output import print_json, print_lines, say, say_finding, style_of
from xcsh.errors import UsageError
from xcsh.model.diagnostic import Diagnostic
from xcsh.model.settings import BY_KEY, Setting
from xcsh.model.source import Environment
from xcsh.sources.filesystem import make_environment
from xcsh.sources.settings.origin import Account, Said, accounts
from xcsh.sources.settings.reading import PROJECT_FILE, USER_FILE
from xcsh.sources.trust.deciding import is_trusted

_WAYS = """\
xcsh config                     every setting
xcsh config KEY                 one setting: what it takes, and who says what of it
xcsh config set KEY VALUE       write it into your settings (--project: the project's)
xcsh config unset KEY           take it out again
xcsh config path                where the settings files are

Lists take several values, or one with commas."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options. The words are no sub-parsers: a key may stand where an action does."""
    parser.usage = "xcsh config [KEY | set KEY VALUE | unset KEY | path] [options]"
    parser.epilog = _WAYS
    parser.add_argument("words", nargs="*", metavar="KEY", help="a setting, or what to do with one")
    parser.add_argument("--project", action="store_true", help="with set and unset: the project's file")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for the name of no setting; UsageError for what cannot be set."""
    environment = _environment(args)
    action, *rest = args.words or [""]
    args.action = action
    if args.project and action not in ("set", "unset"):
        raise UsageError("--project goes with set and unset", "xcsh config set KEY VALUE --project")
    if action == "set":
        return _set(args, environment, rest)
    if action == "unset":
        return _unset(args, environment, rest)
    if rest:
        _refuse(f"one setting at a time, not {len(args.words)} words")
    if action == "path":
        return _path(args, environment)
    if action and action not in BY_KEY:
        from xcsh.nearest import did_you_mean
        from xcsh.sources.settings.values import nearest_settings

        say(f"no setting is named {action!r}", did_you_mean(nearest_settings(action, most=3), "see: xcsh config"))
        return 1
    return _show(args, environment, action)


def _environment(args: argparse.Namespace) -> Environment:
    from xcsh.sources.settings.given import with_given

    return with_given(make_environment(args.cwd, args.home), os.environ, args.settings)


def _show(args: argparse.Namespace, environment: Environment, key: str = "") -> int:
    diagnostics: list[Diagnostic] = []
    found = accounts(environment, diagnostics.append, reference=args.reference)
    chosen = [account for account in found if key in ("", account.setting.key)]
    if args.json:
        from xcsh.surfaces.config_shapes import config_shape

        print_json(config_shape(environment, chosen, diagnostics))
        return 0
    from xcsh.surfaces.config_listing import render_config, render_setting

    style = style_of()
    print_lines(render_setting(chosen[0], environment, style) if key else render_config(chosen, environment, style))
    _tell(diagnostics)
    return 0


def _path(args: argparse.Namespace, environment: Environment) -> int:
    if args.json:
        from xcsh.surfaces.config_shapes import config_shape

        print_json(config_shape(environment, (), ()))
        return 0
    for path in (os.path.join(environment.home, USER_FILE), os.path.join(environment.cwd, PROJECT_FILE)):
        print_lines([path])
        if not os.path.lexists(path):
            sys.stdout.flush()
            say(f"{path} is not there yet")
    return 0


def _set(args: argparse.Namespace, environment: Environment, words: list[str]) -> int:
    from xcsh.sources.settings.editing import set_value
    from xcsh.sources.settings.given import named, value_of
    from xcsh.sources.settings.values import texts_of

    if len(words) < 2:  # noqa: PLR2004 - a key and a value
        _refuse("set takes a key and a value")
    setting = named(words[0])
    if len(words) > 2 and not isinstance(setting.default, tuple):  # noqa: PLR2004 - as above
        _refuse(f"`{setting.key}` takes one value, not {len(words) - 1}")
    value = value_of(setting, ",".join(words[1:]))
    if setting.key.startswith("consent."):  # what needs the agent's packages is loaded for those alone
        from xcsh.agent.consent.settings import check_patterns

        check_patterns(setting.key, texts_of(value))
    path = _file(args, environment, setting)
    trusted = args.project and is_trusted(environment)
    changed = set_value(path, setting.key, value)
    _say(f"{setting.key} is set in {path}" if changed else f"{setting.key} is already so in {path}")
    return _after(args, environment, setting, path, was_trusted=trusted)


def _unset(args: argparse.Namespace, environment: Environment, words: list[str]) -> int:
    from xcsh.sources.settings.editing import unset_value
    from xcsh.sources.settings.given import named

    if len(words) != 1:
        _refuse("unset takes one key")
    setting = named(words[0])
    path = _file(args, environment, setting, unset=True)
    trusted = args.project and is_trusted(environment)
    changed = os.path.lexists(path) and unset_value(path, setting.key)
    _say(f"{setting.key} is no longer set in {path}" if changed else f"{setting.key} is not set in {path}")
    return _after(args, environment, setting, path, was_trusted=trusted)


def _file(args: argparse.Namespace, environment: Environment, setting: Setting, *, unset: bool = False) -> str:
    """The file to change; UsageError for what a project may not set, and for a link that leaves the project."""
    if not args.project:
        return os.path.join(environment.home, USER_FILE)
    if setting.user_only and not unset:
        raise UsageError(
            f"no project can set `{setting.key}`", f"in your own settings: xcsh config set {setting.key} …"
        )
    from xcsh.sources.links import Boundary

    path = os.path.join(environment.cwd, PROJECT_FILE)
    outside = Boundary(os.path.realpath(environment.repo_root or environment.cwd)).outside(path)
    if outside is not None:
        raise UsageError(f"{path} is a link that leaves the project, to {outside}", "change that file by hand")
    return path


def _after(
    args: argparse.Namespace, environment: Environment, setting: Setting, path: str, *, was_trusted: bool
) -> int:
    """Says where something else decides than what the file now says, and where trust is needed for it."""
    found = accounts(environment, _ignore, reference=args.reference)
    account = next(each for each in found if each.setting == setting)
    if was_trusted and not is_trusted(environment):
        _say("the folder is trusted no longer, because its settings have changed", "look at them: xcsh trust")
    elif args.action == "set" and args.project and all(said.where != path for said in account.said):
        _say("it takes effect where the folder is trusted with these settings", "look at them: xcsh trust")
    elif (decided := _overridden(account, path)) is not None:
        from xcsh.surfaces.config_listing import origin_text, value_text

        where = origin_text(decided, environment)
        _say(f"it is {value_text(account.value)} all the same, because of {where}", f"see: xcsh config {setting.key}")
    elif account.forced:
        _say(f"it is {account.value} all the same, because of the reference", "see: xcsh config reference")
    return _show(args, environment, setting.key) if args.json else 0


def _overridden(account: Account, path: str) -> Said | None:
    """What decides in the place of what a file says of a setting."""
    deciding = account.deciding()
    said = [each for each in account.said if each.where == path]
    return deciding[-1] if said and deciding and said[0] not in deciding else None


def _tell(diagnostics: list[Diagnostic]) -> None:
    sys.stdout.flush()
    for diagnostic in diagnostics:
        say_finding(diagnostic)


def _ignore(_: Diagnostic) -> None:
    """A change was asked for, no look at the files."""


def _say(text: str, hint: str = "") -> None:
    sys.stdout.flush()
    say(text, hint)


def _refuse(message: str) -> NoReturn:
    raise UsageError(message, "xcsh config [KEY | set KEY VALUE | unset KEY | path]")
