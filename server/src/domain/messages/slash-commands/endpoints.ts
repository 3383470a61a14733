import { runSlashCommand } from "@skein/api/slash-commands.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { accessOwnSettings, lockOwnAccount } from "../../people/settings/access.ts";
import { settingsOf } from "../../people/settings/state.ts";
import { differences, updateSettings } from "../../people/settings/update.ts";
import { readCommand } from "./commands.ts";

export const slashCommandEndpoints: BoundEndpoint[] = [
  handle(runSlashCommand, async ({ ctx, user, params }) => {
    const choice = readCommand(params.command);
    if (!choice) return { msg: "" };
    accessOwnSettings(user);
    const { settings, name, opposite } = choice;
    const hasChanged = await transaction(ctx.db, "run slash command", async (tx) => {
      const own = await lockOwnAccount(tx, user);
      await updateSettings(tx, own, realmHost(ctx.config, user.realm), settings);
      return Object.keys(differences(settingsOf(own), settings)).length > 0;
    });
    return {
      msg: hasChanged ? `Switched to ${name}. To undo, use \`${opposite}\`.` : `You are already using ${name}.`,
    };
  }),
];
