"""`python -m tests.licences` lists the licence of all that the app installs; 1 if one is unknown or
asks for more.

"Asks for more" is what a program under MIT cannot simply ship with: GPL and its like, without an
alternative.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements.lock"
FREE = re.compile(
    r"\b(MIT|MIT-CMU|0?BSD|Apache|PSF|Python Software Foundation|MPL|Mozilla|ISC|Zlib|CC0|CNRI)\b"
)


def licence(installed: Distribution) -> str:
    """What a package says of itself: a licence expression, its classifiers, or one line of text."""
    facts = installed.metadata
    if expression := facts.get("License-Expression"):
        return expression
    classifiers = facts.get_all("Classifier") or []
    named = [line.split(" :: ")[-1] for line in classifiers if line.startswith("License ::")]
    text = (facts.get("License") or "unknown").strip().splitlines()
    return " OR ".join(named) or text[0]


def accepted(words: str) -> bool:
    """Whether each part that holds (AND) offers (OR) a licence that we can ship with."""
    return all(FREE.search(part) for part in words.split(" AND "))


def shipped() -> dict[str, str]:
    """The licences of the packages in the lock file, as far as this system installs them."""
    names = re.findall(r"^([\w.-]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    found = {}
    for name in names:
        try:
            found[name] = licence(distribution(name))
        except PackageNotFoundError:  # for another system, or not run by `make`
            continue
    return found


if __name__ == "__main__":
    licences = shipped()
    for name, words in licences.items():
        print(f"{'' if accepted(words) else 'CHECK  '}{name}: {words}")
    sys.exit(not licences or not all(map(accepted, licences.values())))
