/** What may be set for a bot that brings in what a service says, beside the address the service is given. */
import { ApiError } from "../../errors.ts";
import { findIntegration } from "./integrations.ts";

/** Under this name a bot's `config_data` has the secret it shares with the service. */
export const secretSetting = "webhook_secret";

const longestSetting = 1000;

/** Refuses an integration there is not, and settings it does not have. A bot need not be for one integration only. */
export function checkIntegration(name: string, settings: Record<string, string>): void {
  const given = Object.entries(settings);
  if (name === "" && given.length === 0) return;
  const integration = findIntegration(name);
  if (!integration) throw new ApiError(`Invalid integration '${name}'.`);
  const unknown = given.find(([key]) => key !== secretSetting || !integration.proof);
  if (unknown) throw new ApiError(`The ${integration.displayName} integration has no setting '${unknown[0]}'`);
  if (given.some(([, value]) => value.length > longestSetting))
    throw new ApiError(`${secretSetting} is too long (limit: ${longestSetting} characters)`);
}
