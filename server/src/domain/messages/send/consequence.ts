/**
 * What sending a message causes beyond the message itself: flags, followed topics, jobs for bots. Each area declares
 * its own consequences (`on-send.ts`); `areas.ts` lists them. Messages without any are sent in groups by one statement;
 * a message with a consequence takes its own transaction, so that both happen or neither.
 */
import type { TxContext } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import type { RenderedMarkdown } from "../../../markdown/render.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import type { Widget } from "../submessages/widget.ts";
import type { Mentions } from "./mentions.ts";

export interface ComposedText {
  sender: User;
  content: string;
  rendered: RenderedMarkdown;
  /** The initial data of a poll or to-do list. */
  widget: Widget | undefined;
}

export interface ChannelPlace {
  channel: Channel;
  topicId: number;
  /** As the message shows it. */
  topic: string;
  /** The topic has no messages yet that the sender can read. */
  isNewTopic: boolean;
}

export interface DirectPlace {
  conversationId: number;
}

export interface SentMessage extends ComposedText {
  id: number;
  clientName: string;
  /** The origin of the URL the sender's client used. */
  origin: string;
  mentions: Mentions | undefined;
  place: ChannelPlace | DirectPlace;
}

/** What the response contains besides the message's id. */
export interface Outcome {
  automatic_new_visibility_policy?: 2 | 3;
}

export interface Consequence {
  /**
   * Whether this message may have the consequence, decided without a query. A message that is sent alone for another
   * reason gets every `apply`, so `apply` has to check for itself whether there is something to do.
   */
  isDue: (text: ComposedText) => boolean;
  apply: (tx: Tx, ctx: TxContext, sent: SentMessage) => Promise<Outcome | void>;
}

/** All consequences, in the order they are applied. */
export class Consequences {
  readonly #list: readonly Consequence[];

  constructor(list: readonly Consequence[]) {
    this.#list = list;
  }

  areDue(text: ComposedText): boolean {
    return this.#list.some(({ isDue }) => isDue(text));
  }

  async apply(tx: Tx, ctx: TxContext, sent: SentMessage): Promise<Outcome> {
    const outcome: Outcome = {};
    for (const { apply } of this.#list) Object.assign(outcome, await apply(tx, ctx, sent));
    return outcome;
  }
}
