/**
 * Sending a message. The usual case is one statement, shared with whatever else is sent at the moment. What that
 * statement did not send is looked at alone: either there is a reason to refuse it, which the sender is told, or
 * something was missing (a topic, the channel's first message), which is made, and it is sent in a transaction of its
 * own. A message with consequences has more to write, and goes alone from the start.
 */
import type { ParamsOf, ReturnsOf } from "@skein/api/endpoint.ts";
import type { sendMessage as sendMessageEndpoint } from "@skein/api/messages.ts";
import type { Context } from "../../context.ts";
import { ApiError, missingParameter } from "../../errors.ts";
import type { RequestInfo } from "../../http/handle.ts";
import type { User } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { verifyAlertWords } from "../alert-words/remembered-words.ts";
import { defaultSendingChannel } from "../bots/default-channel.ts";
import { clientId } from "../clients/clients.ts";
import { realmHost } from "../realm/address.ts";
import { normalizeTopic } from "../topics/name.ts";
import { compose, outgoing, type Composed } from "./compose.ts";
import { hasConsequences } from "./consequences.ts";
import { accessMentions, mentionsAnybody } from "./mentions.ts";
import { accessChannelForSending, accessPartiesForSending } from "./send-access.ts";
import { makeTopic, sendDirectAlone, sendToChannelAlone, type Delivered } from "./send-alone.ts";
import { directConversation, peopleByEmail, readChannel, readPeople } from "./recipients.ts";
import type { Outgoing } from "./send-statements.ts";
import { groupsOf } from "./sender.ts";

type SendParams = ParamsOf<typeof sendMessageEndpoint>;

const attempts = 5;

export async function sendMessage(
  ctx: Context,
  user: User,
  params: SendParams,
  { clientName, origin }: Pick<RequestInfo, "clientName" | "origin">,
): Promise<ReturnsOf<typeof sendMessageEndpoint>> {
  const { queue_id, local_id } = params;
  if (queue_id !== undefined && local_id === undefined)
    throw new ApiError("The 'local_id' argument is required with 'queue_id'");
  const local = queue_id !== undefined && local_id !== undefined ? { queue: queue_id, id: local_id } : undefined;
  const manner = { clientName, origin, readBySender: params.read_by_sender, local };
  const isChannel = params.type === "channel" || params.type === "stream";
  if (isChannel && params.topic === undefined) throw new ApiError("Missing topic");
  const composed = await compose(ctx, ctx.db, user, { content: params.content, ...manner });
  return isChannel ? sendToChannel(ctx, composed, params) : sendToPeople(ctx, composed, params);
}

async function sendToChannel(ctx: Context, composed: Composed, params: SendParams): Promise<Delivered> {
  const { sender } = composed;
  const target = readChannel(params.to ?? (await defaultSendingChannel(ctx.db, sender)));
  const topic = normalizeTopic(sender.realm, params.topic ?? "");
  const client = await clientId(ctx.db, composed.clientName);
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt === 0 && !hasConsequences(composed)) {
      const item = outgoing(ctx, composed, { clientId: client, mentions: undefined, isToSelf: false, topic });
      const channelId = "id" in target ? target.id : undefined;
      const channelName = "name" in target ? target.name : undefined;
      const { toChannels } = groupsOf(ctx, sender.realm, composed.alertWordVersion);
      const id = await toChannels.add({ ...item, channelId, channelName, topic }, eventLength(item));
      if (id !== undefined) return { id };
    }
    await ctx.sessions.verify(sender);
    await verifyAlertWords(ctx, sender.realm_id, composed.alertWordVersion);
    const channel = await accessChannelForSending(ctx.db, sender, target);
    await makeTopic(ctx.db, channel, topic);
    const mentions = mentionsAnybody(composed.rendered)
      ? await accessMentions(ctx.db, sender, composed.rendered, { channelId: channel.id, topic })
      : undefined;
    const delivered = await transaction(ctx.db, "send message alone", (tx) =>
      sendToChannelAlone(tx, ctx, composed, { channel, topic }, { clientId: client, mentions }),
    );
    if (delivered) return delivered;
  }
  throw new Error("a message that may be sent was not sent");
}

const eventLength = ({ sourceJson, eventJson }: Outgoing): number => sourceJson.length + eventJson.length;
/** What an event says of each person in the conversation. */
const partyLength = 250;

async function sendToPeople(ctx: Context, composed: Composed, params: SendParams): Promise<Delivered> {
  const { sender } = composed;
  if (params.to === undefined) throw missingParameter("to");
  const people = readPeople(params.to);
  const host = realmHost(ctx.config, sender.realm);
  const ids = "ids" in people ? people.ids : await peopleByEmail(ctx.db, sender, people.emails, host);
  const isToSelf = ids.every((id) => id === sender.id);
  const client = await clientId(ctx.db, composed.clientName);
  const conversationId = await directConversation(ctx.db, sender, ids);
  if (!hasConsequences(composed)) {
    const item = outgoing(ctx, composed, { clientId: client, mentions: undefined, isToSelf });
    const { direct } = groupsOf(ctx, sender.realm, composed.alertWordVersion);
    const id = await direct.add({ ...item, conversationId }, eventLength(item) + ids.length * partyLength);
    if (id !== undefined) return { id };
  }
  await ctx.sessions.verify(sender);
  await verifyAlertWords(ctx, sender.realm_id, composed.alertWordVersion);
  await accessPartiesForSending(ctx.db, sender, conversationId);
  const mentions = mentionsAnybody(composed.rendered)
    ? await accessMentions(ctx.db, sender, composed.rendered, undefined)
    : undefined;
  const delivered = await transaction(ctx.db, "send direct message alone", (tx) =>
    sendDirectAlone(tx, ctx, composed, { conversationId, isToSelf }, { clientId: client, mentions }),
  );
  if (!delivered) throw new Error("a direct message that may be sent was not sent");
  return delivered;
}
