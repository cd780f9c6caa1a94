"""`xcsh expand`: what a call is sent as. Nothing is run."""

from __future__ import annotations

import argparse
import sys

from xcsh.cli.named_servers import server_called
from xcsh.cli.output import discover_all, print_json, say, say_finding, write_text
from xcsh.nearest import did_you_mean
from xcsh.slash.expansion import SKILL_PREFIX, Expansion, expand
from xcsh.slash.invocation import parse_invocation
from xcsh.slash.lookup import names_of, nearest_commands
from xcsh.surfaces.layout import visible
from xcsh.surfaces.skipped_commands import skipped_command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options."""
    parser.add_argument("text", nargs="+", metavar="'/NAME args'", help="the call, as it would be typed")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 for a call that no command answers; the text is printed unchanged all the same."""
    registry = discover_all(args)
    text = " ".join(args.text)
    expansion = expand(registry, text)
    if expansion.command is not None and expansion.command.path.endswith(".py"):
        say(f"/{expansion.command.name} is answered by code: {expansion.command.path}", "it is not run here: xcsh -p")
        expansion = Expansion(text, expansion.command, expansion.args)
    if args.json:
        from xcsh.surfaces.shapes import expansion_shape

        print_json(expansion_shape(expansion))
    else:
        write_text(expansion.text)
        _report(expansion)
    invocation = parse_invocation(text)
    if invocation is None or expansion.command is not None:
        return 0
    if server := server_called(invocation.name, registry.environment):
        message = f"/{invocation.name} is a prompt of the MCP server {server}, known only when the server runs"
        say(message, "nothing is started here: xcsh -p")
        return 1
    names = [*names_of(registry.commands.all), *names_of(registry.prompts.all)]
    names += [SKILL_PREFIX + name for name in names_of(registry.skills.all)]
    near = [f"/{name}" for name in nearest_commands(names, invocation.name)]
    message = f"no command is named /{invocation.name}; it would be sent to the model as it stands"
    hint = did_you_mean(near, "see: xcsh commands")
    if skipped := skipped_command(registry, invocation.name):
        hint = f"{skipped.place} is skipped: {skipped.reason}\n{skipped.hint}".rstrip()
    say(message, hint)
    return 1


def _report(expansion: Expansion) -> None:
    if expansion.command is None:
        return
    if sys.stdout.isatty():
        sys.stdout.write("\n")
    sys.stdout.flush()
    for item in expansion.diagnostics:
        say_finding(item)
    if not expansion.includes:
        return
    from shlex import quote

    from xcsh.slash.includes import SHELL

    say("before it is sent, and not here:")
    for each in expansion.includes:
        given = "".join(f" {name}={quote(value)}" for name, value in each.values)
        does = f"runs{given} sh -c" if each.kind == SHELL else "includes, if it is there,"
        print(f"  {visible(does)} {visible(quote(each.text) if each.kind == SHELL else each.text)}", file=sys.stderr)
