/** A bot as stored in the database and in the log, with its secrets sealed. They are opened for readers who may see them. */
import type { BotObject } from "@skein/api/bots.ts";
import type { User } from "../../../identity/account.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { isOutOfReach } from "../users/access.ts";

export interface SealedService {
  /** In plain text only until all nodes support the sealed one; empty afterwards. */
  base_url: string;
  /** Missing when an earlier release stored the bot or emitted the event. */
  sealed_base_url?: string | null;
  interface: number;
  sealed_token: string;
}

/** The bot's role decides who may read its key. */
interface SealedKey {
  role: number;
  sealed_api_key: string;
}

export interface SealedBot extends Omit<BotObject, "api_key" | "services">, SealedKey {
  service: SealedService | null;
}

export type SealedChange = Partial<Omit<SealedBot, "user_id" | "email" | "bot_type" | keyof SealedKey>> &
  (SealedKey | { [K in keyof SealedKey]?: undefined });

type Reader = Pick<User, "role">;

export const keyPurpose = (botId: number) => `API key of bot ${botId}`;
export const tokenPurpose = (botId: number) => `webhook token of bot ${botId}`;
export const urlPurpose = (botId: number) => `webhook address of bot ${botId}`;

export const sealKey = (box: SecretBox, botId: number, key: string): string => box.seal(key, keyPurpose(botId));
export const sealToken = (box: SecretBox, botId: number, token: string): string => box.seal(token, tokenPurpose(botId));

export const sealUrl = (box: SecretBox, botId: number, url: string): string => box.seal(url, urlPurpose(botId));

type SealedUrl = Pick<SealedService, "base_url" | "sealed_base_url">;

/**
 * The URL of the bot's webhook. A plain URL is at least as recent as the sealed one, because an earlier release changes
 * only that. Undefined when the URL was sealed with a different server secret.
 */
export const openUrl = (box: SecretBox, botId: number, { base_url, sealed_base_url }: SealedUrl): string | undefined =>
  base_url === "" ? box.open(sealed_base_url ?? "", urlPurpose(botId)) : base_url;

/** For events: the plain URL must not enter the log, which is stored as well. */
export const withoutPlainUrl = <T extends SealedService | null>(service: T): T =>
  service?.sealed_base_url ? { ...service, base_url: "" } : service;

/** Undefined when the key was sealed with a different server secret. */
export const openKey = (box: SecretBox, botId: number, sealed: string): string | undefined =>
  box.open(sealed, keyPurpose(botId));

/** Undefined when the token was sealed with a different server secret. */
export const openToken = (box: SecretBox, botId: number, sealed: string): string | undefined =>
  box.open(sealed, tokenPurpose(botId));

export function openBot(box: SecretBox, reader: Reader, sealed: SealedBot): BotObject {
  const { role, sealed_api_key, service, ...bot } = sealed;
  return {
    ...bot,
    api_key: keyFor(box, reader, bot.user_id, { role, sealed_api_key }),
    services: openServices(box, bot.user_id, service),
  };
}

/** The fields of a change, with secrets opened. */
export function openChange(box: SecretBox, reader: Reader, botId: number, change: SealedChange): Partial<BotObject> {
  const { role, sealed_api_key, service, ...plain } = change;
  return {
    ...plain,
    ...(sealed_api_key === undefined ? {} : { api_key: keyFor(box, reader, botId, { role, sealed_api_key }) }),
    ...(service === undefined ? {} : { services: openServices(box, botId, service) }),
  };
}

/** Empty for readers whom the key would give the rights of an owner. */
const keyFor = (box: SecretBox, reader: Reader, botId: number, { role, sealed_api_key }: SealedKey): string =>
  isOutOfReach(reader, role) ? "" : (openKey(box, botId, sealed_api_key) ?? "");

function openServices(box: SecretBox, botId: number, service: SealedService | null): BotObject["services"] {
  if (!service) return [];
  const base_url = openUrl(box, botId, service) ?? "";
  return [{ base_url, interface: service.interface, token: openToken(box, botId, service.sealed_token) ?? "" }];
}
