"""`ringyard completion`: completion for your shell."""

from typing import Literal

from .app import whole_app
from .shared.output import say


def completion_command(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print the completion script of a shell.

    For bash: ringyard completion bash > ~/.local/share/bash-completion/completions/ringyard

    Parameters
    ----------
    shell
        The shell that you use.
    """
    say(whole_app().generate_completion(shell=shell))
    return 0
