"""`xcsh completion`: what makes a shell complete the words of `xcsh` (U-6)."""

from __future__ import annotations

import argparse

from xcsh.cli.output import discover_for

_BASH = """\
# xcsh: completion for bash. In ~/.bashrc: eval "$(xcsh completion bash)"
_xcsh() {
    local line odd='[^[:alnum:]_./:@%+=,~-]' quoted="[\\"']*"
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line =~ $odd && $2 != $quoted ]]; then
            printf -v line %q "$line"
        fi
        COMPREPLY+=("$line")
    done < <(xcsh completion --line "${COMP_LINE:0:COMP_POINT}" --word "=$2" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ( ${COMPREPLY[0]} == */ || ${COMPREPLY[0]} == *= ) ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _xcsh xcsh
"""
_ZSH = """\
#compdef xcsh
# xcsh: completion for zsh. In ~/.zshrc, after compinit: eval "$(xcsh completion zsh)"
_xcsh() {
    local -a texts shown open open_shown
    local text about
    while IFS=$'\\t' read -r text about; do
        if [[ $text == */ || $text == *= ]]; then
            open+=("$text")
            open_shown+=("${text}${about:+  -- $about}")
        else
            texts+=("$text")
            shown+=("${text}${about:+  -- $about}")
        fi
    done < <(xcsh completion --line "${(j: :)${(@)words[1,CURRENT]}}" --about 2>/dev/null)
    if (( ${#open} )); then compadd -S '' -l -d open_shown -- "${open[@]}"; fi
    if (( ${#texts} )); then compadd -l -d shown -- "${texts[@]}"; fi
}
compdef _xcsh xcsh
"""
_FISH = """\
# xcsh: completion for fish. In ~/.config/fish/config.fish: xcsh completion fish | source
complete -c xcsh -f -a '(xcsh completion --line (commandline -cp | string collect) --about 2>/dev/null)'
"""
_FIRST = {
    "bash": 'eval "$(xcsh completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(xcsh completion zsh)" in ~/.zshrc, after compinit',
    "fish": "xcsh completion fish | source in ~/.config/fish/config.fish",
}
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's own options; those that the scripts use are not shown."""
    parser.epilog = "\n".join(f"{shell}: {_FIRST[shell]}" for shell in SCRIPTS)
    parser.add_argument("shell", nargs="?", choices=list(SCRIPTS), help="prints what the shell has to run")
    parser.add_argument("--line", help=argparse.SUPPRESS)
    parser.add_argument("--word", help=argparse.SUPPRESS)
    parser.add_argument("--about", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """UsageError where neither a shell nor a line is given."""
    if args.line is None:
        return _print_script(args.shell)
    from xcsh.cli.completing import complete, words_of

    words = words_of(args.line)
    found = complete(words, args.cwd, args.home, lambda: discover_for(args))
    # bash breaks words at colons too, and wants what follows the last break
    last = args.word.removeprefix("=") if args.word is not None else None  # with a sign, since `--` is no value
    done = len(words[-1]) - len(last) if last is not None and words[-1].endswith(last) else 0
    for word in found:
        print(f"{word.text}\t{word.about}" if args.about and word.about else word.text[done:])
    return 0


def _print_script(shell: str | None) -> int:
    from xcsh.errors import UsageError

    if shell is None:
        raise UsageError("completion for which shell?", f"choose of: {', '.join(SCRIPTS)}")
    print(SCRIPTS[shell], end="")
    return 0
