/** The actions of the model, as the requests that a client makes for them. */
import { rareWord, sentences } from "../history/text.ts";
import { apiRequest } from "../request.ts";
import {
  channelsOf,
  narrowTo,
  openConversation,
  page,
  pickTopic,
  type Acting,
  type Actions,
  type Occasion,
  type Sent,
} from "./acting.ts";
import { newConversation, newTopic, type Conversation } from "./organization.ts";
import { readQueue, registerRequest } from "./registration.ts";
import { sendMessage, startConversation } from "./sending.ts";

const inboxRows = 20;
const reloadedPages = 5;
const emoji = ["+1", "heart", "tada", "smile", "eyes", "rocket", "check", "octopus", "working_on_it", "cry"];
const words = sentences(200).flatMap((sentence) => sentence.slice(0, -1).split(" "));

export const actions: Actions = {
  "open a topic": openTopic,
  "scroll back": async (acting, { user, random, due }) => {
    const conversation = random.pick(channelsOf(user));
    const topic = random.pick(conversation.topics);
    const narrow = narrowTo(acting, user, conversation, topic);
    await acting.ask("scroll back", page(user, narrow, topic.sampleId ?? "newest", "before"), due);
  },
  "open a direct conversation": async (acting, occasion) => {
    const { user, random } = occasion;
    const all = [...user.lists.direct, ...user.lists.group];
    if (all.length === 0) {
      await openTopic(acting, occasion);
      return;
    }
    const conversation = random.pick(all);
    await openConversation(
      acting,
      occasion,
      "open a direct conversation",
      conversation,
      random.pick(conversation.topics),
    );
  },
  "list the topics of a channel": async (acting, { user, random, due }) => {
    const { id } = random.pick(channelsOf(user));
    await acting.ask(
      "list the topics of a channel",
      apiRequest(user.account, "GET", `/users/me/${id}/topics`, { allow_empty_topic_name: true }),
      due,
    );
  },
  "send a message": sendMessage,
  "refresh the Inbox": async (acting, { user, random, due }) => {
    const rows = random.sample(channelsOf(user), inboxRows).flatMap(({ recentTopics, topics }) => {
      const id = recentTopics.at(-1)?.recent.at(-1) ?? topics[0]?.sampleId;
      return id === undefined ? [] : [id];
    });
    const fields = { message_ids: JSON.stringify(rows), client_gravatar: false, apply_markdown: true };
    await acting.ask("refresh the Inbox", apiRequest(user.account, "GET", "/messages", fields), due);
  },
  "open a followed topic": async (acting, occasion) => {
    const { user, random } = occasion;
    // The organization made everybody follow the first topic of their newest channels.
    const newest = channelsOf(user)
      .toSorted((one, other) => other.id - one.id)
      .slice(0, 3);
    const conversation = random.pick(newest);
    const topic = conversation.topics[0] ?? random.pick(conversation.topics);
    await openConversation(acting, occasion, "open a followed topic", conversation, topic);
  },
  "mark a topic as read": async (acting, { user, random, due }) => {
    const conversation = random.pick(channelsOf(user));
    const topic = pickTopic(conversation, random);
    const fields = {
      anchor: "oldest",
      num_before: 0,
      num_after: 1000,
      narrow: JSON.stringify([...narrowTo(acting, user, conversation, topic), { operator: "is", operand: "unread" }]),
      op: "add",
      flag: "read",
    };
    await acting.ask("mark a topic as read", apiRequest(user.account, "POST", "/messages/flags/narrow", fields), due);
  },
  "save a draft": saveDraft,
  "delete a draft": async (acting, occasion) => {
    const { user, due } = occasion;
    const id = user.drafts.pop();
    // Where there is nothing to delete, something is saved instead, which costs as much.
    if (id === undefined) await saveDraft(acting, occasion);
    else await acting.ask("delete a draft", apiRequest(user.account, "DELETE", `/drafts/${id}`), due);
  },
  "list drafts": async (acting, { user, due }) => {
    await acting.ask("list drafts", apiRequest(user.account, "GET", "/drafts"), due);
  },
  "open a message by link": async (acting, { user, random, due }) => {
    const conversation = random.pick(channelsOf(user));
    const topic = random.pick(conversation.topics);
    const narrow = narrowTo(acting, user, conversation, topic);
    const anchor = topic.sampleId ?? topic.recent[0] ?? "newest";
    await acting.ask("open a message by link", page(user, narrow, anchor, "around"), due);
  },
  "add a reaction": async (acting, { user, random, due }) => {
    const conversation = random.pick(channelsOf(user));
    const topic = pickTopic(conversation, random);
    const id = topic.recent.at(-1) ?? topic.sampleId;
    if (id === undefined) return;
    const fields = { emoji_name: random.pick(emoji) };
    await acting.ask("add a reaction", apiRequest(user.account, "POST", `/messages/${id}/reactions`, fields), due);
  },
  reconnect: (acting, occasion) => reconnect(acting, occasion, "reconnect"),
  "edit a message": async (acting, { random, due }) => {
    const sent = takeSent(acting, random.next());
    if (!sent) return;
    const { user, id } = sent;
    const fields = { content: `Edited: ${random.pick(words)} ${random.pick(words)}` };
    await acting.ask("edit a message", apiRequest(user.account, "PATCH", `/messages/${id}`, fields), due);
  },
  "delete a message": async (acting, { random, due }) => {
    const sent = takeSent(acting, random.next());
    if (!sent) return;
    const { user, id, topic } = sent;
    topic.recent = topic.recent.filter((each) => each !== id);
    await acting.ask("delete a message", apiRequest(user.account, "DELETE", `/messages/${id}`), due);
  },
  search: async (acting, { user, random, due }) => {
    const text =
      random.next() < 0.5 ? random.pick(words) : `${random.pick(words)} ${random.pick([...words, rareWord])}`;
    await acting.ask("search", page(user, [{ operator: "search", operand: text }], "newest", "before"), due);
  },
  "look at a profile": async (acting, { user, random, due }) => {
    const { id } = random.pick(acting.organization.accounts);
    await acting.ask("look at a profile", apiRequest(user.account, "GET", `/users/${id}`), due);
  },
  "list channels": async (acting, { user, due }) => {
    await acting.ask("list channels", apiRequest(user.account, "GET", "/streams"), due);
  },
  "subscribe to a channel": async (acting, { user, random, due }) => {
    const open = acting.organization.channels.public.filter((channel) => !user.places.includes(channel));
    if (open.length === 0) return;
    await subscribe(acting, { user, random, due }, "subscribe to a channel", random.pick(open));
  },
  "start a direct conversation": (acting, occasion) => startConversation(acting, occasion, 1),
  "start a group conversation": (acting, occasion) => startConversation(acting, occasion, 3),
  "create a channel": async (acting, occasion) => {
    const channel = newConversation("public", 0, []);
    channel.name = `new channel ${occasion.random.integer(2 ** 32)}`;
    await subscribe(acting, occasion, "create a channel", channel);
  },
  "set a status": async (acting, { user, random, due }) => {
    const fields = { status_text: `${random.pick(words)} ${random.pick(words)}` };
    await acting.ask("set a status", apiRequest(user.account, "POST", "/users/me/status", fields), due);
  },
  "reload everything": async (acting, occasion) => {
    const { user, random } = occasion;
    await reconnect(acting, occasion, "reload everything");
    for (let count = 0; count < reloadedPages; count++)
      await openTopic(acting, { user, random, due: performance.now() });
  },
  "get a new key": async (acting, occasion) => {
    const { user, due } = occasion;
    if (!user.isPresent) return;
    acting.crowd.abandon(user);
    const { text, at } = await acting.ask(
      "get a new key",
      apiRequest(user.account, "POST", "/users/me/api_key/regenerate"),
      due,
    );
    user.account.key = /"api_key":"([^"]+)"/.exec(text)?.[1] ?? user.account.key;
    await register(acting, { ...occasion, due: at }, "reconnect");
  },
};

async function openTopic(acting: Acting, occasion: Occasion): Promise<void> {
  const conversation = occasion.random.pick(channelsOf(occasion.user));
  await openConversation(acting, occasion, "open a topic", conversation, pickTopic(conversation, occasion.random));
}

async function saveDraft(acting: Acting, { user, random, due }: Occasion): Promise<void> {
  const conversation = random.pick(channelsOf(user));
  const draft = { type: "stream", to: [conversation.id], topic: random.pick(conversation.topics).name };
  const drafts = JSON.stringify([{ ...draft, content: `${random.pick(words)} ${random.pick(words)}` }]);
  const { text } = await acting.ask("save a draft", apiRequest(user.account, "POST", "/drafts", { drafts }), due);
  const id = Number(/"ids":\[(\d+)/.exec(text)?.[1]);
  if (id > 0) user.drafts.push(id);
}

/** A message that its author can still edit; nobody else edits or deletes it then. */
function takeSent(acting: Acting, at: number): Sent | undefined {
  const [sent] = acting.sentLately.splice(Math.floor(at * acting.sentLately.length), 1);
  return sent;
}

/** The connection breaks, and the client registers with all state. One that is just doing so goes on with that. */
async function reconnect(acting: Acting, occasion: Occasion, name: string): Promise<void> {
  if (!occasion.user.isPresent) return;
  acting.crowd.abandon(occasion.user);
  await register(acting, occasion, name);
}

export async function register(acting: Acting, { user, random, due }: Occasion, name: string): Promise<void> {
  const answer = await acting.ask(name, registerRequest(user.account), due);
  const queue = readQueue(answer);
  if (queue) acting.crowd.begin(user, queue);
  // Clients try again after a while.
  else acting.later(performance.now() + 2000, (later) => register(acting, { user, random, due: later }, name));
}

/** Subscribes to a channel, which is created if there is none of this name. */
async function subscribe(acting: Acting, { user, due }: Occasion, name: string, channel: Conversation): Promise<void> {
  acting.ledger.joining(user, due);
  const fields = { subscriptions: JSON.stringify([{ name: channel.name }]) };
  const { status } = await acting.ask(name, apiRequest(user.account, "POST", "/users/me/subscriptions", fields), due);
  if (status !== 200 || user.places.includes(channel)) return;
  channel.members.push(user.index);
  acting.ledger.joined(user, channel);
  if (channel.id === 0) return; // nobody writes in a channel that was just created
  user.lists.public.push(channel);
  if (channel.topics.length === 0) channel.topics = [newTopic("subject 1")];
}
