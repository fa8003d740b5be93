import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../src/index.js";

// Some of the cases of shared/kernel/wallclock/wallclock_test.go, with the instants of the service.
const cases: [zone: string, shown: string, instant: string][] = [
  ["UTC", "2026-07-01T09:00:00", "2026-07-01T09:00:00.000Z"],
  ["Europe/Berlin", "2026-07-01T09:00:00", "2026-07-01T07:00:00.000Z"],
  ["Europe/Berlin", "2026-01-01T09:00:00.5", "2026-01-01T08:00:00.500Z"],
  ["Europe/Berlin", "2026-03-29T01:59:59.999", "2026-03-29T00:59:59.999Z"],
  ["Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T01:00:00.000Z"],
  ["Europe/Berlin", "2026-03-29T02:59:59.999", "2026-03-29T01:00:00.000Z"],
  ["Europe/Berlin", "2026-03-29T03:00:00.25", "2026-03-29T01:00:00.250Z"],
  ["Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59.000Z"],
  ["Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25T00:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25T02:59:59.999", "2026-10-25T00:59:59.999Z"],
  ["Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00.000Z"],
  ["Europe/London", "2026-03-29T01:30:00", "2026-03-29T01:00:00.000Z"],
  ["America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:00:00.000Z"],
  ["America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00.000Z"],
  ["America/Los_Angeles", "2026-11-01T01:30:00", "2026-11-01T08:30:00.000Z"],
  ["America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:00:00.000Z"],
  ["America/Havana", "2026-03-08T00:30:00", "2026-03-08T05:00:00.000Z"],
  ["Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00.000Z"],
  ["Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T10:00:00.000Z"], // a day that the zone skipped
  ["Asia/Kathmandu", "2026-03-01 09:00", "2026-03-01T03:15:00.000Z"],
  ["Pacific/Kiritimati", "2026-03-01 00:00", "2026-02-28T10:00:00.000Z"],
];

test("at returns the instant of the service", () => {
  for (const [zone, shown, instant] of cases) {
    assert.equal(new Date(at(shown, zone)).toISOString(), instant, `${shown} in ${zone}: ${at(shown, zone)}`);
  }
});

test("at returns the offset of the zone", () => {
  assert.equal(at("2026-12-01 09:00", "Europe/Berlin"), "2026-12-01T09:00:00+01:00");
  assert.equal(at("2026-12-01T09:00:01.25", "America/St_Johns"), "2026-12-01T09:00:01.250-03:30");
  assert.equal(at("2026-12-01 09:00", "UTC"), "2026-12-01T09:00:00+00:00");
});

test("at refuses times that do not exist", () => {
  for (const wrong of [
    "2026-02-30 09:00",
    "2026-12-01 24:00",
    "2026-12-01 09:60",
    "2026-13-01 09:00",
    "2026-12-01",
    "",
    "9:00",
  ]) {
    assert.throws(() => at(wrong, "UTC"), { kind: "validation", code: "VALIDATION_FAILED" }, wrong);
  }
});

test("at refuses unknown zones", () => {
  for (const wrong of ["Europe/Atlantis", "", "+02:00"]) {
    assert.throws(() => at("2026-12-01 09:00", wrong), { kind: "validation" }, wrong);
  }
});
