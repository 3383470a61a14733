/**
 * What a message brings with it beyond itself: flags, topics that are followed from now on, work for bots. Each area
 * declares its own (`on-send.ts`); `consequences.ts` lists them. A message without any is sent together with others by
 * one statement; one with a consequence takes a transaction of its own, so that both happen or neither.
 */
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import type { RenderedMarkdown } from "../../markdown/render.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import type { Widget } from "../submessages/widget.ts";
import type { Mentions } from "./mentions.ts";

export interface ComposedText {
  sender: User;
  content: string;
  rendered: RenderedMarkdown;
  /** What a poll or a to-do list begins with. */
  widget: Widget | undefined;
}

export interface ChannelPlace {
  channel: Channel;
  topicId: number;
  topic: string;
  /** Nobody has written under it before. */
  isNewTopic: boolean;
}

export interface DirectPlace {
  conversationId: number;
}

export interface SentMessage extends ComposedText {
  id: number;
  clientName: string;
  /** The address the sender's client used. */
  origin: string;
  mentions: Mentions | undefined;
  place: ChannelPlace | DirectPlace;
}

/** What the sender is told beside the message's id. */
export interface Outcome {
  automatic_new_visibility_policy?: 2 | 3;
}

export interface Consequence {
  /**
   * Whether this message may have it, judged without asking the database. A message that cannot go with others for
   * another reason is asked of every consequence anyway: `apply` looks for itself whether there is something to do.
   */
  isDue: (text: ComposedText) => boolean;
  apply: (tx: Tx, ctx: Context, sent: SentMessage) => Promise<Outcome | void>;
}
