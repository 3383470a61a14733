/** Addresses of channels, topics and messages inside the client. */

const keptByStandard = /[!'()*.]/g;
const toPercent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Percent-encoding of everything but letters, digits and `-_~`, with a dot in the place of the percent sign. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(keptByStandard, toPercent).replaceAll("%", ".");

export const channelUrl = ({ stream_id, name }: { stream_id: number; name: string }): string =>
  `/#narrow/channel/${stream_id}-${encode(name.replaceAll(" ", "-"))}`;

export const topicUrl = (channel: { stream_id: number; name: string }, topic: string): string =>
  `${channelUrl(channel)}/topic/${encode(topic)}`;

/** A direct conversation, by the people in it but for the reader; of one other person it has the name. */
export function directUrl(others: readonly { id: number; full_name: string }[]): string {
  const [only, ...more] = others;
  const name = only && more.length === 0 ? encode(only.full_name.replaceAll(" ", "-")) : "group";
  return `/#narrow/dm/${others.map(({ id }) => id).join(",")}-${name}`;
}
