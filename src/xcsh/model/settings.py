"""Settings: every key with its type, default, reference value and reach."""

from typing import NamedTuple, cast

from xcsh.model.rule import INTERRUPT_MODES
from xcsh.model.source import Level


class Setting(NamedTuple):
    """One key of settings.toml. `choices` limits a text, `least` a number; `reference` is the value in reference mode
    (None: the same).

    `project` says whether a project's file may set it without trust; it then reaches that project's own items only.
    `user_only`: not even the file of a trusted project may set it.
    """

    key: str
    default: object
    summary: str
    choices: tuple[str, ...] = ()
    reference: object = None
    project: bool = False
    least: int = 1
    user_only: bool = False


SETTINGS: tuple[Setting, ...] = (
    Setting("reference", False, "Set everything beyond the reference to the reference at once.", project=True),
    Setting("discovery.recursive", True, "Read sub-folders of rules folders (R-59).", reference=False, project=True),
    Setting("discovery.providers", "all", "Which tools are read (R-60).", ("all", "reference"), "reference", True),
    Setting("discovery.disabled", (), "Provider ids and items (`rule:NAME`) to switch off (R-34).", project=True),
    Setting("discovery.max_file_bytes", 1_048_576, "A larger rule file is reported and not read (R-24)."),
    Setting(
        "discovery.hidden_text",
        "hold",
        "Whether a project's texts that hide or reorder what people read wait until you accept them (R-25).",
        ("hold", "report"),
        "report",
        user_only=True,
    ),
    Setting("discovery.links", "project", "Whether links may leave the project.", ("project", "anywhere")),
    Setting(
        "discovery.watch",
        True,
        "Whether rules and commands are read again as files change: terminal, editors, MCP clients (C-32).",
        reference=False,
    ),
    Setting("frontmatter.repair", True, "Read dialects as their authors meant them (R-23).", (), False, True),
    Setting(
        "rules.activation",
        "owner",
        "Who decides when a rule applies (R-62).",
        ("owner", "reference"),
        "reference",
        True,
    ),
    Setting("rules.attach", "auto", "Whether globs attach rules (R-54).", ("auto", "advisory"), "advisory", True),
    Setting(
        "rules.attach_on_write",
        "gate",
        "Whether the first change of a file waits until the model has its rules (R-54).",
        ("gate", "after"),
        "after",
        True,
    ),
    Setting("prompt.dedupe", True, "Drop an always-apply rule that repeats a context file (R-51).", reference=False),
    Setting(
        "prompt.stable", True, "Keep the rules part of the prompt byte-stable; append changes (R-56).", reference=False
    ),
    Setting("prompt.budget_tokens", 8_000, "Above this total of always-apply rules, report the largest (R-56)."),
    Setting("commands.append_arguments", True, "Append arguments that a template does not take (C-25)."),
    Setting("commands.escape", True, "A backslash before a placeholder keeps it (C-27).", reference=False),
    Setting(
        "commands.apostrophes",
        True,
        "An apostrophe between two letters or digits, as in `don't`, is no quote (C-21).",
        reference=False,
    ),
    Setting(
        "commands.arguments",
        "reference",
        "Whose argument syntax Claude Code's commands use (C-28).",
        ("reference", "tool"),
    ),
    Setting(
        "commands.includes",
        "ask",
        "Whether templates may include files and the output of commands, after consent (C-42).",
        ("ask", "off"),
        "off",
    ),
    Setting("skills.enable_skill_commands", True, "Offer skills as `/skill:NAME` (C-29, C-30)."),
    Setting("ttsr.enabled", True, "Watch stream rules."),
    Setting(
        "ttsr.interrupt_mode",
        "always",
        "Which matches stop the answer, where a rule does not say (T-12).",
        INTERRUPT_MODES,
    ),
    Setting("ttsr.repeat_mode", "once", "Whether a rule may fire again (T-11).", ("once", "after-gap")),
    Setting("ttsr.repeat_gap", 10, "With `after-gap`: after how many completed turns (T-11)."),
    Setting("ttsr.context_mode", "discard", "What becomes of the answer that was stopped (T-9).", ("discard", "keep")),
    Setting("ttsr.max_interrupts", 5, "After so many stops in a turn, matches are reminders (T-15).", least=0),
    Setting(
        "consent.allow", (), "What needs no consent: patterns such as `shell(git status:*)` (S-12).", user_only=True
    ),
    Setting("consent.deny", (), "What is refused without asking: patterns (S-12)."),
    Setting(
        "consent.edits",
        "allow",
        "Whether files in the working folder are changed without asking (S-12).",
        ("allow", "ask"),
        user_only=True,
    ),
    Setting("sandbox", "none", "What commands of the model run in (S-12).", ("none", "bubblewrap"), user_only=True),
    Setting("undo.max_file_bytes", 20_971_520, "A larger file is changed without a copy and cannot be undone (S-13)."),
    Setting("compaction.at_percent", 80, "How full the context window may get; above it, compaction. 0: off.", least=0),
    Setting("compaction.keep_tokens", 8_000, "How much of the history's end a compaction leaves word for word."),
    Setting("requests.attempts", 4, "How often one request is made, where it fails for a reason that passes."),
    Setting("requests.stall_seconds", 120, "After so long without a byte a request counts as failed."),
    Setting("mcp.start_seconds", 10, "How long an MCP server may take to start, and to list what it has (S-12)."),
    Setting(
        "mcp.instructions",
        False,
        "Whether the instructions of MCP servers are put into the prompt (S-12).",
        user_only=True,
    ),
    Setting(
        "terminal.mode",
        "full",
        "How a conversation is shown: on the whole screen, below the shell's prompt, or by lines.",
        ("full", "inline", "plain"),
    ),
    Setting(
        "terminal.theme",
        "auto",
        "Its colours: by what the terminal says of itself, or always these; `ansi`: the terminal's own sixteen.",
        ("auto", "dark", "light", "ansi"),
    ),
    Setting("model", "", "The model that `xcsh -p` uses where no flag or XCSH_MODEL names one."),
)
BY_KEY = {setting.key: setting for setting in SETTINGS}
PREFIX = "XCSH_"
"""What the names of all variables that are settings begin with."""


def variable_of(key: str) -> str:
    """The environment variable that gives a setting: `ttsr.enabled` is XCSH_TTSR_ENABLED."""
    return PREFIX + key.upper().replace(".", "_")


class Settings(NamedTuple):
    """Effective values by level: what a project's file says reaches that project's items only (R-34)."""

    user: dict[str, object]
    project: dict[str, object]

    def get(self, key: str, level: str = Level.USER) -> object:
        """The value of `key` for an item of `level`."""
        values = self.project if level == Level.PROJECT else self.user
        return values[key]

    def number(self, key: str) -> int:
        """The value of a key that holds a number."""
        value = self.user[key]
        return value if isinstance(value, int) else 0

    def texts(self, key: str, level: str = Level.USER) -> tuple[str, ...]:
        """The value of a key that holds a list of texts."""
        value = self.get(key, level)
        return cast("tuple[str, ...]", value) if isinstance(value, tuple) else ()


def defaults(*, reference: bool = False) -> dict[str, object]:
    """Every key with its default, or with its reference value."""
    return {
        setting.key: setting.reference if reference and setting.reference is not None else setting.default
        for setting in SETTINGS
    }
