import type { z } from "zod";
import type { BotObject, realmBotEvents } from "../bots.ts";
import type { channelEvents } from "../channels.ts";
import type { realmUserEvents } from "../users.ts";
import { avatarUrl } from "./avatar-url.ts";
import { change, type FollowedState } from "./followed-state.ts";

type BotEvent = z.output<(typeof realmBotEvents)[number]>;
type ChannelEvent = z.output<(typeof channelEvents)[number]>;

export function applyBotEvent(state: FollowedState, event: BotEvent): FollowedState {
  return change(state, "realm_bots", (bots) => {
    switch (event.op) {
      case "add":
        return [...except(bots, event.bot.user_id), event.bot].toSorted((a, b) => a.user_id - b.user_id);
      case "update":
        return bots.map((bot) => (bot.user_id === event.bot.user_id ? { ...bot, ...defined(event.bot) } : bot));
      case "delete":
        return except(bots, event.bot.user_id);
    }
  });
}

const except = (bots: readonly BotObject[], id: number): BotObject[] => bots.filter((bot) => bot.user_id !== id);

/** The fields in an event. The types allow undefined values, which never occur on the wire. */
const defined = (fields: Extract<BotEvent, { op: "update" }>["bot"]): Partial<BotObject> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

type UserChange = Extract<z.output<(typeof realmUserEvents)[number]>, { op: "update" }>["person"];

/** A bot is a user as well, so user events report changes of its e-mail address and avatar. */
export function followBotAccount(state: FollowedState, person: UserChange): FollowedState {
  const fields: Partial<BotObject> = {
    ...("new_email" in person ? { email: person.new_email } : {}),
    ...("avatar_url" in person ? { avatar_url: avatarUrl(person) } : {}),
  };
  if (Object.keys(fields).length === 0) return state;
  return change(state, "realm_bots", (bots) =>
    bots.map((bot) => (bot.user_id === person.user_id ? { ...bot, ...fields } : bot)),
  );
}

/** A bot's default channels are stored by name. */
export function followDefaultChannels(state: FollowedState, event: ChannelEvent): FollowedState {
  if (event.op !== "update" || event.property !== "name" || typeof event.value !== "string") return state;
  const { name: before, value: after } = event;
  const renamed = (name: string | null) => (name === before ? after : name);
  return change(state, "realm_bots", (bots) =>
    bots.map((bot) => ({
      ...bot,
      default_sending_stream: renamed(bot.default_sending_stream),
      default_events_register_stream: renamed(bot.default_events_register_stream),
    })),
  );
}
