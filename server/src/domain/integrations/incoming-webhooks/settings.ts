/** Settings of an incoming webhook bot, apart from its URL. */
import { ApiError } from "../../../errors.ts";
import { findIntegration } from "./integrations.ts";

/** The key in a bot's `config_data` for the secret it shares with the service. */
export const secretSetting = "webhook_secret";

const maxSettingLength = 1000;

/** Throws for an unknown integration or unknown settings. A bot need not be limited to one integration. */
export function checkIntegration(name: string, settings: Record<string, string>): void {
  const given = Object.entries(settings);
  if (name === "" && given.length === 0) return;
  const integration = findIntegration(name);
  if (!integration) throw new ApiError(`Invalid integration '${name}'.`);
  const unknown = given.find(([key]) => key !== secretSetting || !integration.proof);
  if (unknown) throw new ApiError(`The ${integration.displayName} integration has no setting '${unknown[0]}'`);
  if (given.some(([, value]) => value.length > maxSettingLength))
    throw new ApiError(`${secretSetting} is too long (limit: ${maxSettingLength} characters)`);
}
