import { refused } from "./errors.js";

const minute = 60_000;
const day = 24 * 60 * minute;
const shape = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?$/;

/**
 * Returns the time that the clocks of a zone show, such as at("2026-12-01 09:00", "Europe/Berlin"), with its offset. As in
 * the service, a time that the clocks skip is the first instant after the gap, and a time that occurs twice the first of
 * both.
 */
export function at(local: string, timezone: string): string {
  const shown = parse(local);
  const format = formatOf(timezone);
  // A zone has at most two offsets within a day of a time. The greater offset is the earlier instant.
  const offsets = [-day, 0, day].map((shift) => offsetAt(format, shown + shift)).sort((a, b) => b - a);
  const offset = offsets.find((one) => offsetAt(format, shown - one) === one);
  if (offset !== undefined) return text(shown, offset);
  const [after = 0, before = 0] = [offsets[0], offsets.at(-1)];
  const instant = change(format, shown - after, shown - before);
  return text(instant + after, after);
}

/** Returns the first instant at which the offset is no longer that of the start. */
function change(format: Intl.DateTimeFormat, start: number, end: number): number {
  const before = offsetAt(format, start);
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(format, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the milliseconds since 1970 at which a clock in UTC shows the time. */
function parse(local: string): number {
  const [, year, month, date, hour, min, second = "00", fraction = ""] = shape.exec(local) ?? [];
  const day = `${year}-${month}-${date}T${hour}:${min}:${second}`;
  const shown = Date.parse(`${day}.${fraction.slice(0, 3).padEnd(3, "0")}Z`);
  // Date.parse makes March 2 of February 30, and a new day of 24:00.
  if (Number.isNaN(shown) || !new Date(shown).toISOString().startsWith(day)) {
    throw refused([{ pointer: "/time", message: "is not a date and time that exists, such as 2026-12-01 09:00" }]);
  }
  return shown;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric" as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    if (/^[+-]/.test(timeZone)) throw new RangeError("an offset is not a zone");
    return new Intl.DateTimeFormat("en-US", { ...parts, timeZone, hourCycle: "h23" });
  } catch {
    throw refused([{ pointer: "/timezone", message: "is not the name of an IANA time zone, such as Europe/Berlin" }]);
  }
}

/** Returns the milliseconds by which the clocks are ahead of UTC at an instant. */
function offsetAt(format: Intl.DateTimeFormat, instant: number): number {
  const found = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? 0;
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(instant / 1000) * 1000;
}

function text(shown: number, offset: number): string {
  const minutes = Math.abs(offset) / minute;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const local = new Date(shown).toISOString().replace(/(\.000)?Z$/, "");
  return `${local}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
