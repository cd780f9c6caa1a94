"""Files that nobody calls and that take effect all the same: at a login, a commit, an installation, an opened folder.

Who may write one of them has whatever it starts run as the user, later and outside of every question. A Makefile or a
package.json is not among them: it runs when somebody calls it, and is what agents are asked to edit.
"""

from __future__ import annotations

from typing import NamedTuple


class Steering(NamedTuple):
    """Names of files and folders, `/` between a folder and what is in it, and a half sentence on all of them. A `*` in
    one stands for any letters.
    """

    why: str
    names: tuple[str, ...]


_LEFTHOOK = tuple(
    f"{name}.{ending}"
    for name in ("lefthook", ".lefthook", "lefthook-local", ".lefthook-local")
    for ending in ("yml", "yaml", "toml", "json", "jsonc")
)

RUN_BY_THEMSELVES = (
    Steering("a shell runs it when it starts", (
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
        ".zprofile", ".zlogin", ".zlogout", ".zsh", ".oh-my-zsh", ".cshrc", ".tcshrc", ".login", ".logout", ".kshrc",
        ".mkshrc", ".inputrc", ".config/fish", ".config/nushell", ".config/zsh", ".config/bash",
        ".config/powershell", "Documents/PowerShell", "Documents/WindowsPowerShell", "profile.ps1",
        "Microsoft.PowerShell_profile.ps1", ".config/starship.toml", ".local/share/fish", ".local/share/zsh",
    )),
    Steering("a shell runs it when it completes a word", (
        ".bash_completion", ".local/share/bash-completion",
    )),
    Steering("your system runs it at a login or at a time", (
        ".config/systemd", ".config/autostart", ".config/environment.d", ".config/plasma-workspace", ".local/bin",
        ".local/share/systemd", ".local/share/dbus-1", ".pam_environment", ".xprofile", ".xinitrc", ".xsession",
        ".xsessionrc", ".xserverrc", ".crontab", "Library/LaunchAgents", "Library/LaunchDaemons",
    )),
    Steering("your desktop runs what it names", (
        ".local/share/applications", ".local/share/gnome-shell", ".local/share/nautilus", ".local/share/plasma",
        ".local/share/kwin", ".config/hypr", ".config/sway", ".sway", ".config/i3", ".i3", ".config/niri",
        ".config/river", ".config/awesome", ".config/bspwm", ".config/sxhkd", ".config/qtile", ".config/openbox",
        ".config/herbstluftwm", ".config/xmonad", ".xmonad", ".fluxbox", ".config/waybar", ".config/polybar",
        ".hammerspoon", ".skhdrc", ".yabairc", ".config/skhd", ".config/yabai",
    )),
    Steering("it says who gets in here, and how you get in elsewhere", (
        ".ssh", ".gnupg", ".rhosts", ".aws/config", ".kube/config", ".docker/config.json",
    )),
    Steering("git runs what it names", (
        ".git", ".gitconfig", ".config/git", ".githooks", ".husky", ".pre-commit-config.yaml",
        ".pre-commit-config.yml", "prek.toml", ".overcommit.yml", ".lefthook", *_LEFTHOOK, ".hg", ".hgrc",
        ".config/hg", ".jj", ".config/jj",
    )),
    Steering("it takes effect when somebody enters the folder", (
        ".envrc", ".direnvrc", ".config/direnv", ".mise.toml", "mise.toml", ".mise.*.toml", "mise.*.toml", ".mise",
        "mise/config*.toml", "mise/conf.d", ".config/mise", ".config/mise*.toml", ".autoenv", ".autoenv.zsh",
    )),
    Steering("an editor runs what it names", (
        ".vscode", "*.code-workspace", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".exrc",
        ".vimrc", ".gvimrc", ".vim", ".nvimrc", ".nvim.lua", ".config/nvim", ".config/vim", ".emacs", ".emacs.d",
        ".config/emacs", ".dir-locals.el", ".config/helix", ".helix", ".local/share/nvim",
    )),
    Steering("a package manager takes its programs and sources from it", (
        ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pnp.cjs", ".pnp.loader.mjs", "bunfig.toml",
        ".cargo", ".config/pip", ".pip", "pip.conf", ".pydistutils.cfg", ".pypirc", ".condarc", ".config/uv", ".bundle",
        ".gemrc", ".mvn", ".m2", ".gradle/init.d", ".gradle/init.gradle", ".gradle/gradle.properties", ".config/go",
        ".local/share/pnpm", ".local/share/mise", ".local/share/uv", ".local/share/pipx",
    )),
    Steering("a program runs it when it starts", (
        "sitecustomize.py", "usercustomize.py", ".pythonrc", ".pythonrc.py", ".pdbrc", ".pdbrc.py", ".ipython",
        ".irbrc", ".pryrc", ".Rprofile", ".Renviron", ".gdbinit", ".config/gdb", ".lldbinit", ".tmux.conf",
        ".config/tmux", ".screenrc", ".psqlrc", ".sqliterc",
    )),
)  # fmt: skip
