"""Codes that a class types: easy to copy, hard to guess, and short-lived."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

# Nothing that looks or sounds like another: no 0 and O, 1 and I and L, 5 and S, 8 and B, U and V.
ALPHABET = "ACDEFGHJKMNPQRTWXY34679"
LENGTH = 8
"""23 ** 8 are 78 billion codes.

No bound on guesses for all together, which would lock out whoever has the right one: at a thousand
a second, more than a host answers, one that holds for three hours is found by one in 7,200.
"""
HOLDS = timedelta(hours=3)
"""How long a code can be typed: a double lesson and its break. The link holds until the end."""
LET_IN = timedelta(minutes=2)
"""How long a nickname is free for whoever lost it, once the teacher lets them in again."""


def new_code() -> str:
    # Not `random`: from some codes the next ones could be worked out.
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def own_code(token: str) -> str:
    """By which the participant of this token comes back; nothing tells it but the token."""
    digest = hashlib.sha256(token.encode()).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:LENGTH])


def spoken(code: str) -> str:
    """A code as it is shown: in two halves, which are easier to copy."""
    return f"{code[: LENGTH // 2]} {code[LENGTH // 2 :]}"


def typed(text: str) -> str:
    """The code that somebody meant; empty where it cannot be one."""
    # Longer text is not a code, and is not worked on.
    code = "".join(text[:40].upper().replace("-", " ").split())
    is_code = len(code) == LENGTH and set(code) <= set(ALPHABET)
    return code if is_code else ""
