/** A bot as it is kept and as it travels in the log: with its secrets sealed. They are opened for who may read them. */
import type { BotObject } from "@skein/api/bots.ts";
import type { User } from "../../http/sessions.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { isOutOfReach } from "../users/access.ts";

export interface SealedService {
  base_url: string;
  interface: number;
  sealed_token: string;
}

/** Who may read it depends on what the bot may do. */
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

const keyPurpose = (botId: number) => `API key of bot ${botId}`;
const tokenPurpose = (botId: number) => `webhook token of bot ${botId}`;

export const sealKey = (box: SecretBox, botId: number, key: string): string => box.seal(key, keyPurpose(botId));
export const sealToken = (box: SecretBox, botId: number, token: string): string => box.seal(token, tokenPurpose(botId));

/** Undefined when the server's secret is no longer the one it was sealed with. */
export const openToken = (box: SecretBox, botId: number, sealed: string): string | undefined =>
  box.open(sealed, tokenPurpose(botId));

export function openBot(box: SecretBox, reader: Reader, sealed: SealedBot): BotObject {
  const { role, sealed_api_key, service, ...bot } = sealed;
  return {
    ...bot,
    api_key: openKey(box, reader, bot.user_id, { role, sealed_api_key }),
    services: openServices(box, bot.user_id, service),
  };
}

/** The fields a change tells of, opened. */
export function openChange(box: SecretBox, reader: Reader, botId: number, change: SealedChange): Partial<BotObject> {
  const { role, sealed_api_key, service, ...plain } = change;
  return {
    ...plain,
    ...(sealed_api_key === undefined ? {} : { api_key: openKey(box, reader, botId, { role, sealed_api_key }) }),
    ...(service === undefined ? {} : { services: openServices(box, botId, service) }),
  };
}

/** Empty for whom it would make an owner. */
const openKey = (box: SecretBox, reader: Reader, botId: number, { role, sealed_api_key }: SealedKey): string =>
  isOutOfReach(reader, role) ? "" : (box.open(sealed_api_key, keyPurpose(botId)) ?? "");

function openServices(box: SecretBox, botId: number, service: SealedService | null): BotObject["services"] {
  if (!service) return [];
  const { sealed_token, ...shown } = service;
  return [{ ...shown, token: openToken(box, botId, sealed_token) ?? "" }];
}
