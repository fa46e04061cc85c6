"""Addresses beside the pages: where a sign-in with Hugging Face begins, and where it comes back."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from evaluators.config import config
from evaluators.errors import HostLimitError
from evaluators.llm import sign_in
from evaluators.rounds import limits
from evaluators.runs.queue import visitor_address


async def start(request: Request) -> Response:
    """Sends a browser to Hugging Face."""
    app = sign_in.app_of_host()
    # Only a page of this host begins one: else a link elsewhere could, for whoever follows it.
    if app is None or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return PlainTextResponse("Begin on the Settings page.", status_code=403)
    peer = request.client.host if request.client else ""
    forwarded = request.headers.get("x-forwarded-for", "") if config().behind_proxy else ""
    address = visitor_address(peer, forwarded)
    try:
        limits.sign_ins.check(address)
    except HostLimitError as error:
        return PlainTextResponse(str(error), status_code=429)
    limits.sign_ins.count(address)
    secret, there = sign_in.begin(app, request.query_params.get("w", "")[:100])
    response = _redirect(there)
    # Lax, as it comes back by a link of Hugging Face; no script reads it.
    response.set_cookie(
        sign_in.COOKIE,
        secret,
        max_age=int(sign_in.SECONDS),
        httponly=True,
        samesite="lax",
        secure=app.home.startswith("https:"),
    )
    return response


async def back(request: Request) -> Response:
    """Takes the reply, and goes on to the page whose session finishes the sign-in."""
    query = {sign_in.RETURNED: "1"}
    if app := sign_in.app_of_host():
        secret = request.cookies.get(sign_in.COOKIE, "")
        if workspace := sign_in.returned(app, secret, request.query_params):
            query["w"] = workspace
    # Relative, so that nothing in the reply says where it goes.
    return _redirect(f"/settings?{urlencode(query)}")


def _redirect(address: str) -> RedirectResponse:
    return RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})


ROUTES = [Route(sign_in.START, start), Route(sign_in.BACK, back)]
