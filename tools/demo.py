"""The main job on screen: a shop with rules for four tools, what is active and why, and a turn that follows them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHOP = os.path.join(ROOT, "examples", "shop")
RECORDING = os.path.join("examples", "recordings", "shop.jsonl")
XCSH = os.path.join(os.path.dirname(sys.executable), "xcsh")
QUESTION = "Add a total() helper to src/cart.ts; how should errors leave the API?"
NO_ANY = os.path.join(".xcsh", "rules", "no-any.md")
WIDTH = 80
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def bold(text: str) -> str:
    """The text, in bold where that can be seen."""
    return f"\x1b[1m{text}\x1b[0m" if COLOUR else text


def dim(text: str) -> str:
    """The text, dimmed where that can be seen."""
    return f"\x1b[2m{text}\x1b[0m" if COLOUR else text


def heading(step: str, text: str) -> None:
    """A line that opens a step."""
    print(f"\n{bold(f'({step}/3)  {text}')}\n{dim('─' * WIDTH)}", flush=True)


def run(shop: str, home: str, *arguments: str, shown: str = "") -> None:
    """Shows a command as a user would type it, and runs it; ends the demo where it fails."""
    command = shown or "xcsh " + " ".join(arguments)
    print(f"{dim('$')} {command}\n", flush=True)
    environment = {**os.environ, "HOME": home}
    done = subprocess.run([XCSH, "-C", shop, *arguments], env=environment, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"the demo ends here: `{command}` came back with {done.returncode}")


def show(shop: str, path: str, last: int = 0) -> None:
    """Shows a file of the shop, or its `last` lines, under the command that would."""
    with open(os.path.join(shop, path), encoding="utf-8") as file:
        lines = file.readlines()
    print(f"{dim('$')} {f'tail -{last}' if last else 'cat'} {path}\n")
    print("".join(lines[-last:]), end="", flush=True)


def main() -> None:
    """The three steps, on a copy of the shop: a turn of the agent changes files."""
    with tempfile.TemporaryDirectory(prefix="xcsh-demo-") as folder:
        shop, home = os.path.join(folder, "shop"), os.path.join(folder, "home")
        shutil.copytree(SHOP, shop)
        os.mkdir(os.path.join(shop, ".git"))  # a repository of its own, as a real shop would be
        os.mkdir(home)
        print("examples/shop is a small web shop. Its people use four coding tools, and each")
        print("tool has a rules folder of its own:")
        print("  .xcsh/rules   .cursor/rules   .windsurf/rules   .clinerules   and AGENTS.md")

        heading("1", "Which rules are active, and what do they cost?")
        run(shop, home, "rules")

        heading("2", "Why is a rule as it is, and what is odd about the files?")
        run(shop, home, "explain", "react")
        print()
        run(shop, home, "doctor")

        heading("3", "A turn of the agent: a stream rule stops it while it writes")
        print("No model is called and no key is needed: what the model says here is a recorded")
        print("conversation, replayed over HTTP by a server on this machine. The agent, the")
        print("prompt, the tools and the guard are the real ones.\n")
        show(shop, NO_ANY)
        print("\nThis rule stands in no prompt and cost nothing so far. Below, the model begins")
        print("to write `: any` into a file: its answer is stopped there, the rule is sent to")
        print("it, and it is asked again. Nobody is here to consent, so the model may do only")
        print("what --allow says; the first line of the turn tells what it may not.\n")
        model = f"replay:{os.path.join(ROOT, RECORDING)}"
        shown = f'xcsh -p --allow edit --model replay:{RECORDING} \\\n    "{QUESTION}"'
        run(shop, home, "-p", QUESTION, "--allow", "edit", "--model", model, shown=shown)
        print("\nThe file now, without any `any`:\n")
        show(shop, os.path.join("src", "cart.ts"), last=7)

    print(f"\n{bold('Yours next')}\n{dim('─' * WIDTH)}")
    print(f'  export PATH="{os.path.dirname(XCSH)}:$PATH"')
    print("  cd your-project && xcsh rules             what your agents are told, and why")
    print("  xcsh explain NAME      xcsh doctor        one rule; everything that is odd")
    print("  xcsh hook --install claude                your rules at each tool call of the agent you use")
    print("  xcsh                                      a conversation, with a key of yours in the environment")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
