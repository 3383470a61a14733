/**
 * A bot also acts for its owner: it may post where the owner is subscribed and where the owner may post. SQL text:
 * `owner` is SQL for the owner's id (null for people and for bots without an owner), `channel` the alias of a channel.
 */
export const isOwnerSubscribed = (owner: string, channel: string): string => `(${owner} is not null and exists (
  select from subscriptions owned join users owner on owner.id = owned.user_id and owner.is_active
  where owned.user_id = ${owner} and owned.channel_id = ${channel}.id and owned.active))`;

export const mayOwnerSend = (owner: string, channel: string): string =>
  `(${owner} is not null and account_in_group(${owner}, ${channel}.can_send_message_group_id))`;
