/** Returns a time of n8n as text: from a text, a date, or the DateTime of an expression. */
export function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  const { toISO } = (value ?? {}) as { toISO?: () => string };
  return typeof toISO === "function" ? toISO.call(value) : String(value ?? "").trim();
}

const naive = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/;

/** Returns a wall-clock time without an offset in the form of the API, or undefined if the text is not one. */
export function wallClock(text: string): string | undefined {
  const found = naive.exec(text);
  return found ? `${found[1]}T${found[2] ?? "00:00"}${found[3] ?? ":00"}` : undefined;
}

/** Returns a time with an offset: a wall-clock time is one of the zone. */
export function instant(text: string, zone: string): string {
  const wall = wallClock(text);
  if (wall === undefined) return text;
  const asUTC = Date.parse(`${wall}Z`);
  // The offset at the time as if it were in UTC can be that of the other side of a change, so it is read twice.
  const once = asUTC - offset(asUTC, zone);
  return new Date(asUTC - offset(once, zone)).toISOString();
}

/** Returns the milliseconds by which a zone is ahead of UTC at a time. */
function offset(time: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
}
