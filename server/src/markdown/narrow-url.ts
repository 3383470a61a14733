/** The client's URLs of channels, topics and messages. */

const leftByEncodeUriComponent = /[!'()*.]/g;
const toPercent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Percent-encodes everything but letters, digits and `-_~`, with a dot instead of the percent sign. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(leftByEncodeUriComponent, toPercent).replaceAll("%", ".");

export const channelUrl = ({ stream_id, name }: { stream_id: number; name: string }): string =>
  `/#narrow/channel/${stream_id}-${encode(name.replaceAll(" ", "-"))}`;

export const topicUrl = (channel: { stream_id: number; name: string }, topic: string): string =>
  `${channelUrl(channel)}/topic/${encode(topic)}`;

/** A direct conversation, given its participants except the reader. The URL includes the name if there is only one. */
export function directUrl(others: readonly { id: number; full_name: string }[]): string {
  const [only, ...more] = others;
  const name = only && more.length === 0 ? encode(only.full_name.replaceAll(" ", "-")) : "group";
  return `/#narrow/dm/${others.map(({ id }) => id).join(",")}-${name}`;
}
