"""Every diagnostic code: severity, what it means, why it matters, an example, and what to do by default."""

from typing import NamedTuple

from xcsh.model.diagnostic import Severity

_E, _W, _I, _H = Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT


class Code(NamedTuple):
    """A row of the table. `example` is the smallest file or setting that causes it."""

    severity: str
    summary: str
    explanation: str
    example: str
    hint: str = ""
    gate: str = ""
    """The question of `explain` to which the finding belongs: "frontmatter" or "condition"."""


CODES: dict[str, Code] = {
    "unreadable-file": Code(
        _E, "A rule file cannot be read",
        "The operating system refused. Everything else still loads; the file is listed as skipped.",
        "a file without read permission", "check the permissions of the file"),
    "unreadable-folder": Code(
        _E, "A rules folder cannot be listed",
        "Nothing in it could be looked at, so rules may be missing.",
        "a folder without read permission", "check the permissions of the folder"),
    "dangling-link": Code(
        _W, "A link leads nowhere",
        "The target does not exist, or the links lead round in a circle.",
        "`a.md -> gone.md`", "remove the link or restore its target"),
    "outside-project": Code(
        _W, "A link leaves the project",
        "A checked-out project could otherwise put any file of yours into the prompt.",
        "`.cursor/rules/a.mdc -> /etc/passwd`",
        'copy the file, or allow it in your own settings: discovery.links = "anywhere"'),
    "not-a-file": Code(
        _W, "Something that is no regular file stands where a rule file should",
        "A pipe or device would never end; it is not opened.", "a named pipe `a.md`", "remove it"),
    "file-too-large": Code(
        _E, "A rule file is above the size limit",
        "It is not read at all; no model could take it.", "a file of 300 MB",
        "shorten it, or raise discovery.max_file_bytes in your own settings"),
    "large-rule": Code(
        _W, "A rule is very long",
        "Above 32,000 characters a rule costs more of the context than most conversations have to spare.",
        "a rule of 300 kB", "split it by subject, or keep it in the rulebook with a description"),
    "binary-content": Code(
        _E, "A rule file holds NUL bytes",
        "It is not text, and most model APIs reject it.", "a file with a 0x00 byte", "save it as UTF-8 text"),
    "not-utf8": Code(
        _W, "A rule file is not UTF-8",
        "UTF-16 is recognised; anything else is read as Windows-1252, in which single letters may be wrong.",
        "Latin-1 bytes", "save the file as UTF-8"),
    "invalid-frontmatter": Code(
        _W, "The frontmatter is not YAML",
        "In reference mode every line is then read as text; otherwise each key is read on its own.",
        "`a: [1`", "correct the line; a value with special characters needs quotes"),
    "frontmatter-repaired": Code(
        _W, "A value was read as its author plainly meant it",
        "YAML rejects it or reads something else; other tools may drop the whole block.",
        "`description: Use when: adding a queue`", "put the value in quotes"),
    "boolean-spelling": Code(
        _W, "A boolean is written as text",
        '`"true"` is text in YAML; some tools do not take it for true.',
        '`alwaysApply: "true"`', "write true or false, without quotes"),
    "unterminated-frontmatter": Code(
        _W, "The frontmatter has no closing fence",
        "The whole file is read as body, and the rule is not made active by default.",
        "`---` and keys, and no second `---`", "add a line `---` behind the last key"),
    "frontmatter-not-first": Code(
        _W, "The frontmatter does not start on the first line",
        "Most tools look for it there only and show its lines to the model.",
        "a comment above the first `---`", "move the block to the first line"),
    "frontmatter-fence": Code(
        _W, "A fence of the frontmatter is missing or has text glued to it",
        "Most tools do not see such a block, or see its end elsewhere.",
        "`---# Title`", "put `---` alone on a line above and below the keys"),
    "frontmatter-not-mapping": Code(
        _W, "The block between the fences is no mapping",
        "There is no key to read; the block is kept as part of the body.", "`- just a list`",
        "write `key: value` lines"),
    "frontmatter-too-large": Code(
        _W, "The frontmatter is too large to be one",
        "It is not read, and the rule is not made active by default.", "100,000 keys",
        "keep only the keys that tools read"),
    "pattern-spelling": Code(
        _W, "A pattern is spelled in a way that other tools read differently",
        "Windows separators are read as slashes, patterns separated by spaces alone as several patterns.",
        "`globs: src/** tests/**`", "use slashes, and commas between patterns"),
    "lost-frontmatter": Code(
        _W, "A key that narrows a rule could not be read",
        "Its tool applies a file without such a key always; here the rule is not made active by default.",
        "`- - -` for `---` above `paths: …`", "put `---` alone on the lines above and below the keys"),
    "duplicate-key": Code(
        _W, "A key is given twice", "The last one counts here; other tools reject the block.",
        "two `description:` lines", "remove one"),
    "key-spelling": Code(
        _W, "A key is spelled in a way that the owning tool does not read",
        "It is read here as the key that it plainly is.", "`always-apply: true`", ""),
    "foreign-key": Code(
        _I, "A key belongs to another tool", "The owning tool ignores it.", "`trigger: glob` in a Cursor rule", ""),
    "value-type": Code(
        _W, "A value has a type that the provider does not take",
        "It is dropped, as the owning tool drops it.", "`description: 42` in a Cursor rule", ""),
    "unknown-trigger": Code(
        _W, "The tool's own key has a value that the tool does not know",
        "It decides nothing; what the other keys say counts.", "`trigger: sometimes`", ""),
    "too-many-alternatives": Code(
        _E, "A pattern has too many alternatives in braces",
        "It would grow without bound when it is matched, so it matches nothing.",
        "`{a,b}` twenty times in a row", "write several shorter patterns"),
    "invisible-characters": Code(
        _W, "The text holds invisible characters",
        "They can carry instructions that no reviewer sees. Joiners that emoji and scripts need are not meant.",
        "U+200B in a sentence", "remove them"),
    "bidi-control": Code(
        _E, "The text holds bidirectional control characters",
        "What a reviewer reads is not what the model reads.", "U+202E in a sentence", "remove them"),
    "unicode-tag-characters": Code(
        _E, "The text holds Unicode tag characters",
        "They are invisible and can spell out hidden instructions.", "U+E0041 in a sentence", "remove them"),
    "unknown-key": Code(
        _I, "No tool reads a key",
        "It has no effect; perhaps it is a slip of another. A warning where the rule does not apply for that.",
        "`descripton: …`", ""),
    "unknown-restriction": Code(
        _E, "A command has an unknown key that reads like a restriction",
        "It restricts nothing: the command may be called although its author seems to forbid it.",
        "`hide-from-model: true`", "the key that is read is disable-model-invocation: true"),
    "unreachable-command": Code(
        _W, "A command's name cannot be typed", "The name of a call ends at the first white space.",
        "`my command.md`", "rename the file"),
    "shadowed-by-builtin": Code(
        _I, "A command has the name of a built-in", "In interactive mode the built-in answers to the short name.",
        "`resume.md`", ""),
    "unclosed-block": Code(
        _W, "A block of a template never closes", "It is left in the text as it stands.",
        "`{{#if args}}` and no `{{/if}}`",
        "close it, or write it differently if it is not meant for this template"),
    "placeholder-in-code": Code(
        _I, "A placeholder stands in code", "It is replaced by an argument all the same, which often is not meant.",
        "`awk '{print $1}'` in a command", "write a backslash before the dollar sign to keep it"),
    "include-prints-argument": Code(
        _I, "A shell is run only to print an argument or a variable",
        "The text could hold the placeholder itself; who calls the command is asked for nothing.",
        "`!{echo {{args}}}` in a command of Gemini CLI", "put the placeholder into the text"),
    "include-runs-argument": Code(
        _W, "An included shell line hands an argument to a program as code",
        "Arguments are variables of the shell and no part of its line, but what it gives to `sh -c`, `eval` or `python"
        " -c` is code there. Whoever words a call, or gives somebody a text to call it with, decides what runs; so each"
        " call is asked about, and consent for good is not offered.",
        "`` !`sh -c 'grep -r $1 .'` `` in a command of Claude Code",
        "give it the argument behind the code, not in it: sh -c 'grep -r \"${1}\" .' sh \"$1\""),
    "amount-placeholder": Code(
        _W, "An amount of money looks like a placeholder", "It is replaced by an argument.", "`$12.50` in a command",
        "write a backslash before the dollar sign to keep it"),
    "kept-last-good": Code(
        _W, "A file is broken, and what it said before is used",
        "While a session is open, a save that was not finished takes no rule or command away. A new session reads what"
        " is there.",
        "a rule whose frontmatter loses its closing fence while a session is open",
        "repair the file, or remove it"),
    "invalid-plugin-registry": Code(
        _W, "Claude Code's registry of plugins cannot be read", "What of it can be read is used.",
        "`installed_plugins.json` that is no JSON", ""),
    "stale-plugin": Code(
        _W, "A plugin is registered and not there", "Its commands are missing.", "an `installPath` that was deleted",
        "install the plugin again, or remove it in Claude Code"),
    "read-otherwise": Code(
        _W, "The owning tool reads a value otherwise",
        "Here it counts as its author plainly meant it; the tool that the file is for does something else with it.",
        '`globs: ["**/*.ts"]` in a Cursor rule'),
    "cut-by-tool": Code(
        _W, "The owning tool takes a part of a file only",
        "Nothing is cut here.", "a Windsurf rule of 20,000 characters", "split it by subject"),
    "import-not-read": Code(
        _W, "A context file names a file that is not read",
        "The mention stays in the text as it is. Files of the project and of the tool's own folder can be imported.",
        "`@docs/gone.md` in CLAUDE.md", "correct the path, or put it in backticks where no file is meant"),
    "search-cut": Code(
        _W, "A project has too many folders to search them all",
        "Rules in sub-folders behind that number are not found. Those of the working folder are.",
        "a working folder that holds everything else too", "work in a folder further down"),
    "text-held-back": Code(
        _E, "A project's text reads otherwise to people than to a model",
        "Controls of the direction of text and Unicode tags can hide whole sentences. Neither rule nor command is used "
        "until you have accepted the text as it is.",
        "U+202E or U+E0041 in a project's rule",
        "remove them, or look at the text and accept it: xcsh trust --show"),
    "unread-by-tool": Code(
        _I, "The owning tool does not read this place", "The file counts here all the same.",
        "`.codex/prompts/a.md` in a project", ""),
    "skill-limits": Code(
        _W, "A skill does not keep to what tools accept",
        "Its name has 1 to 64 lower-case letters, digits and single hyphens and is that of its folder; its description "
        "has at most 1,024 characters. Here it is called by its folder, and is there all the same.",
        "`name: My Skill` in `maps/SKILL.md`", "rename it, or shorten the description"),
    "invalid-toml": Code(
        _E, "A command in TOML cannot be read", "It is skipped and shadows nothing.",
        "`prompt` that is missing, or no text", "give it a key `prompt` with a text"),
    "extension-failed": Code(
        _E, "An extension or a command in Python cannot be loaded",
        "Its code raised, or it is not what it should be. Nothing of it is used; everything else still loads.",
        "`import nowhere` in `.xcsh/extensions/a.py`", "correct the code"),
    "extension-hangs": Code(
        _E, "The code of an extension does not end",
        "It was given some seconds at its import. Nothing of it is used; everything else still loads.",
        "`while True: pass` at the top level", "move what takes long into a handler"),
    "command-refused": Code(
        _W, "A command that an extension registers is left out",
        "The name cannot be typed, is built in, or was registered before; the first one counts.",
        'two `@extension.command("deploy")`', "choose another name"),
    "command-failed": Code(
        _E, "A command in Python failed", "Its handler raised. The call counts as handled, and nothing is sent.",
        "a handler that raises", "correct the code"),
    "invalid-trust-file": Code(
        _E, "The list of trusted folders cannot be read", "No folder is trusted.", "`trust.json` that is no JSON",
        "correct or delete the file, then: xcsh trust"),
    "invalid-mcp-file": Code(
        _E, "A file of MCP servers cannot be read", "None of the servers that it names is there.",
        "`.mcp.json` that is no JSON", "correct the file"),
    "invalid-mcp-server": Code(
        _E, "An entry of a file of MCP servers is none", "It is left out; the others are there.",
        '`{"mcpServers": {"a": {}}}`', "correct the entry; docs/mcp-servers.md says what it may hold"),
    "unknown-mcp-key": Code(
        _W, "A key in a file of MCP servers has no effect", "It may be misspelt, or mean something to another tool.",
        '`"comand": "npx"`', "correct or remove it"),
    "mcp-server-shadowed": Code(
        _I, "Two MCP servers have one name", "The first one is used, the other where the first may not start.",
        "`github` in `.mcp.json` and in `~/.xcsh/agent/mcp.json`", "rename one if both should be there"),
    "mcp-not-started": Code(
        _W, "An MCP server is not started", "Nobody has agreed to it, or a variable that it needs is not set.",
        "`.mcp.json` of a folder that is not trusted", "look at what it would run: xcsh trust --show"),
    "mcp-server-failed": Code(
        _W, "An MCP server did not start, or has ended", "What it offers is not there; all else goes on.",
        "a command that is not installed", "its log says more"),
    "mcp-limit": Code(
        _W, "An MCP server offers more than a model can take", "What is above the limit is left out.",
        "a server with 10,000 tools", "let the server offer less, if it has an option for that"),
    "session-line": Code(
        _W, "A line of a session file is damaged",
        "It was torn when the program or the machine stopped; what was acknowledged stands in other lines.",
        'a last line `{"t":"messa`', ""),
    "session-record": Code(
        _I, "A session file holds records of an unknown kind",
        "A later version has written them. They stay in the file and are otherwise left alone.",
        'a line `{"t":"colour"}`', "update xcsh"),
    "session-message": Code(
        _W, "Messages of a session are lost or cannot be read",
        "The conversation goes on without them; their lines stay in the file.",
        "a damaged line in the middle of a session file", "look at what is left: xcsh sessions show ID"),
    "empty-rule": Code(
        _W, "A rule file has no content", "It is skipped and shadows nothing.", "frontmatter and nothing else",
        "write the rule below the frontmatter, or delete the file"),
    "name-characters": Code(
        _W, "A rule's name holds characters that deceive or break a line",
        "It is shown with these characters written out.", "a file name with a line feed", "rename the file"),
    "case-collision": Code(
        _W, "Two names differ in case only",
        "On file systems that fold case only one of them exists.", "`Style.md` and `style.md`", "rename one"),
    "shadows-user-rule": Code(
        _I, "A project's rule shadows one of your own", "Rules of one name are one logical rule; the first wins.",
        "`.xcsh/rules/style.md` and `~/.xcsh/agent/rules/style.md`", "rename one if both should count"),
    "invalid-condition": Code(
        _E, "A stream rule's regular expression does not compile",
        "The other conditions of the rule still count; without any, the rule is no stream rule.",
        "`condition: ([a-z`", "correct the expression"),
    "unreachable-condition": Code(
        _W, "A stream rule can not fire, or not where its scope says",
        "The scope reaches no stream, the globs leave nothing of it, or the expression matches no text. A rule all of "
        "whose scopes name nothing is no stream rule.",
        "`scope: nowhere`", "use text, thinking, tool, tool:NAME or tool:NAME(GLOB)"),
    "matches-empty": Code(
        _W, "A stream rule's expression matches the empty text",
        "It would stop every answer at its first character, so it is not watched; the other conditions are.",
        "`condition: x*`", "let the expression require something, for example with + for *"),
    "matches-everything": Code(
        _W, "A stream rule's expression matches whatever is written",
        "It stops every answer, whatever that says: at its first character, or at its end. Where a match only reminds, "
        "this is for your information.",
        "`condition: \\w+`", "let the expression name what the rule forbids"),
    "foreign-syntax": Code(
        _W, "A stream rule's expression is written for another engine",
        "It compiles, and means something else: expressions are JavaScript's, without slashes around them.",
        "`condition: /todo/i`", "docs/stream-rules.md has the differences"),
    "self-matching-condition": Code(
        _I, "A stream rule's expression matches what the rule itself says",
        "A model that quotes the rule is stopped once more, unless the rule has had its say (`ttsr.repeat_mode`).",
        "`condition: console\\.log` above `Use logger, not console.log.`", ""),
    "long-match": Code(
        _I, "A stream rule's expression may need more text than is looked back at",
        "A match longer than 4,096 characters is found only where its text arrives at once.",
        "`condition: BEGIN[\\s\\S]*END`", "limit the repetition, for example to {0,2000}"),
    "unknown-interrupt-mode": Code(
        _W, "A stream rule has an interrupt mode that is none", "The setting `ttsr.interrupt_mode` decides.",
        "`interrupt_mode: sometimes`", "use always, prose-only, tool-only or never"),
    "unknown-tool": Code(
        _W, "A stream rule's scope names a tool that there is not",
        "The scope watches nothing. A name that is no slip of a known one may be that of a tool of your own, or of an "
        "MCP server, and is for your information.",
        "`scope: tool:edti`", "correct the name, or leave it away to watch every tool"),
    "runaway-condition": Code(
        _W, "A stream rule's expression takes too long", "It is watched no more until the next start; the others are.",
        "`condition: (a*)*\\1b`", "leave away the reference, or the repetition inside a repetition"),
    "inactive-rule": Code(
        _I, "An active rule reaches no surface", "The reference drops such rules silently.",
        "a Cursor rule without description, globs or alwaysApply", ""),
    "prompt-budget": Code(
        _W, "The always-apply rules are above the budget", "They cost this much in every request.",
        "41,000 characters of always-apply rules", "give the largest a description or globs instead of alwaysApply"),
    "invalid-level": Code(
        _W, "A provider gives an item a level that is none",
        "Items are the user's, the project's or the program's own.",
        "a provider of a third party", "report it to its author"),
    "provider-failed": Code(
        _W, "A provider failed to load", "The others still load.", "a provider that raises", "report it to its author"),
    "unknown-setting": Code(
        _W, "A settings file holds an unknown key", "It has no effect.", "`discovery.recusive = true`", ""),
    "invalid-setting": Code(
        _W, "A setting has a value that it cannot take", "The default stays in force.",
        '`discovery.recursive = "perhaps"`', ""),
    "invalid-settings-file": Code(
        _E, "A settings file cannot be read", "All its settings are ignored.", "a file that is no TOML",
        "correct the file"),
    "setting-not-allowed": Code(
        _W, "A project sets something that reaches beyond it",
        "A project's settings reach only that project's own items.", '`discovery.links = "anywhere"` in a project',
        "put it into your own settings: ~/.xcsh/agent/settings.toml"),
    "invalid-variable": Code(
        _W, "An environment variable has a value that its setting cannot take", "What the files say stays in force.",
        "`XCSH_TTSR_ENABLED=perhaps`", "correct or unset the variable"),
    "unknown-variable": Code(
        _H, "The name of an environment variable is nearly that of a setting", "It has no effect.",
        "`XCSH_TTSR_ENABLE=false`", "correct the name, if a setting is meant"),
    "invalid-consent-pattern": Code(
        _W, "An entry of consent.allow or of consent.deny is no pattern",
        "Of `consent.allow`, it allows nothing; what it was meant for is asked about. Of `consent.deny` it is an "
        "error, and no conversation begins until it is mended: it would refuse less than it was meant to.",
        '`consent.allow = ["shell(git status; ls)"]`', "correct or remove the entry"),
}  # fmt: skip

_GATES = {
    "frontmatter": (
        "invalid-frontmatter", "frontmatter-repaired", "boolean-spelling", "unterminated-frontmatter",
        "frontmatter-not-first", "frontmatter-fence", "frontmatter-not-mapping", "frontmatter-too-large",
        "lost-frontmatter", "duplicate-key", "key-spelling", "pattern-spelling", "foreign-key", "value-type",
        "unknown-trigger",
        "unknown-key", "unknown-restriction",
    ),
    "condition": (
        "invalid-condition", "unreachable-condition", "matches-empty", "unknown-tool", "matches-everything",
        "foreign-syntax",
    ),
}  # fmt: skip
CODES.update({code: CODES[code]._replace(gate=gate) for gate, codes in _GATES.items() for code in codes})

OWNER_CODES = frozenset({
    "unread-by-tool", "read-otherwise", "cut-by-tool", "foreign-key", "key-spelling", "boolean-spelling",
    "frontmatter-not-first", "frontmatter-fence",
})  # fmt: skip
"""Findings that say what the tool that a file is for does otherwise."""

UNREAD_CODES = frozenset({
    "unterminated-frontmatter", "frontmatter-not-mapping", "frontmatter-too-large", "invalid-frontmatter",
    "lost-frontmatter",
})  # fmt: skip
"""Findings after which keys may have been given that were not read."""
