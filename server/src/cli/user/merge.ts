import { isUnderWay, refuseMerge } from "../../domain/data/merge/begin.ts";
import { countMerge } from "../../domain/data/merge/count.ts";
import { mergeUsers } from "../../domain/data/merge/merge.ts";
import { findAccount, findOrganization, realmOption } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userMerge = command({
  args: ["FROM"],
  options: {
    into: { type: "string", value: "USER", required: true, description: "The account that gets everything." },
    confirm: { type: "string", value: "EMAIL", description: "The e-mail address of FROM, to confirm." },
    "dry-run": { type: "boolean", description: "Count what would move, and change nothing." },
    realm: realmOption,
  },
  details: [
    "FROM and USER are e-mail addresses or IDs (`skein user list`) of two accounts that one person has in the same " +
      "organization.",
    "Messages, reactions, mentions, files, direct conversations, subscriptions, read state, drafts, scheduled messages, " +
      "groups, bots and everything else of FROM then belong to USER. Where both have a setting, a profile field or a " +
      "status, that of USER stays. FROM remains as a deactivated account without data. This cannot be undone.",
    "At the end all clients of the organization register again. Run the command again if it is interrupted. Events " +
      "remain in the log for up to 7 days, and copies in backups until those expire.",
  ],
  examples: [
    "skein user merge gertrude@old.example --into gertrude@example.com --dry-run",
    "skein user merge gertrude@old.example --into gertrude@example.com --confirm gertrude@old.example",
  ],
  run: async ({ args: [given = ""], options, answer }) => {
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const from = await findAccount(db, realm, given);
      const into = await findAccount(db, realm, options.into);
      if (!(await isUnderWay(db, realm, from, into))) refuseMerge(from, into);
      const what = `${from.full_name} (ID ${from.id}) into ${into.full_name} (ID ${into.id})`;
      if (options["dry-run"]) {
        const counts = await countMerge(db, from.id);
        const { messages, conversations, channels, reactions, files } = counts;
        answer(
          { from_id: from.id, into_id: into.id, ...counts, dry_run: true },
          `Would merge ${what}: ${messages} messages, ${conversations} direct conversations, ${channels} channels, ` +
            `${reactions} reactions, ${files} files.`,
        );
        return;
      }
      if (options.confirm?.toLowerCase() !== from.delivery_email.toLowerCase())
        throw new UsageError(`This merges ${what}. To confirm, add: --confirm ${from.delivery_email}`);
      const merged = await mergeUsers(db, realm, from.id, into.id, (text) => process.stderr.write(`${text}\n`));
      answer(
        { from_id: from.id, into_id: into.id, ...merged },
        `Merged ${what}: ${merged.messages} messages, ${merged.conversations} direct conversations, ` +
          `${merged.channels} channels, ${merged.mentions} mentions.`,
      );
    });
  },
});
