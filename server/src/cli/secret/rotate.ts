import { rotateSecrets } from "../../domain/data/secret-rotation/rotate.ts";
import { settings } from "../../config.ts";
import { SecretBox } from "../../platform/secret-box.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

const [first, second] = [settings.secret.variable, settings.secondSecret.variable];

export const secretRotate = command({
  options: {},
  details: [
    `Replaces ${first} without downtime. In each step restart the processes one after the other:`,
    `1. Set ${second} to a new secret (openssl rand -hex 32) for all processes.`,
    `2. Exchange the two: ${first} is now the new secret and ${second} the old one.`,
    "3. Run this command with the same settings. It encrypts stored keys and tokens again, and signs links to images again.",
    `4. Remove ${second} a week later, when the event log has no entries with the old secret any more. Keep the new secret ` +
      "with your backups; a backup from before needs the old one.",
  ],
  run: async ({ answer }) => {
    const done = await withDatabase(async (db, config) => {
      if (config.secret === "" || config.secondSecret === "")
        throw new UsageError(`Set both ${first} (the new secret) and ${second} (the old one).`);
      return rotateSecrets(db, config, new SecretBox(config.secret, config.secondSecret));
    });
    const { secrets, unreadable, messages } = done;
    const lost =
      unreadable === 0 ? "" : ` ${unreadable} values cannot be decrypted with either secret, and were left alone.`;
    answer(done, `Encrypted ${secrets} secrets again, and signed links in ${messages} messages again.${lost}`);
    if (unreadable > 0) process.exitCode = 1;
  },
});
