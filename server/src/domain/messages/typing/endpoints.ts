/** Typing events go through the log alone: the database stores nothing about typing. */
import type { ParamsOf } from "@skein/api/endpoint.ts";
import * as api from "@skein/api/typing.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUsers } from "../../../events/audience.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { accessReadableChannel } from "../../channels/access.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { readTopic } from "../../channels/topics/name.ts";
import { apiEmail } from "../../people/users/email.ts";
import { accessMessageForTyping, accessTyping } from "./access.ts";
import { accessParties, listInterestedSubscribers, listParties } from "./recipients.ts";

type Typing = ParamsOf<typeof api.setTypingStatus>;

async function typeDirectly(ctx: Context, user: User, { op, to }: Typing): Promise<void> {
  if (to === undefined) throw new ApiError("Missing 'to' argument");
  if (to.length === 0) throw new ApiError("Empty 'to' list");
  accessTyping(user, "direct");
  const parties = await accessParties(ctx.db, user, realmHost(ctx.config, user.realm), to);
  const recipients = parties.map(({ user_id, email }) => ({ user_id, email }));
  const sender = recipients.find(({ user_id }) => user_id === user.id);
  const interested = parties.filter((party) => party.wants_to_know).map((party) => party.user_id);
  const event = { type: "typing", op, message_type: "direct", sender, recipients };
  if (interested.length > 0) await ctx.events.emitTransient(user.realm_id, toUsers(interested), event);
}

async function typeInChannel(ctx: Context, user: User, { op, stream_id, topic }: Typing): Promise<void> {
  if (stream_id === undefined) throw new ApiError("Missing channel ID");
  if (topic === undefined) throw new ApiError("Missing topic");
  accessTyping(user, "channel");
  const channel = await accessReadableChannel(ctx.db, user, { id: stream_id });
  const sender = { user_id: user.id, email: apiEmail(user, realmHost(ctx.config, user.realm)) };
  const interested = await listInterestedSubscribers(ctx.db, user, channel.id);
  const event = { type: "typing", op, message_type: "stream", sender, stream_id, topic: readTopic(topic) };
  if (interested.length > 0) await ctx.events.emitTransient(user.realm_id, toUsers(interested), event);
}

export const typingEndpoints: BoundEndpoint[] = [
  handle(api.setTypingStatus, async ({ ctx, user, params }) => {
    if (params.type === "direct") await typeDirectly(ctx, user, params);
    else await typeInChannel(ctx, user, params);
    return {};
  }),

  handle(api.setEditTypingStatus, async ({ ctx, user, params: { op, message_id } }) => {
    const { conversation_id: id, topic } = await accessMessageForTyping(ctx.db, user, message_id);
    accessTyping(user, topic === null ? "direct" : "channel");
    const event = { type: "typing_edit_message", op, sender_id: user.id, message_id };
    if (topic === null) {
      const { all, interested } = await listParties(ctx.db, id);
      const recipient = { type: "direct", user_ids: all };
      if (interested.length > 0)
        await ctx.events.emitTransient(user.realm_id, toUsers(interested), { ...event, recipient });
    } else {
      const interested = await listInterestedSubscribers(ctx.db, user, id);
      const recipient = { type: "channel", channel_id: id, topic };
      if (interested.length > 0)
        await ctx.events.emitTransient(user.realm_id, toUsers(interested), { ...event, recipient });
    }
    return {};
  }),
];
