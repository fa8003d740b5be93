/** The version of this package, which it sends as User-Agent. A test compares it with package.json. */
export const version = "0.9.0";
