"""Stored moments as the reader's clock had them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from evaluators.text.language import say


def local_time(moment: str | datetime) -> str:
    """The moment in the zone of the reader's browser; in UTC where that is not known."""
    created = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    try:
        zone: ZoneInfo | None = ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        # A browser may say nothing of it, or anything.
        zone = None
    if created.tzinfo is None:
        created = created.replace(tzinfo=UTC)
    if zone is None:
        return created.astimezone(UTC).strftime(say("%d %b %Y, %H:%M UTC"))
    return created.astimezone(zone).strftime(say("%d %b %Y, %H:%M"))
