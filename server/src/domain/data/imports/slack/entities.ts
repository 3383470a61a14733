/** The three entities that Slack writes. */
export const decodeText = (text: string): string =>
  text.includes("&") ? text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") : text;
