// The document names the networks of an option in its description: "YouTube: …", "X, Telegram and Threads: …", one sentence
// for each group. The creation endpoints of networks have the values of the same option as an enumeration.
const networks = {
  Facebook: ["FACEBOOK_PAGE", "FACEBOOK_GROUP"],
  "Google Business": ["GOOGLE_BUSINESS"],
  Instagram: ["INSTAGRAM_PROFESSIONAL", "INSTAGRAM_PERSONAL"],
  LinkedIn: ["LINKEDIN_PROFILE", "LINKEDIN_PAGE"],
  Pinterest: ["PINTEREST"],
  Telegram: ["TELEGRAM_CHANNEL", "TELEGRAM_BUSINESS"],
  Threads: ["THREADS"],
  TikTok: ["TIKTOK_PERSONAL", "TIKTOK_BUSINESS"],
  X: ["TWITTER"],
  YouTube: ["YOUTUBE"],
};
const name = `(?:${Object.keys(networks).join("|")})`;
const group = new RegExp(`(?:^|(?<=\\. ))(${name}(?:(?:, | and )${name})*): `, "g");
const endpoints = { YouTube: "CreateYouTubeRequest", LinkedIn: "CreateLinkedInRequest" };

/** Returns the groups of networks in a description: their names and what is said of them. */
function groupsOf(option, description) {
  const marks = [...description.matchAll(group)];
  if (marks[0]?.index !== 0) throw new Error(`the option ${option} does not begin with its networks: ${description}`);
  return marks.map((mark, i) => ({
    names: mark[1].split(/, | and /),
    text: description.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim(),
  }));
}

/** Returns the values of an option: the enumeration of the network's endpoint, or the words in capitals of the text. */
function valuesOf(schemas, network, option, text) {
  const reference = schemas[endpoints[network]]?.properties[option]?.allOf?.[0].$ref;
  if (reference) return schemas[reference.split("/").pop()].enum;
  const words = text.match(/\b[A-Z][A-Z_]+(?:, [A-Z][A-Z_]+)* or [A-Z][A-Z_]+\b/);
  return words ? words[0].split(/, | or /) : undefined;
}

export function networkOptions(schemas, label, describe, title, switches) {
  const result = [];
  for (const [option, schema] of Object.entries(schemas.PostOptions.properties)) {
    for (const { names, text } of groupsOf(option, schema.description)) {
      const values = valuesOf(schemas, names[0], option, text);
      const type =
        schema.type === "string" ? (values ? "options" : "string") : schema.type === "boolean" ? "boolean" : "number";
      const said = describe(text.replace(/^./, (first) => first.toUpperCase()));
      result.push({
        id: option,
        displayName: label(option),
        description: switches[option] ?? said,
        type,
        channels: names.flatMap((one) => networks[one]),
        options: values?.map((value) => ({ name: title(value), value })),
      });
    }
  }
  return result;
}
