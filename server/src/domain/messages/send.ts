/**
 * Sending a message. The usual case is one statement, shared with whatever else is sent at the moment. What that
 * statement did not send is looked at alone: either there is a reason to refuse it, which the sender is told, or
 * something was missing (a topic, the channel's first message), which is made, and it is tried again. A message that
 * mentions somebody has more to write, and goes alone from the start.
 */
import type { ParamsOf, ReturnsOf } from "@skein/api/endpoint.ts";
import type { sendMessage as sendMessageEndpoint } from "@skein/api/messages.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { RequestInfo } from "../../http/handle.ts";
import type { User } from "../../http/sessions.ts";
import { RenderedTooLong, renderMarkdown, type RenderedMarkdown } from "../../markdown/render.ts";
import { clientId, isInteractive } from "../clients/clients.ts";
import { prepareMarkdown } from "../markdown/prepare.ts";
import { realmHost } from "../realm/address.ts";
import { normalizeTopic } from "../topics/name.ts";
import { avatarUrl, isAvatarComputable } from "../users/avatar.ts";
import { apiEmail } from "../users/email.ts";
import { normalizeContent } from "./content.ts";
import type { LoggedMessageFields } from "./event.ts";
import { accessMentions, mentionsAnybody, type Mentions } from "./mentions.ts";
import type { MessageSource } from "./object.ts";
import { accessChannelForSending, accessPartiesForSending } from "./send-access.ts";
import { isNoticed, makeTopic, sendAlone, sendDirectAlone } from "./send-alone.ts";
import { directConversation, peopleByEmail, readChannel, readPeople } from "./recipients.ts";
import type { Outgoing, OutgoingDirect, OutgoingToChannel } from "./send-statements.ts";
import { groupsOf } from "./sender.ts";

type SendParams = ParamsOf<typeof sendMessageEndpoint>;

const attempts = 5;

export async function sendMessage(
  ctx: Context,
  user: User,
  params: SendParams,
  request: RequestInfo,
): Promise<ReturnsOf<typeof sendMessageEndpoint>> {
  if (params.queue_id !== undefined && params.local_id === undefined)
    throw new ApiError("The 'local_id' argument is required with 'queue_id'");
  const isChannel = params.type === "channel" || params.type === "stream";
  const id = isChannel
    ? await sendToChannel(ctx, user, params, request)
    : await sendToPeople(ctx, user, params, request);
  return { id };
}

async function sendToChannel(ctx: Context, user: User, params: SendParams, request: RequestInfo): Promise<number> {
  const target = readChannel(params.to);
  if (params.topic === undefined) throw new ApiError("Missing topic");
  const topic = normalizeTopic(user.realm, params.topic);
  const text = await renderText(ctx, user, params, request);
  const address = {
    channelId: "id" in target ? target.id : undefined,
    channelName: "name" in target ? target.name : undefined,
    topic,
  };
  const finish = async (mentions?: Mentions): Promise<OutgoingToChannel> => ({
    ...(await outgoing(ctx, user, params, request, { text, mentions, isToSelf: false })),
    ...address,
  });
  const isMentioning = mentionsAnybody(text.rendered);
  const plain = isMentioning ? undefined : await finish();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const id = plain && (await groupsOf(ctx, user.realm).toChannels.add(plain));
    if (id !== undefined) return id;
    await ctx.sessions.verify(user);
    const channel = await accessChannelForSending(ctx.db, user, target);
    await makeTopic(ctx.db, channel, topic);
    if (plain && !isNoticed(channel)) continue;
    const place = { channelId: channel.id, topic };
    const mentions = isMentioning ? await accessMentions(ctx.db, user, text.rendered, place) : undefined;
    const alone = await sendAlone(ctx, user, channel, plain ?? (await finish(mentions)), mentions);
    if (alone !== undefined) return alone;
  }
  throw new Error("a message that may be sent was not sent");
}

async function sendToPeople(ctx: Context, user: User, params: SendParams, request: RequestInfo): Promise<number> {
  const people = readPeople(params.to);
  const ids = "ids" in people ? people.ids : await peopleByEmail(ctx.db, user, people.emails);
  const isToSelf = ids.every((id) => id === user.id);
  const text = await renderText(ctx, user, params, request);
  const isMentioning = mentionsAnybody(text.rendered);
  const mentions = isMentioning ? await accessMentions(ctx.db, user, text.rendered, undefined) : undefined;
  const item: OutgoingDirect = {
    ...(await outgoing(ctx, user, params, request, { text, mentions, isToSelf })),
    conversationId: await directConversation(ctx.db, user, ids),
  };
  const id = isMentioning ? undefined : await groupsOf(ctx, user.realm).direct.add(item);
  if (id !== undefined) return id;
  await ctx.sessions.verify(user);
  await accessPartiesForSending(ctx.db, user, item.conversationId);
  const alone = await sendDirectAlone(ctx, user, item, mentions);
  if (alone === undefined) throw new Error("a direct message that may be sent was not sent");
  return alone;
}

interface MessageText {
  content: string;
  rendered: RenderedMarkdown;
}

async function renderText(ctx: Context, user: User, params: SendParams, request: RequestInfo): Promise<MessageText> {
  const content = normalizeContent(params.content);
  const context = await prepareMarkdown(ctx, user, request.origin, content);
  try {
    return { content, rendered: renderMarkdown(content, context) };
  } catch (error) {
    if (error instanceof RenderedTooLong) throw new ApiError("Unable to render message");
    throw error;
  }
}

interface Manner {
  text: MessageText;
  mentions: Mentions | undefined;
  isToSelf: boolean;
}

async function outgoing(
  ctx: Context,
  user: User,
  params: SendParams,
  request: RequestInfo,
  { text: { content, rendered }, mentions, isToSelf }: Manner,
): Promise<Outgoing> {
  const readBySender = params.read_by_sender ?? (isInteractive(request.clientName) && !isToSelf);
  const isMeMessage = content.startsWith("/me ");
  const source: Omit<MessageSource, "id" | "timestamp" | "conversation" | "topic"> = {
    sender: {
      id: user.id,
      email: apiEmail(user, realmHost(ctx.config, user.realm)),
      full_name: user.full_name,
      realm_str: user.realm.string_id,
      avatar_url: avatarUrl(user),
      is_avatar_computable: isAvatarComputable(user),
    },
    client: request.clientName,
    content,
    rendered_content: rendered.html,
    is_me_message: isMeMessage,
  };
  const fields: LoggedMessageFields = {
    ...(readBySender ? { sender_read: true } : {}),
    ...(mentions && mentions.users.length > 0 ? { mentioned: mentions.users } : {}),
    ...(mentions?.channel ? { mentions_channel: true } : {}),
    ...(mentions && mentions.participants.length > 0 ? { topic_participants: mentions.participants } : {}),
    ...(params.queue_id !== undefined && params.local_id !== undefined
      ? { local: { queue: params.queue_id, id: params.local_id } }
      : {}),
  };
  return {
    senderId: user.id,
    senderVersion: user.version,
    senderRank: user.rank,
    clientId: await clientId(ctx.db, request.clientName),
    content,
    renderedContent: rendered.html,
    isMeMessage,
    readBySender,
    sourceJson: inner(source),
    eventJson: Object.keys(fields).length > 0 ? `,${inner(fields)}` : "",
  };
}

/** An object's JSON without its braces: the database puts more fields beside these. */
const inner = (fields: object): string => JSON.stringify(fields).slice(1, -1);
