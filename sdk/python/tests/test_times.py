from __future__ import annotations

import unittest
from datetime import date, datetime, timedelta, timezone

from fencepost import FencepostError, at
from fencepost._times import encoded

BERLIN = timezone(timedelta(hours=1))


class TestAt(unittest.TestCase):
    def test_zones(self) -> None:
        # Of shared/kernel/wallclock, whose results are these instants.
        for zone, shown, want in (
            ("UTC", "2026-07-01T09:00:00", "2026-07-01T09:00:00Z"),
            ("Europe/Berlin", "2026-03-29T01:59:59.999", "2026-03-29T00:59:59.999Z"),
            ("Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-03-29T02:59:59.999", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-03-29T03:00:00.25", "2026-03-29T01:00:00.25Z"),
            ("Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25T00:00:00Z"),
            ("Europe/Berlin", "2026-10-25T02:59:59.999", "2026-10-25T00:59:59.999Z"),
            ("America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:00:00Z"),
            ("America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:00:00Z"),
            ("Africa/Cairo", "2026-04-24T00:15:00", "2026-04-23T22:00:00Z"),
            ("Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:30:00Z"),
            ("Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00Z"),
            ("Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T10:00:00Z"),
            ("Africa/Casablanca", "2026-03-22T02:30:00", "2026-03-22T02:00:00Z"),
            ("Europe/Berlin", "2031-03-30T02:30:00", "2031-03-30T01:00:00Z"),
        ):
            with self.subTest(zone=zone, shown=shown):
                instant = datetime.fromisoformat(at(shown, zone)).astimezone(timezone.utc)
                day, _, fraction = want[:-1].partition(".")
                microseconds = int((fraction or "0").ljust(6, "0"))
                self.assertEqual(instant, datetime.fromisoformat(day + "+00:00").replace(microsecond=microseconds))

    def test_form(self) -> None:
        self.assertEqual(at("2026-12-01 09:00", "Europe/Berlin"), "2026-12-01T09:00:00+01:00")
        self.assertEqual(at("2026-12-01t09:00", "UTC"), "2026-12-01T09:00:00+00:00")
        for wrong in ("", "tomorrow", "2026-12-01", "2026-12-01T09:00:00Z", "2026-12-01T09:00+01:00", "2026-02-30 09:00",
                      "2026-12-01 24:00", "2026-12-01 09:00 ", "２０２６-12-01 09:00", "0000-01-01 09:00"):
            with self.subTest(text=wrong), self.assertRaises(FencepostError) as raised:
                at(wrong, "Europe/Berlin")
            self.assertEqual(raised.exception.kind, "validation")

    def test_zone(self) -> None:
        for wrong in ("Europe/Atlantis", "", "../etc/passwd", "/etc/passwd", "Europe"):
            with self.subTest(zone=wrong), self.assertRaises(FencepostError) as raised:
                at("2026-12-01 09:00", wrong)
            self.assertIn("is not the name of an IANA time zone", str(raised.exception))


class TestBodies(unittest.TestCase):
    def test_times_become_texts(self) -> None:
        body = {"schedule": datetime(2026, 12, 1, 9, tzinfo=BERLIN), "items": [{"from": date(2026, 1, 2)}], "title": None}
        want = {"schedule": "2026-12-01T09:00:00+01:00", "items": [{"from": "2026-01-02"}], "title": None}
        self.assertEqual(encoded(body), want)

    def test_naive_times(self) -> None:
        naive = datetime(2026, 12, 1, 9)
        for body, pointers in (
            ({"schedule": naive}, ["/schedule"]),
            ({"scheduledAt": "2026-12-01T09:00:00"}, ["/scheduledAt"]),
            ({"items": [{"a/b": naive}], "showFrom": "2026-12-01T09:00:00"}, ["/items/0/a~1b", "/showFrom"]),
            ({"schedule": naive, "timezone": "Europe/Berlin"}, []),
            ({"schedule": naive, "timezone": None}, ["/schedule"]),
            ({"showFrom": naive, "timezone": "Europe/Berlin"}, ["/showFrom"]),
            ({"schedule": "next_slot", "content": "2026-12-01T09:00:00"}, []),
            ({"metadata": {"schedule": "2026-12-01T09:00:00"}, "options": {"from": "2026-12-01T09:00:00"}}, []),
            ({"schedule": "2026-12-01T09:00:00Z", "scheduledAt": "2026-12-01T09:00:00.5+01:00"}, []),
        ):
            with self.subTest(body=body):
                found = []
                try:
                    encoded(body)
                except FencepostError as error:
                    found = [fault["pointer"] for fault in error.errors]
                    self.assertTrue(error.errors[0]["message"].startswith("has no offset: add Z for UTC"))
                self.assertEqual(found, pointers)


if __name__ == "__main__":
    unittest.main()
