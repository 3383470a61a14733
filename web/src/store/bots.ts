/** The reader's own bots. */
import type { BotObject } from "@skein/api/bots.ts";
import { createBot, deactivateBot, regenerateBotApiKey, updateBot } from "@skein/api/routes/bots.ts";
import { reactivateUser } from "@skein/api/routes/users.ts";
import { call } from "../api/call.ts";
import { includesReader } from "./group-settings.ts";
import { ownId, part } from "./state.ts";

export type Bot = BotObject;

export const botKinds = { generic: 1, incoming: 2, outgoing: 3, embedded: 4 } as const;
export type BotKind = keyof typeof botKinds;

export const webhookInterfaces = { generic: 1, slack: 2 } as const;

export const kindOf = ({ bot_type }: Pick<Bot, "bot_type">): BotKind =>
  (Object.keys(botKinds) as BotKind[]).find((kind) => botKinds[kind] === bot_type) ?? "generic"; // the keys of the table

/** Active ones first, then by name. */
export const ownBots = (): readonly Bot[] =>
  (part("realm_bots").value ?? [])
    .filter(({ owner_id }) => owner_id === ownId.value)
    .toSorted((a, b) => Number(b.is_active) - Number(a.is_active) || a.full_name.localeCompare(b.full_name));

/** What kinds of bots the reader may create. */
export function creatableKinds(): readonly BotKind[] {
  if (includesReader(part("realm_can_create_bots_group").value)) {
    const hasEmbedded = (part("realm_embedded_bots").value ?? []).length > 0;
    return ["generic", "incoming", "outgoing", ...(hasEmbedded ? (["embedded"] as const) : [])];
  }
  return includesReader(part("realm_can_create_write_only_bots_group").value) ? ["incoming"] : [];
}

/** Where an outgoing webhook's messages go. */
export function webhookOf({
  services: [service],
}: Bot): { base_url: string; interface: number; token: string } | undefined {
  return service && "base_url" in service ? service : undefined;
}

export interface NewBot {
  kind: BotKind;
  name: string;
  shortName: string;
  /** For outgoing webhooks. */
  url: string;
  format: number;
  /** For embedded bots. */
  service: string;
  config: Record<string, string>;
  picture: File | undefined;
}

export const addBot = ({ kind, name, shortName, url, format, service, config, picture }: NewBot): Promise<unknown> =>
  call(
    createBot,
    {
      bot_type: botKinds[kind],
      full_name: name,
      short_name: shortName,
      ...(kind === "outgoing" ? { payload_url: url, interface_type: format, service_name: shortName } : {}),
      ...(kind === "embedded" ? { service_name: service, config_data: config } : {}),
    },
    picture ? { file: picture } : {},
  );

interface BotChange {
  full_name?: string;
  service_payload_url?: string;
  service_interface?: number;
}

export const changeBot = (bot_id: number, change: BotChange, file?: File): Promise<unknown> =>
  call(updateBot, { bot_id, ...change }, file ? { file } : {});

export const renewBotKey = (bot_id: number): Promise<unknown> => call(regenerateBotApiKey, { bot_id });

export const endBot = (bot_id: number): Promise<unknown> => call(deactivateBot, { bot_id });

export const reviveBot = (user_id: number): Promise<unknown> => call(reactivateUser, { user_id });

/** Where a service delivers to an incoming webhook. */
export function deliveryAddress(
  bot: Bot,
  { service, channel, topic }: Record<"service" | "channel" | "topic", string>,
) {
  const url = new URL(`/api/v1/external/${encodeURIComponent(service)}`, part("realm_url").value ?? location.origin);
  url.searchParams.set("api_key", bot.api_key);
  if (channel !== "") url.searchParams.set("stream", channel);
  if (channel !== "" && topic !== "") url.searchParams.set("topic", topic);
  return url.href;
}
