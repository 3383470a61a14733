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
