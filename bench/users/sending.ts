/**
 * Sending messages: a typing notification, and the message a moment later. All channels are equally busy, whatever their
 * size, so for a message in a channel the channel is chosen first, and then one of its members as its author. The model's
 * sizes make that two hundred readers per message in a channel, and everybody now and then.
 */
import { apiRequest, messageText } from "../request.ts";
import { channelsOf, othersIn, type Acting, type Occasion } from "./acting.ts";
import type { ActiveUser } from "./crowd.ts";
import { chooseByWeight, destinations, shareOfNewTopics, shareWithFile } from "./model.ts";
import { newConversation, newTopic, type Conversation, type Topic } from "./organization.ts";

const typingMilliseconds = 2000;
const keptRecent = 20;
const keptSent = 200;
const fileText = "A line of a log file that somebody attaches to a message.\n".repeat(200);

export async function sendMessage(acting: Acting, occasion: Occasion): Promise<void> {
  const { random, due } = occasion;
  const { user, conversation } = chooseAuthor(acting, occasion);
  const isNewTopic = conversation.id > 0 && random.next() < shareOfNewTopics;
  const topic = isNewTopic ? newTopic(`question ${random.integer(2 ** 32)}`) : random.pick(conversation.topics);
  const hasFile = random.next() < shareWithFile;
  acting.later(due + typingMilliseconds, async (later) => {
    const link = hasFile ? await upload(acting, user, later) : "";
    await post(acting, user, conversation, topic, `${messageText} ${random.integer(2 ** 32)}${link}`, later);
  });
  await acting.ask("typing notification", typingRequest(acting, user, conversation, topic), due);
}

function chooseAuthor(acting: Acting, { user, random }: Occasion): { user: ActiveUser; conversation: Conversation } {
  const kind = chooseByWeight(destinations, random.next());
  if (kind === "direct" || kind === "group") {
    const list = user.lists[kind];
    // Somebody who is in none writes to a channel instead.
    return { user, conversation: random.pick(list.length > 0 ? list : channelsOf(user)) };
  }
  const conversation = random.pick(acting.organization.channels[kind]);
  const { users } = acting.crowd;
  const author = users[random.pick(conversation.members)];
  // Not everybody is active yet.
  return author ? { user: author, conversation } : { user, conversation: random.pick(channelsOf(user)) };
}

function typingRequest(acting: Acting, user: ActiveUser, conversation: Conversation, { name }: Topic): Buffer {
  const fields =
    conversation.id > 0
      ? { type: "stream", stream_id: conversation.id, topic: name }
      : { type: "direct", to: JSON.stringify(othersIn(acting, user, conversation)) };
  return apiRequest(user.account, "POST", "/typing", { op: "start", ...fields });
}

async function upload(acting: Acting, { account }: ActiveUser, due: number): Promise<string> {
  const boundary = "----skein-bench";
  const body =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="import.log"\r\n` +
    `Content-Type: text/plain\r\n\r\n${fileText}\r\n--${boundary}--\r\n`;
  const credentials = Buffer.from(`${account.email}:${account.key}`).toString("base64");
  const request = Buffer.from(
    `POST /api/v1/user_uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: skein-bench/1\r\nAuthorization: Basic ${credentials}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const { text } = await acting.ask("upload a file", request, due);
  const url = /"url":"([^"]+)"/.exec(text)?.[1];
  return url === undefined ? "" : ` [import.log](${url})`;
}

export async function post(
  acting: Acting,
  user: ActiveUser,
  conversation: Conversation,
  topic: Topic,
  content: string,
  due: number,
): Promise<void> {
  const to =
    conversation.id > 0
      ? { type: "channel", to: conversation.id, topic: topic.name }
      : { type: "direct", to: JSON.stringify(othersIn(acting, user, conversation)) };
  const sending = acting.ledger.send(conversation, due);
  const request = apiRequest(user.account, "POST", "/messages", { ...to, content });
  const { status, text, at } = await acting.ask("send a message", request, due);
  const id = Number(/"id":(\d+)/.exec(text)?.[1]);
  if (status !== 200 || !(id > 0)) {
    acting.ledger.reject(sending);
    if (status === 0 || status >= 500) acting.lostSends++;
    return;
  }
  acting.ledger.accept(sending, id, at);
  remember(conversation, topic, id);
  acting.sentLately.push({ user, conversation, topic, id });
  if (acting.sentLately.length > keptSent) acting.sentLately.shift();
}

function remember(conversation: Conversation, topic: Topic, id: number): void {
  topic.recent.push(id);
  if (topic.recent.length > keptRecent) topic.recent.shift();
  if (conversation.recentTopics.at(-1) === topic) return;
  conversation.recentTopics = [...conversation.recentTopics.filter((each) => each !== topic), topic].slice(-5);
}

/** The first message to people who have not written to each other yet. */
export async function startConversation(
  acting: Acting,
  { user, random, due }: Occasion,
  others: number,
): Promise<void> {
  const members = new Set([user.index]);
  while (members.size <= others) members.add(random.integer(acting.organization.accounts.length));
  const isKnown = [...user.lists.direct, ...user.lists.group].some(
    (each) => each.members.length === members.size && each.members.every((member) => members.has(member)),
  );
  if (isKnown) return;
  const conversation = { ...newConversation(others > 1 ? "group" : "direct", 0, [...members]), topics: [newTopic("")] };
  for (const member of members) {
    const active = acting.crowd.users[member];
    acting.organization.of[conversation.kind][member]?.push(conversation);
    if (active) acting.ledger.joined(active, conversation);
  }
  const topic = random.pick(conversation.topics);
  await post(acting, user, conversation, topic, messageText, due);
}
