/** The secret a bot shares with its service, sealed among the bot's settings. */
import { z } from "zod";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { secretSetting } from "./settings.ts";

export const sealedSetting = "sealed_webhook_secret";
/** Both are removed from a bot's settings when a new secret is set. */
export const keptSettings = [secretSetting, sealedSetting];

export const purposeFor = (botId: number) => `webhook secret of bot ${botId}`;

/** The settings as they are stored. Empty values are not stored, so an empty secret removes it. */
export function sealSettings(
  box: SecretBox,
  botId: number,
  { [secretSetting]: secret = "", ...others }: Record<string, string>,
): Record<string, string> {
  return secret === "" ? others : { ...others, [sealedSetting]: box.seal(secret, purposeFor(botId)) };
}

/** Settings from before secrets were sealed contain it in plain text. */
const kept = z.looseObject({ [secretSetting]: z.string().optional(), [sealedSetting]: z.string().optional() });

export type SharedSecret = { secret: string } | "none" | "unreadable";

/** Unreadable if it was sealed with a different server secret. */
export function sharedSecret(box: SecretBox, botId: number, config: unknown): SharedSecret {
  const { data } = kept.safeParse(config);
  const { [sealedSetting]: sealed, [secretSetting]: plain = "" } = data ?? {};
  if (sealed === undefined) return plain === "" ? "none" : { secret: plain };
  const secret = box.open(sealed, purposeFor(botId));
  return secret === undefined ? "unreadable" : { secret };
}
