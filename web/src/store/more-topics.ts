/**
 * The palette finds every topic, not only those of channels that were opened: during a search, the topic lists of the
 * reader's channels are fetched, a few at a time. A reader with more channels than can be fetched this way also gets the
 * topics of a message search on the server.
 */
import { signal } from "@preact/signals";
import { getMessages } from "@skein/api/routes/fetch-messages.ts";
import { call } from "../api/call.ts";
import { fold, type Ranked, Matcher } from "../text/matching.ts";
import { conversationTitle } from "./conversation-title.ts";
import { subscribedChannels, type Channel } from "./channels.ts";
import { topicConversation, type Conversation } from "./conversations.ts";
import { hasTopics, knownTopics, topicsOf, type Topic } from "./topics.ts";

/** How many lists are fetched per opening of the palette: well below the server's rate limit for an account. */
const maxLists = 60;
const atOnce = 3;
const searched = 100;
const pause = 150;

export interface FoundTopic {
  channelId: number;
  name: string;
}

/** Channels whose topic list is unknown. */
export const topicsBySearch = signal<readonly FoundTopic[]>([]);

const channelsOf = (query: string): Channel[] => {
  const { pinned, active, inactive } = subscribedChannels.peek();
  const words = fold(query).split(" ");
  const isNamed = ({ name }: Channel): boolean => words.some((word) => word !== "" && fold(name).includes(word));
  const all = [...pinned, ...active, ...inactive];
  return [...all.filter(isNamed), ...all.filter((channel) => !isNamed(channel))];
};

/** One matcher per list: when another list arrives, existing ones stay as they are. */
const matchers = new WeakMap<readonly Topic[], Matcher<Conversation>>();

function matcherOf(channelId: number, topics: readonly Topic[]): Matcher<Conversation> {
  const known = matchers.get(topics);
  if (known) return known;
  const conversations = topics.map(({ name }) => topicConversation(channelId, name));
  const matcher = new Matcher<Conversation>(conversations, conversationTitle);
  matchers.set(topics, matcher);
  return matcher;
}

const equal = (): number => 0;

/** The best matches among all topics whose lists are known. */
export const rankTopics = (typed: string, limit: number): Ranked<Conversation>[] =>
  knownTopics().flatMap(({ channelId, topics }) => matcherOf(channelId, topics).rank(typed, limit, equal));

/** Fetches while the palette is open. */
export class MoreTopics {
  #asked = new Set<number>();
  #query = "";
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  want(query: string): void {
    const wanted = query.trim().replace(/^#/, "");
    if (wanted === this.#query) return;
    this.#query = wanted;
    clearTimeout(this.#timer);
    if (this.#query === "") return;
    this.#timer = setTimeout(() => {
      while (this.#running < atOnce) {
        const next = this.#next();
        if (next === undefined) break;
        void this.#ask(next);
      }
      if (channelsOf("").length > maxLists) void this.#search(this.#query);
    }, pause);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #next(): number | undefined {
    if (this.#isOver || this.#asked.size >= maxLists) return undefined;
    return channelsOf(this.#query).find(({ stream_id }) => !this.#asked.has(stream_id) && !hasTopics(stream_id))
      ?.stream_id;
  }

  async #ask(first: number): Promise<void> {
    this.#running++;
    for (let id: number | undefined = first; id !== undefined; id = this.#next()) {
      this.#asked.add(id);
      // A list that fails to load is skipped.
      await topicsOf(id).catch(() => undefined);
    }
    this.#running--;
  }

  async #search(words: string): Promise<void> {
    try {
      const { messages } = await call(getMessages, {
        narrow: [{ operator: "search", operand: words }],
        anchor: "newest",
        num_before: searched,
        num_after: 0,
        apply_markdown: true,
        client_gravatar: false,
        allow_empty_topic_name: true,
      });
      if (this.#isOver || words !== this.#query) return;
      const found = new Map<string, FoundTopic>();
      for (const { stream_id, subject } of messages)
        if (stream_id !== undefined && !hasTopics(stream_id))
          found.set(`${stream_id} ${subject.toLowerCase()}`, { channelId: stream_id, name: subject });
      topicsBySearch.value = [...found.values()];
    } catch {
      // Local results are still shown.
    }
  }
}
