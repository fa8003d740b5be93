"""Times in requests: only those that name one instant."""
from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any, List, Mapping, Tuple
from zoneinfo import ZoneInfo

from ._errors import refusal

# The members of requests that have a time, and those among them beside which there may be a time zone.
_ZONED = frozenset({"schedule", "scheduledAt"})
_MOMENTS = _ZONED | frozenset(
    "createdFrom createdTo endsAt expiresAt from publishedFrom publishedTo scheduledFrom scheduledTo showFrom showUntil "
    "since to until updatedSince".split()
)
# The members whose names are the client's, not those of the API.
_FREE = frozenset({"metadata", "mediaAltTexts", "options"})

_SHOWN = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?(\.\d+)?", re.ASCII)
_NAIVE = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?", re.ASCII)
# The texts of the service.
_NO_OFFSET = "has no offset: add Z for UTC or an offset such as +02:00"
_NO_ZONE = _NO_OFFSET + "; or send its time zone beside it as timezone, for example Europe/Berlin"
_RANGE = "is not a date and time that exists between the years 1 and 9999"
_ZONE = "is not the name of an IANA time zone, such as Europe/Berlin"


def at(text: str, zone: str) -> str:
    """Return the time at which the clocks of an IANA time zone show the text, as RFC 3339 with its offset.

    at("2026-12-01 09:00", "Europe/Berlin") is "2026-12-01T09:00:00+01:00". As in the service, a time that the clocks
    skip is the first instant after the gap, and a time that occurs twice is the first of both.
    """
    shown = _SHOWN.fullmatch(text)
    if not shown:
        raise refusal(("time", "must be a date and a time of day without an offset, such as 2026-12-01 09:00"))
    day, minutes, seconds, fraction = shown.groups()
    try:
        # Python 3.9 reads fractions of exactly six digits.
        local = datetime.fromisoformat(f"{day}T{minutes}{seconds or ':00'}{(fraction or '.')[:7].ljust(7, '0')}")
    except ValueError:
        raise refusal(("time", _RANGE)) from None
    return _first_shown(local, _zone(zone)).isoformat()


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise refusal(("timezone", f"{_ZONE}; or this machine has no time zones: install tzdata")) from error


def _first_shown(local: datetime, zone: tzinfo) -> datetime:
    """Return the first instant at which the clocks of the zone show local or later."""
    first = local.replace(tzinfo=zone).astimezone(timezone.utc)
    if first.astimezone(zone).replace(tzinfo=None) == local:
        return first.astimezone(zone)
    # In a gap. The offset before it, of fold 0, leads behind the gap, and that after it to before the gap.
    before, after = local.replace(tzinfo=zone, fold=1).astimezone(timezone.utc), first
    while after - before > timedelta(microseconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).replace(tzinfo=None) < local:
            before = middle
        else:
            after = middle
    return after.astimezone(zone)


def encoded(value: Any) -> Any:
    """Return a body for json.dumps: with texts for dates and times. A time without an offset is refused."""
    faults: List[Tuple[str, str]] = []
    result = _encoded(value, "", "", {}, faults)
    if faults:
        raise refusal(*faults)
    return result


def _encoded(value: Any, pointer: str, name: str, beside: Mapping[str, Any], faults: List[Tuple[str, str]]) -> Any:
    if isinstance(value, Mapping):
        inside = {} if name in _FREE else value
        return {
            key: _encoded(one, f"{pointer}/{_escaped(key)}", key if inside else "", inside, faults)
            for key, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_encoded(one, f"{pointer}/{i}", "", {}, faults) for i, one in enumerate(value)]
    naive = isinstance(value, datetime) and value.utcoffset() is None
    naive = naive or name in _MOMENTS and isinstance(value, str) and bool(_NAIVE.fullmatch(value))
    if naive and not (name in _ZONED and beside.get("timezone")):
        faults.append((pointer, _NO_ZONE if name in _ZONED else _NO_OFFSET))
    return value.isoformat() if isinstance(value, date) else value


def _escaped(name: str) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")
