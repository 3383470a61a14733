/**
 * Sending a message. The usual case is one statement, shared with whatever else is being sent at the moment. A message
 * that statement did not send is handled alone: either there is a reason to refuse it, which the sender gets as an
 * error, or something was missing (a topic, the channel's first message), which is created before the message is sent
 * in its own transaction. A message with consequences has more to write, and is sent alone from the start.
 */
import type { ParamsOf, ReturnsOf } from "@skein/api/endpoint.ts";
import type { sendMessage as sendMessageEndpoint } from "@skein/api/messages.ts";
import type { Context } from "../../../context.ts";
import { ApiError, missingParameter } from "../../../errors.ts";
import type { RequestInfo } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { verifyAlertWords } from "../alert-words/cached-words.ts";
import { defaultSendingChannel } from "../../people/bots/default-channel.ts";
import { clientId } from "../../base/clients.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { readTopic } from "../../channels/topics/name.ts";
import { compose, outgoing, type Composed } from "./compose.ts";
import { accessMentions, mentionsAnybody } from "./mentions.ts";
import { accessPartiesForSending, accessTopicForSending } from "./send-access.ts";
import { sendDirectAlone, sendToChannelAlone, type SendResult } from "./send-alone.ts";
import { directConversation, forgetDirectConversation, peopleByEmail, readChannel, readPeople } from "./recipients.ts";
import type { Outgoing } from "./send-statements.ts";
import { groupsOf } from "./sender.ts";
import { findOrCreateTopic } from "../../channels/topics/find-or-create.ts";

type SendParams = ParamsOf<typeof sendMessageEndpoint>;

const attempts = 5;

export async function sendMessage(
  ctx: Context,
  user: User,
  params: SendParams,
  { clientName, origin, span }: Pick<RequestInfo, "clientName" | "origin" | "span">,
): Promise<ReturnsOf<typeof sendMessageEndpoint>> {
  const { queue_id, local_id } = params;
  if (queue_id !== undefined && local_id === undefined)
    throw new ApiError("The 'local_id' argument is required with 'queue_id'");
  const local = queue_id !== undefined && local_id !== undefined ? { queue: queue_id, id: local_id } : undefined;
  const options = {
    clientName,
    origin,
    readBySender: params.read_by_sender,
    local,
    widgetContent: params.widget_content,
  };
  const isChannel = params.type === "channel" || params.type === "stream";
  if (isChannel && params.topic === undefined) throw new ApiError("Missing topic");
  const composed = await compose(ctx, ctx.db, user, { content: params.content, ...options });
  const send = isChannel ? sendToChannel : sendToPeople;
  if (span === undefined) return send(ctx, composed, params);
  const commit = ctx.tracing?.start("commit", { kind: "internal", parent: span.traceparent });
  try {
    return await send(ctx, { ...composed, traceparent: commit?.traceparent }, params);
  } finally {
    commit?.end();
  }
}

async function sendToChannel(ctx: Context, composed: Composed, params: SendParams): Promise<SendResult> {
  const { sender } = composed;
  const target = readChannel(params.to ?? (await defaultSendingChannel(ctx.db, sender)));
  const topic = readTopic(params.topic ?? "");
  const client = await clientId(ctx, composed.clientName);
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt === 0 && !ctx.consequences.areDue(composed)) {
      const item = outgoing(ctx, composed, { clientId: client, mentions: undefined, isToSelf: false, topic });
      const channelId = "id" in target ? target.id : undefined;
      const channelName = "name" in target ? target.name : undefined;
      const { toChannels } = groupsOf(ctx, sender.realm, composed.alertWordVersion);
      const id = await toChannels.add({ ...item, channelId, channelName, topic }, eventLength(item));
      if (id !== undefined) return { id };
    }
    await ctx.sessions.verify(sender);
    await verifyAlertWords(ctx, sender.realm_id, composed.alertWordVersion);
    const channel = await accessTopicForSending(ctx.db, sender, target, topic);
    await findOrCreateTopic(ctx.db, channel, topic);
    const mentions = mentionsAnybody(composed.rendered)
      ? await accessMentions(ctx.db, sender, composed.rendered, { channelId: channel.id, topic })
      : undefined;
    const delivered = await transaction(ctx.db, "send message alone", (tx) =>
      sendToChannelAlone(tx, ctx, composed, { channel, topic }, { clientId: client, mentions }),
    );
    if (delivered) return delivered;
  }
  throw new Error("the message was not sent, although access was granted");
}

const eventLength = ({ sourceJson, eventJson }: Outgoing): number => sourceJson.length + eventJson.length;
/** Roughly how much of the event each person in the conversation takes. */
const partyLength = 250;

async function sendToPeople(ctx: Context, composed: Composed, params: SendParams): Promise<SendResult> {
  const { sender } = composed;
  if (params.to === undefined) throw missingParameter("to");
  const people = readPeople(params.to);
  const host = realmHost(ctx.config, sender.realm);
  const ids = "ids" in people ? people.ids : await peopleByEmail(ctx.db, sender, people.emails, host);
  const isToSelf = ids.every((id) => id === sender.id);
  const client = await clientId(ctx, composed.clientName);
  const conversation = await directConversation(ctx, sender, ids);
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt === 0 && !ctx.consequences.areDue(composed)) {
      const item = outgoing(ctx, composed, { clientId: client, mentions: undefined, isToSelf });
      const { direct } = groupsOf(ctx, sender.realm, composed.alertWordVersion);
      const id = await direct.add({ ...item, conversation }, eventLength(item) + ids.length * partyLength);
      if (id !== undefined) return { id };
    }
    await ctx.sessions.verify(sender);
    await verifyAlertWords(ctx, sender.realm_id, composed.alertWordVersion);
    await accessPartiesForSending(ctx.db, sender, conversation).catch((error: unknown) => {
      if (error instanceof StaleSession) forgetDirectConversation(ctx, sender, conversation);
      throw error;
    });
    const mentions = mentionsAnybody(composed.rendered)
      ? await accessMentions(ctx.db, sender, composed.rendered, undefined)
      : undefined;
    const delivered = await transaction(ctx.db, "send direct message alone", (tx) =>
      sendDirectAlone(tx, ctx, composed, { conversation, isToSelf }, { clientId: client, mentions }),
    );
    if (delivered) return delivered;
    // An account or the organization has changed since the check, so check again.
  }
  throw new Error("the direct message was not sent, although access was granted");
}
