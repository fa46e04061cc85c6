"""Variables that say how this machine is set up, keys included: no test and no app under test sees
them.
"""

import os

from evaluators.llm.providers import PROVIDERS

OF_THE_MACHINE = (
    "PLUMBLINE_",
    "SPACE_",
    *(provider.key_variable.removesuffix("API_KEY") for provider in PROVIDERS.values()),
)
"""How their names begin."""


def variables() -> dict[str, str]:
    """The environment without them."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(OF_THE_MACHINE)
    }
