"""Following the event log."""
from __future__ import annotations

from typing import Any, Optional

from ._calls import Call
from ._core import Item, Settings, Sleep, Steps, value
from ._errors import FencepostError


def follow(
    settings: Settings, cursor: Optional[str], type: Optional[str], from_: Any, limit: Optional[int], interval: float
) -> Steps:
    """Give pairs of an event and the cursor to store once it is processed."""
    while True:
        query = {"type": type, "from": from_, "limit": limit, "cursor": cursor}
        try:
            page = yield from value(settings, Call("GET", "/v1/events", query=query))
        except FencepostError as error:
            if not error.transient:
                raise
            yield Sleep(max(interval, error.retry_after or 0))
            continue
        events = page["data"]
        for event in events[:-1]:
            yield Item((event, cursor))
        cursor = page.get("nextCursor") or cursor
        if events:
            yield Item((events[-1], cursor))
        if not page.get("hasMore"):
            yield Sleep(interval)
