/** The secret a bot shares with the service it speaks for, sealed among the bot's settings. */
import { z } from "zod";
import type { SecretBox } from "../../platform/secret-box.ts";
import { secretSetting } from "./settings.ts";

const sealedSetting = "sealed_webhook_secret";
/** Where either stands in a bot's settings, it goes when another is set. */
export const keptSettings = [secretSetting, sealedSetting];

const purposeFor = (botId: number) => `webhook secret of bot ${botId}`;

/** The settings as they are kept: what is empty is not kept, which ends the secret. */
export function sealSettings(
  box: SecretBox,
  botId: number,
  { [secretSetting]: secret = "", ...others }: Record<string, string>,
): Record<string, string> {
  return secret === "" ? others : { ...others, [sealedSetting]: box.seal(secret, purposeFor(botId)) };
}

/** Settings from before they were sealed have it as it is. */
const kept = z.looseObject({ [secretSetting]: z.string().optional(), [sealedSetting]: z.string().optional() });

export type SharedSecret = { secret: string } | "none" | "unreadable";

/** Unreadable when the server's secret is no longer the one it was sealed with. */
export function sharedSecret(box: SecretBox, botId: number, config: unknown): SharedSecret {
  const { data } = kept.safeParse(config);
  const { [sealedSetting]: sealed, [secretSetting]: plain = "" } = data ?? {};
  if (sealed === undefined) return plain === "" ? "none" : { secret: plain };
  const secret = box.open(sealed, purposeFor(botId));
  return secret === undefined ? "unreadable" : { secret };
}
