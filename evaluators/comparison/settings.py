"""What differs between two systems beside their answers, and what of it makes them unlike."""

from __future__ import annotations

from evaluators.comparison.sides import GROUP_SHOWN, Side
from evaluators.llm.catalogue import model_title
from evaluators.runs import rulings
from evaluators.runs.formulas import formula_of
from evaluators.runs.settings import Change, differing, settings_of
from evaluators.text.language import mark, say
from evaluators.text.normalise import one_line


def changes(first: Side, second: Side) -> tuple[Change, ...]:
    """Every setting that differs, the data by their contents as well."""
    return tuple(differing(_settings(first), _settings(second)))


def _settings(side: Side) -> dict[str, str]:
    run = side.run
    words = settings_of(run)
    # Two data sets of one name may hold different samples.
    words[mark("data")] = run.fingerprint[:12]
    if run.models:
        words[mark("model")] = model_title(run.models[side.model])
    if side.group is not None:
        words[mark("group")] = one_line(side.group)[:GROUP_SHOWN]
    words[mark("labels")] = side.counted.by or mark("those of the run")
    # That by which the values are counted here stands for the parameter.
    words.pop(f"formula ({run.evaluator.name})", None)
    words[mark("formula")] = formula_of(run, side.counted.definition)
    if policy := rulings.policy_of(run, side.counted.policy):
        words[mark("rules")] = policy
    return words


def unlike(first: Side, second: Side) -> tuple[str, ...]:
    """Why a difference may not be one of the systems, in sentences."""
    ours, theirs = _settings(first), _settings(second)
    warnings = []
    # Labellers of one run are laid side by side on purpose.
    is_one_run = first.run.id == second.run.id
    if ours["metrics"] != theirs["metrics"] and not is_one_run:
        warnings.append(say("Different metrics judged the two: a difference may be theirs."))
    if ours["formula"] != theirs["formula"] or ours.get("rules") != theirs.get("rules"):
        warnings.append(say("The values are counted by different formulas or rules."))
    parameters = [
        {name: value for name, value in words.items() if name.endswith(")")}
        for words in (ours, theirs)
    ]
    if parameters[0] != parameters[1] and not is_one_run:
        warnings.append(say("The metrics have different parameters."))
    return tuple(warnings)
