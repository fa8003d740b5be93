// The document names the networks of an option in its description: "YouTube: …", "X, Telegram and Threads: …", one sentence
// for each group. A sentence ends with the values, if the option has some: "X: who may reply: everyone or following."
const networks = {
  Bluesky: ["BLUESKY"],
  Facebook: ["FACEBOOK_PAGE", "FACEBOOK_GROUP"],
  "Google Business": ["GOOGLE_BUSINESS"],
  Instagram: ["INSTAGRAM_PROFESSIONAL", "INSTAGRAM_PERSONAL"],
  LinkedIn: ["LINKEDIN_PROFILE", "LINKEDIN_PAGE"],
  Mastodon: ["MASTODON"],
  Pinterest: ["PINTEREST"],
  Telegram: ["TELEGRAM_CHANNEL", "TELEGRAM_BUSINESS"],
  Threads: ["THREADS"],
  TikTok: ["TIKTOK_PERSONAL", "TIKTOK_BUSINESS"],
  X: ["TWITTER"],
  YouTube: ["YOUTUBE"],
};
const name = `(?:${Object.keys(networks).join("|")})`;
const group = new RegExp(`(?:^|(?<=\\. ))(${name}(?:(?:, | and )${name})*): `, "g");
const values = /: ([\w-]+(?:, [\w-]+)*(?: or [\w-]+)?)\.$/;

/** Returns the groups of networks in a description: their names and what is said of them. */
function groupsOf(option, description) {
  const marks = [...description.matchAll(group)];
  if (marks[0]?.index !== 0) throw new Error(`the option ${option} does not begin with its networks: ${description}`);
  return marks.map((mark, i) => ({
    names: mark[1].split(/, | and /),
    text: description.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim(),
  }));
}

/** Returns the values of an option, at the end of its text. */
const valuesOf = (text) => text.match(values)?.[1].split(/, | or /);

export function networkOptions(schemas, label, describe, title, switches) {
  const result = [];
  for (const [option, schema] of Object.entries(schemas.PostOptions.properties)) {
    for (const { names, text } of groupsOf(option, schema.description)) {
      const choices = schema.type === "string" ? valuesOf(text) : undefined;
      const type = choices ? "options" : schema.type === "integer" ? "number" : schema.type;
      const said = describe(text.replace(/^./, (first) => first.toUpperCase()));
      result.push({
        id: option,
        displayName: label(option),
        description: switches[option] ?? said,
        type,
        channels: names.flatMap((one) => networks[one]),
        options: choices?.map((value) => ({ name: title(value), value })),
      });
    }
  }
  return result;
}
