// The recipes of README.md in their order: the case of sdk/conformance/recipes.json with their exchanges, and the lines that
// they print. A program without an end is stopped after its last line.
const time = "2026-12-01T08:00:00.251Z";

export const recipes = [
  { name: "schedule", lines: [`SCHEDULED ${time}`] },
  { name: "picture", lines: ["12 of 12 bytes", "PUBLISHED https://t.me/acme_news/42"] },
  { name: "variants", lines: ["SCHEDULED New tiles!", "SCHEDULED We made new tiles. Read how."] },
  { name: "next-slot", lines: [`at ${time}`] },
  { name: "approval", lines: ["PENDING_APPROVAL", "DRAFT"] },
  { name: "failed", lines: ["PLATFORM_UNAVAILABLE", "PLATFORM_REJECTED"] },
  { name: "move", lines: ["at 2026-12-02T09:00:00.001Z"] },
  { name: "receiver", lines: ["evt_1 https://t.me/acme_news/42"], endless: true, receives: true },
  {
    name: "follow",
    lines: ["2 post.published", "3 post.published", "4 post.published"],
    endless: true,
    files: { cursor: ["e1", "e4"] }, // its content before and after
  },
  { name: "figures", lines: ["1200 48 null"] },
];
