/** How notices refer to people and channels in Markdown. */

/** Mentions a user without notifying them. */
export const silentMention = ({ id, full_name }: { id: number; full_name: string }): string =>
  `@_**${full_name}|${id}**`;

export const channelLink = ({ name }: { name: string }): string => `#**${name}**`;
