"""The error table: whatever goes wrong at a provider becomes an error that says what to do.

groq and openai are made by one generator: what they raise has equal names and attributes, and
neither is needed here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic_core import from_json

from evaluators.errors import (
    MOST_TRIES,
    LateError,
    LLMError,
    RateLimitedError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import Access, ModelRequest
from evaluators.llm.catalogue import Model, find, model_title, successor
from evaluators.llm.durations import WITH_UNITS, parse_duration
from evaluators.llm.keys import mask
from evaluators.llm.providers import PROVIDERS, Provider
from evaluators.records import Remedy
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.size import tokens

LONGEST_PAUSE = 90
"""Seconds; a provider that asks to wait longer stops the run.

Limits of a minute are over by then: what is longer is a limit of the day.
"""

MOST_WORDS = 300
"""Characters of a provider's own words that are kept."""

MOST_DETAILS = 5
"""Parts of a refusal that are looked at."""

MOST_READ = 64 * 2**10
"""Characters of them that are looked at.

Far more than are kept: a key that is cut in two here could not be found, but is not kept either.
"""

# A provider may send any number of seconds, and a time in a million years cannot be shown.
_A_YEAR = 366 * 86400
# As Groq and OpenAI write it: "Please try again in 7m12s."; Google: "Please retry in 34.07s."
_AGAIN = re.compile(f"(?:try again|retry) in ({WITH_UNITS})", re.IGNORECASE)
# "On requests per day (RPD): Limit 1000"; OpenRouter's "free-models-per-day"; Google's quota
# "GenerateRequestsPerDayPerProjectPerModel".
_DAILY = re.compile(r"per.?day|\bTPD\b|\bRPD\b", re.IGNORECASE)
# "you requested 4200 tokens" (vLLM), "Requested 45000" (Groq, OpenAI), "Your messages resulted in
# 300012 tokens" (OpenAI), "request (9120 tokens) exceeds the available context size (8192 tokens)"
# (llama.cpp).
_NEEDS = re.compile(r"(?:requested|resulted in|request has|request \() ?(\d{1,9})\b", re.IGNORECASE)
_TAKES = re.compile(
    r"(?:limit(?: of)?|context (?:length|window|size)(?: is| of| \()) ?(\d{1,9})\b", re.IGNORECASE
)
# Providers have no common code for it; what they name besides decides (see `unsupported`).
_UNSUPPORTED = re.compile(
    "unsupported|not support|unknown|unrecogni|unexpected|extra|not permitted|not "
    "allowed|must be one of",
    re.IGNORECASE,
)
_RESPONSE_FORMAT = re.compile("response_?format|schema", re.IGNORECASE)


class CallContext(NamedTuple):
    """Who was asked, how long the answer was waited for, and for what.

    Without a `request` it was for what `subject` says. One that `has_answered` is where it should
    be: what comes from there instead of an answer passes.
    """

    access: Access
    seconds: float
    request: ModelRequest | None = None
    subject: str = mark("the list of models")
    has_answered: bool = False

    @property
    def record(self) -> Provider:
        return PROVIDERS[self.access.provider]

    @property
    def provider(self) -> str:
        return self.record.title

    @property
    def host(self) -> str:
        return urlsplit(self.access.base_url).netloc.rpartition("@")[2]

    @property
    def model(self) -> str:
        return model_title(self.request.spec) if self.request else self.subject

    @property
    def listed_model(self) -> Model | None:
        """The model in the catalogue; `None` where it is not listed there."""
        return find(self.request.spec.id) if self.request else None

    @property
    def prompt_tokens(self) -> int:
        return tokens(self.request.text) if self.request else 0

    @property
    def key_variable(self) -> str:
        return self.record.key_variable

    @property
    def address_variable(self) -> str:
        return self.record.address_variable

    def clean(self, text: str) -> str:
        """One line without keys, short enough for a screen."""
        line = " ".join(without_surrogates(text).split())
        # Its own key first, by the value; then whatever else is a key or looks like one.
        masked = mask(self.access.mask(line))
        return masked[:MOST_WORDS]


class Refusal(NamedTuple):
    """What a provider says in a response that holds no answer."""

    status: int
    code: str
    param: str
    words: str
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        return f"{self.code} {self.words}"

    @property
    def wait(self) -> float | None:
        return seconds_to_wait(self.headers, self.words)

    def details(self, call: CallContext) -> str:
        request_id = self.headers.get("x-request-id")
        parts = (
            f"HTTP {self.status}",
            call.clean(self.code),
            call.clean(f"request {request_id}") if request_id else "",
            call.clean(self.words),
        )
        return " · ".join(part for part in parts if part)


def error_for(error: BaseException, call: CallContext) -> LLMError:
    """What the exception of an SDK means to us."""
    response = getattr(error, "response", None)
    if response is None:
        return _without_answer(error, call)
    refusal = _refusal_in(response, call.access.mask)
    meaning = _meaning(refusal)(refusal, call)
    # A conflict, or a proxy that waited in vain: what is behind it may have done it all the same.
    meaning.did_nothing = 400 <= refusal.status < 500 and refusal.status not in (408, 409)
    return meaning


def _meaning(refusal: Refusal) -> Callable[[Refusal, CallContext], LLMError]:
    for statuses, pattern, make in _TABLE:
        if refusal.status in statuses and re.search(pattern, refusal.text, re.IGNORECASE):
            return make
    return _otherwise_refused


def is_no_address(error: Any) -> bool:
    """Whether an error status of the SDKs says that nothing is where it was asked."""
    return _meaning(_refusal_in(error.response)) is _nothing_there


def unusable_response(response: Any, call: CallContext) -> LLMError:
    """What a response means that came with status 200 and still is not an answer."""
    details = _refusal_in(response, call.access.mask).details(call)
    body = _json_or_text(response)
    if isinstance(body, str) and body.lstrip().startswith("<"):
        # The page of a proxy while what is behind it is away, or of a wrong address for ever.
        return TransientError(
            say("{host} answered with a web page.", host=call.host),
            details,
            tries=MOST_TRIES if call.has_answered else 2,
            remedy=Remedy("check_address", call.address_variable),
        )
    if isinstance(body, dict) and body.get("error"):
        message = say(
            "{provider} reported an error instead of an answer. Try again, or choose "
            "another model.",
            provider=call.provider,
        )
    else:
        message = say(
            "Unexpected answer from {provider}. Try again; if it happens again, check "
            "the base URL.",
            provider=call.provider,
        )
    # One more than for what a model does: often the way to it was at fault.
    return TransientError(message, details, tries=MOST_TRIES if call.has_answered else 3)


def unsupported(error: Any, sent: Container[str]) -> str:
    """The sent parameter that the provider names as one it does not take.

    Empty where it complains of something else.
    """
    refusal = _refusal_in(error.response)
    if refusal.status not in {400, 422} or not _UNSUPPORTED.search(refusal.text):
        return ""
    # Not every provider names the parameter in a field of its own.
    complaint = refusal.param or refusal.words
    for name in ("temperature", "reasoning_effort", "max_completion_tokens"):
        if name in sent and name in complaint:
            return name
    return ""


def refused_form(error: Any) -> Literal["", "this time", "always"]:
    """Whether the provider complains of how JSON was asked for, and for how long that holds.

    "this time" where the model did not write what was asked for; "" where it complains of neither.
    """
    refusal = _refusal_in(error.response)
    if refusal.status not in {400, 422}:
        return ""
    # Groq's code for an answer that its own check of the JSON refused.
    if "json_validate_failed" in refusal.code:
        return "this time"
    return "always" if _RESPONSE_FORMAT.search(f"{refusal.param} {refusal.text}") else ""


def seconds_to_wait(headers: Mapping[str, str], words: str = "") -> float | None:
    """How long the provider asks to wait; `None` where it does not say.

    It may say so in milliseconds, in seconds, by a date, or by "try again in 7m12s" in its words.
    """
    after = headers.get("retry-after", "")
    milliseconds = _not_negative(headers.get("retry-after-ms", ""))
    span = _AGAIN.search(words)
    # The most exact comes first.
    waits = (
        milliseconds / 1000 if milliseconds is not None else None,
        _not_negative(after),
        _seconds_until(after),
        parse_duration(span[1].lower()) if span else None,
    )
    for seconds in waits:
        if seconds is not None:
            return min(seconds, _A_YEAR)
    return None


def _not_negative(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _seconds_until(date_text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date_text)
    except (ValueError, OverflowError):
        return None
    # "-0000", a time of no zone: HTTP dates are in GMT.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _refusal_in(response: Any, mask: Callable[[str], str] = str) -> Refusal:
    """Finds code, parameter and words in a response.

    They stand there in OpenAI's form, in Google's (a list of one), in vLLM's (not wrapped in
    "error"), or as plain text.
    """
    body = _json_or_text(response)
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, dict):
        body = body.get("error") or body
    fields = body if isinstance(body, dict) else {"message": body}
    # What tells most, such as "insufficient_quota", may stand in either.
    codes = [str(fields[name]) for name in ("code", "type", "status") if fields.get(name)]
    code = " ".join([*codes, *_google_reasons(fields.get("details"))])
    param = str(fields.get("param") or "")
    words = str(fields.get("message") or response.text)
    # A key is masked before anything is cut short: a part of it may be too short to be found.
    return Refusal(
        response.status_code,
        # Codes and parameters are words; the table looks for a pattern in what is kept here.
        mask(code[:MOST_READ])[:200],
        mask(param[:MOST_READ])[:200],
        mask(words[:MOST_READ])[:2000],
        response.headers,
    )


def _google_reasons(details: Any) -> Iterator[str]:
    """What Google names in the details of an error: a reason, and the quotas that are used up."""
    for detail in details[:MOST_DETAILS] if isinstance(details, list) else []:
        violations = detail.get("violations") if isinstance(detail, dict) else None
        entries = [detail, *violations[:MOST_DETAILS]] if isinstance(violations, list) else [detail]
        for entry in entries:
            if isinstance(entry, dict):
                yield from (str(entry[name]) for name in ("reason", "quotaId") if entry.get(name))


def _json_or_text(response: Any) -> Any:
    """The JSON of the body, or its text where it is none."""
    try:
        return from_json(response.content)
    except ValueError:
        return response.text


# What a status means


def _key_refused(refusal: Refusal, call: CallContext) -> LLMError:
    remedy = Remedy("check_key", call.key_variable)
    message = say("The API key was refused by {provider}.", provider=call.provider)
    return RunStoppedError(message, refusal.details(call), kind="access", remedy=remedy)


def _no_credit(refusal: Refusal, call: CallContext) -> LLMError:
    message = say(
        "The account at {provider} has no credit. Add some there, or use another key.",
        provider=call.provider,
    )
    return RunStoppedError(message, refusal.details(call), kind="access")


def _not_allowed(refusal: Refusal, call: CallContext) -> LLMError:
    if call.request is None:
        # Does not stop anything: a restricted key may still ask the models themselves.
        return LLMError(
            say(
                "This key may not see {model} at {provider}.",
                model=call.model,
                provider=call.provider,
            ),
            refusal.details(call),
        )
    message = say(
        "This key may not use {model}. Choose another model, or allow it at {provider}.",
        model=call.model,
        provider=call.provider,
    )
    return RunStoppedError(message, refusal.details(call), kind="access")


def _model_gone(refusal: Refusal, call: CallContext) -> LLMError:
    model = call.listed_model
    if model and model.is_retired(date.today()):
        message = say(
            "{model} is not available at {provider} (retired {date}). Use {successor}.",
            model=call.model,
            provider=call.provider,
            date=model.status_date,
            successor=successor(model).title,
        )
    else:
        message = say(
            "{model} is not available at {provider}. Choose another model.",
            model=call.model,
            provider=call.provider,
        )
    return RunStoppedError(message, refusal.details(call))


def _no_deployment(refusal: Refusal, call: CallContext) -> LLMError:
    message = say(
        "{provider} has no deployment called {model} there. Name the deployment, not the model "
        "behind it; a new one takes some minutes.",
        provider=call.provider,
        model=call.model,
    )
    return RunStoppedError(message, refusal.details(call))


def _nothing_there(refusal: Refusal, call: CallContext) -> LLMError:
    words = mark("Nothing at {address}: the base URL usually ends in /v1.")
    if call.request and call.request.questions:
        words = mark(
            "{address} has no decision models. Choose another labeller, or correct the base URL."
        )
    elif call.record.path:
        words = mark("Nothing at {address}: the base URL is {usual}.")
    address = call.access.mask(call.access.base_url)
    message = say(words, address=address, usual=call.record.address)
    remedy = Remedy("correct_address", call.address_variable)
    return RunStoppedError(message, refusal.details(call), kind="address", remedy=remedy)


def _redirected(refusal: Refusal, call: CallContext) -> LLMError:
    message = say(
        "{host} redirects to another address, which is not followed. Enter the "
        "final one as the base URL.",
        host=call.host,
    )
    return RunStoppedError(message, refusal.details(call), kind="address")


def _too_long(refusal: Refusal, call: CallContext) -> LLMError:
    needs = _tokens_in(refusal, _NEEDS)
    context = call.listed_model.context if call.listed_model else None
    takes = _tokens_in(refusal, _TAKES) or context
    size = f"{needs:,}" if needs else say("about {number:,}", number=call.prompt_tokens)
    words = mark(
        "This sample needs {size} tokens, more than {model} takes. Use fewer or shorter "
        "documents, or a model with a longer context."
    )
    # A number that is not smaller was about something else, and would confuse.
    if takes is not None and takes < (needs or call.prompt_tokens):
        words = mark(
            "This sample needs {size} tokens, more than {model} takes ({takes:,}). Use fewer or "
            "shorter documents, or a model with a longer context."
        )
    message = say(words, size=size, model=call.model, takes=takes)
    return LLMError(message, refusal.details(call))


def _over_plan(refusal: Refusal, call: CallContext) -> LLMError:
    plan = call.listed_model.free if call.listed_model else None
    limit = _tokens_in(refusal, _TAKES) or (plan.tpm if plan else None)
    budget = call.request.spec.answer_tokens if call.request else 0
    needs = _tokens_in(refusal, _NEEDS)
    size = f"{needs:,}" if needs else say("about {number:,}", number=call.prompt_tokens + budget)
    words = mark(
        "One request ({size} tokens with the answer budget) exceeds your plan's tokens per "
        "minute. Lower the answer budget, use fewer documents, or choose another model."
    )
    if limit:
        words = mark(
            "One request ({size} tokens with the answer budget) exceeds your plan's {limit:,} "
            "tokens per minute. Lower the answer budget, use fewer documents, or choose another "
            "model."
        )
    message = say(words, size=size, limit=limit)
    return LLMError(message, refusal.details(call))


def _no_json(refusal: Refusal, call: CallContext) -> LLMError:
    message = say(
        "{model} did not return valid JSON. Try again, or choose another model.", model=call.model
    )
    # Once more: a model does not write the same twice, but what fails twice mostly fails again.
    return TransientError(message, refusal.details(call), tries=2)


def _unprocessable(refusal: Refusal, call: CallContext) -> LLMError:
    message = say(
        "{provider} could not process the request or what {model} wrote. Try again.",
        provider=call.provider,
        model=call.model,
    )
    return TransientError(message, refusal.details(call), tries=2)


def _limited(refusal: Refusal, call: CallContext) -> LLMError:
    wait, is_daily = refusal.wait, bool(_DAILY.search(refusal.text))
    if not is_daily and (wait is None or wait <= LONGEST_PAUSE):
        words = mark("The limit for {model} at {provider} is reached; try again in a moment.")
        if wait is not None:
            words = mark(
                "The limit for {model} at {provider} is reached; try again in {seconds:d} s."
            )
        seconds = math.ceil(wait or 0.0)
        message = say(words, model=call.model, provider=call.provider, seconds=seconds)
        details = refusal.details(call)
        return RateLimitedError(message, details, wait=wait, headers=refusal.headers)
    resume_at, when = None, say("tomorrow")
    if wait is not None:
        resume_at = datetime.now(UTC) + timedelta(seconds=wait)
        # Seconds are cut off in the text, and too early would be refused again.
        moment = f"{resume_at + timedelta(minutes=1):%Y-%m-%d %H:%M}"
        when = say("after {moment} UTC", moment=moment)
    words = mark(
        "The limit for {model} at {provider} is reached. Everything so far is kept; resume {when}."
    )
    if is_daily:
        words = mark(
            "The daily limit for {model} at {provider} is reached. Everything so far is kept; "
            "resume {when}."
        )
    message = say(words, model=call.model, provider=call.provider, when=when)
    return RunStoppedError(message, refusal.details(call), kind="limits", resume_at=resume_at)


def _overloaded(refusal: Refusal, call: CallContext) -> LLMError:
    wait = min(refusal.wait, LONGEST_PAUSE) if refusal.wait is not None else None
    message = say(
        "{provider} is overloaded (HTTP {status}). Try again in a few minutes.",
        provider=call.provider,
        status=refusal.status,
    )
    return TransientError(message, refusal.details(call), wait=wait)


def _otherwise_refused(refusal: Refusal, call: CallContext) -> LLMError:
    message = say(
        "{provider} refused the request (HTTP {status}). Its own words are in the details.",
        provider=call.provider,
        status=refusal.status,
    )
    return LLMError(message, refusal.details(call))


def _tokens_in(refusal: Refusal, pattern: re.Pattern[str]) -> int | None:
    # Some write 8,000, others 8000.
    number = pattern.search(refusal.words.replace(",", ""))
    return int(number[1]) if number else None


_TABLE: tuple[tuple[Container[int], str, Callable[[Refusal, CallContext], LLMError]], ...] = (
    ({401}, "", _key_refused),
    # Google's status for a wrong key is 400, that of Amazon 403.
    (
        {400, 403},
        "API_KEY_INVALID|api key (not|is not|is in)valid|make sure your API Key",
        _key_refused,
    ),
    ({403}, "security token included in the request is (invalid|expired)", _key_refused),
    ({402}, "", _no_credit),
    ({400, 403, 429}, "insufficient_quota|billing_|blocked_api_access", _no_credit),
    ({403}, "", _not_allowed),
    ({400, 404}, "model_not_found|model_decommissioned", _model_gone),
    ({404}, "deployment.{0,200}(not.?found|does not exist)", _no_deployment),
    ({404}, "model.{0,200}(not found|does not exist)", _model_gone),
    # A 404 with words of its own, which are neither a server's usual ones nor a web page.
    ({404}, r"\A(?!.*(invalid.url|not.found|<)).*\w", _otherwise_refused),
    ({404, 405}, "", _nothing_there),
    (range(300, 400), "", _redirected),
    # Groq refuses a request above the plan's tokens a minute with 413, OpenAI with 429.
    ({413}, r"per min|\bTPM\b", _over_plan),
    ({429}, "request too large", _over_plan),
    ({400}, "context.?(length|window|size)", _too_long),
    ({413}, "", _too_long),
    ({400}, "json_validate_failed", _no_json),
    ({422}, "", _unprocessable),
    ({429}, "", _limited),
    # 498 is Groq's own, for a tier without free capacity.
    ({408, 409, 498, *range(500, 600)}, "", _overloaded),
)
"""Statuses, what code and words must hold, and what that means.

The first row that fits decides; what fits none is `_otherwise_refused`.
"""


# What no answer at all means


def _cannot_connect(call: CallContext, details: str) -> LLMError:
    if "CERTIFICATE_VERIFY_FAILED" in details:
        message = say(
            "{host} shows a certificate that is not trusted here. Set SSL_CERT_FILE to "
            "the file of its issuer's certificate.",
            host=call.host,
        )
        return UnreachableError(message, details)
    if form := call.record.address_form:
        words = mark("Cannot reach {host}. Check that there is such a {part}, and the network.")
        return UnreachableError(say(words, host=call.host, part=say(form.part)), details)
    if call.record.is_custom:
        remedy = Remedy("check_network", call.address_variable)
        return UnreachableError(say("Cannot reach {host}.", host=call.host), details, remedy=remedy)
    return UnreachableError(say("Cannot reach {host}. Check the network.", host=call.host), details)


def _late(call: CallContext, details: str) -> LLMError:
    message = say(
        "No answer from {provider} within {seconds:g} s. Try again, or choose a faster model.",
        provider=call.provider,
        seconds=call.seconds,
    )
    # Each of them has waited for the whole time-out.
    return LateError(message, details, tries=3)


def _too_big(call: CallContext, details: str) -> LLMError:
    message = say(
        "{host} sent far more than an answer; the rest was not read. Check the base URL.",
        host=call.host,
    )
    return LLMError(message, details)


def _packed(call: CallContext, details: str) -> LLMError:
    message = say(
        "{host} sent its answer compressed in a way that was not asked for and that cannot be "
        "read here. Turn compression off there, or in the proxy before it.",
        host=call.host,
    )
    return LLMError(message, details)


def _unfit_key(call: CallContext, details: str) -> LLMError:
    # Without details: they would quote the key, in a form that a mask may miss.
    remedy = Remedy("reenter_key", call.key_variable)
    message = say("The API key contains characters that no key has.")
    return RunStoppedError(message, kind="access", remedy=remedy)


def _connection_broke(call: CallContext, details: str) -> LLMError:
    return TransientError(
        say("The connection to {host} broke. Try again.", host=call.host), details
    )


_NO_ANSWER = {
    "ConnectError": _cannot_connect,
    "TimeoutError": _late,
    "GivenUpError": _late,
    "TooBigError": _too_big,
    "PackedError": _packed,
    "UnicodeEncodeError": _unfit_key,
    "ValueError": _unfit_key,
}
"""By the name of the exception; all other names are those of broken connections."""


def _without_answer(error: BaseException, call: CallContext) -> LLMError:
    # That of an SDK says less than what it wraps.
    cause = error.__cause__ if type(error).__name__ == "APIConnectionError" else None
    exact = cause or error
    make = _NO_ANSWER.get(type(exact).__name__, _connection_broke)
    return make(call, call.clean(f"{type(exact).__name__}: {exact}"))
