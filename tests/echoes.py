"""Ways in which an endpoint may send a key back, and a search that finds what of it was kept.

`ECHOES` are responses made from the key, by name; `traces` names what of the key is in some bytes.
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode

from tests.loopback import Response, in_json, problem

PART = 12
"""So many characters of the key in a row must be nowhere."""


def answer(content, finish="stop", **more):
    return in_json(
        {"choices": [{"message": {"content": content}, "finish_reason": finish}], **more}
    )


def refusal(message="no", code="bad", headers=None, **more):
    return problem(400, message, code, headers=headers, **more)


def text(body, kind="text/plain", status=400):
    return Response(status, body.encode(), {"content-type": kind})


FORMS = {
    "as it is": lambda key: key,
    "upper": str.upper,
    "lower": str.lower,
    "a line break": lambda key: f"{key[:PART]}\n{key[PART:]}",
    "base64": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64, one on": lambda key: b64encode(f"a{key}".encode()).decode(),
    "base64, two on": lambda key: b64encode(f"aa{key}z".encode()).decode(),
    "base64 for URLs": lambda key: urlsafe_b64encode(f"??>{key}".encode()).decode(),
    "percent": lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
    "percent here and there": lambda key: re.sub("[3-9]", lambda digit: f"%{ord(digit[0]):x}", key),
    "JSON escapes": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    "JSON escapes here and there": lambda key: key.replace("-", "\\u002D").replace("_", "\\u005f"),
    "without its end": lambda key: key[:-4],
    "without its beginning": lambda key: key[4:],
    "a part": lambda key: key[8 : 8 + PART],
    "in two halves": lambda key: f"{key[:17]} and {key[17:]}",
    "in a name": lambda key: f"x{key}x",
}

PLACES = {
    "the answer": lambda said: answer(
        f'{{"reason": {json.dumps("your key is " + said)}, "verdict": "yes"}}'
    ),
    "no JSON": lambda said: answer(f"no, {said}"),
    "a part of the content": lambda said: answer([{"type": "text", "text": said}]),
    "a refusal to answer": lambda said: in_json(
        {"choices": [{"message": {"content": None, "refusal": said}}]}
    ),
    "the model": lambda said: answer('{"reason": "", "verdict": "yes"}', model=said),
    "the end of the model": lambda said: answer(
        '{"reason": "", "verdict": "yes"}', model="m" * 170 + said
    ),
    "the reason to end": lambda said: answer('{"reason": "", "verdict": "yes"}', finish=said),
    "a call of a tool": lambda said: answer("", finish="tool_calls", model=said),
    "message": lambda said: refusal(said),
    "message, cut at 300": lambda said: refusal("x" * 275 + said),
    "message, cut at 2000": lambda said: refusal("x" * 1980 + said),
    "code": lambda said: refusal(code=said),
    "code, cut at 200": lambda said: refusal(code="x" * 170 + said),
    "type": lambda said: refusal(kind=said),
    "param": lambda said: refusal(param=said),
    "request id": lambda said: refusal(headers={"x-request-id": said}),
    "message of a refused key": lambda said: problem(
        401, f"Incorrect API key provided: {said}", "invalid_api_key"
    ),
    "words": lambda said: text(f"Authorization={said}"),
    "a page": lambda said: text(f"<html>Authorization: Bearer {said}</html>", "text/html"),
    "a page that is fine": lambda said: text(f"<html>{said}</html>", "text/html", 200),
    "an address to go to": lambda said: Response(
        307, b"", {"location": f"http://127.0.0.1:9/?k={said}"}
    ),
    "an encoding": lambda said: Response(200, b"{}", {"content-encoding": said}),
}


def ways(key):
    """The key as it is in every place, and in every form in an answer."""
    found = {f"as it is in {place}": make(key) for place, make in PLACES.items()}
    return found | {
        f"{form} in the answer": PLACES["no JSON"](made(key)) for form, made in FORMS.items()
    }


def traces(content: bytes, key: str) -> set[str]:
    """What of the key is in these bytes, by kind: as they are, or with their escapes read."""
    said = content.lower().replace(rb"\\", b"\\")
    escape = re.compile(rb"%([0-9a-f]{2})|\\u00([0-9a-f]{2})")
    read = escape.sub(lambda code: bytes.fromhex((code[1] or code[2]).decode()), said)
    kinds = {"plain": key}
    for shift in range(3):
        kinds[f"base64 {shift}"] = b64encode(b"~" * shift + key.encode()).decode()[4:-4]
    found = set()
    for kind, form in kinds.items():
        parts = [form[at : at + PART].lower().encode() for at in range(len(form) - PART + 1)]
        if any(part in where for part in parts for where in (said, read)):
            found.add(kind)
    return found
