import { sql } from "kysely";
import { countMatching, purgeMessages, type PurgeFilter } from "../../domain/data/purge/purge.ts";
import { byOperator, record } from "../../domain/organization/audit/record.ts";
import type { Realm } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption } from "../accounts.ts";
import { findChannel } from "../channels.ts";
import { command, readIds, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

export const messagePurge = command({
  options: {
    channel: { type: "string", value: "CHANNEL", description: "In this channel: its name or ID." },
    topic: { type: "string", value: "TOPIC", description: "In this topic of the channel." },
    sender: { type: "string", value: "USER", description: "Sent by this user: an e-mail address or ID." },
    from: {
      type: "string",
      value: "TIME",
      description: "Sent at or after this time, such as 2026-05-04 or 2026-05-04T09:30Z.",
    },
    until: { type: "string", value: "TIME", description: "Sent before this time." },
    ids: { type: "string", value: "IDS", description: "With these IDs, separated by commas." },
    "dry-run": { type: "boolean", description: "Count the messages and delete nothing." },
    confirm: {
      type: "number",
      value: "COUNT",
      description: "The number of messages that --dry-run counts, to confirm.",
    },
    realm: realmOption,
  },
  details: [
    "All conditions must apply. The messages disappear from all clients at once, no copy is kept, and files that no other " +
      "message contains are deleted. Run it again if it is interrupted. Copies in backups remain until those expire.",
  ],
  examples: [
    "skein message purge --channel general --until 2024-01-01 --dry-run",
    "skein message purge --sender 42 --from 2026-05-04 --confirm 118",
  ],
  run: async ({ options, answer }) => {
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const filter = await readFilter(db, realm, options);
      if (Object.keys(filter).length === 0)
        throw new UsageError("Choose messages with --channel, --topic, --sender, --from, --until or --ids.");
      const counts = await countMatching(db, realm.id, filter);
      const found = `${counts.messages} messages in ${counts.conversations} conversations, from ${formatTime(counts.oldest)} to ${formatTime(counts.newest)}`;
      if (options["dry-run"]) {
        answer({ ...counts, dry_run: true }, counts.messages === 0 ? "No message matches." : `Would delete ${found}.`);
        return;
      }
      if (options.confirm !== counts.messages)
        throw new UsageError(`This deletes ${found}. To confirm, add: --confirm ${counts.messages}`);
      // In many transactions, of which the first one is this: what is deleted is never missing in the log.
      await transaction(db, "record purge", (tx) =>
        record(tx, realm.id, byOperator, {
          action: "message.purge",
          target: { kind: "message", id: null },
          before: { ...filter, messages: counts.messages },
        }),
      );
      const purged = await purgeMessages(db, realm.id, filter, ({ messages }) => {
        if (messages % 1000 === 0) process.stderr.write(`deleted ${messages} of ${counts.messages} messages\n`);
      });
      answer(purged, `Deleted ${purged.messages} messages and ${purged.files} files.`);
    });
  },
});

interface Given {
  channel: string | undefined;
  topic: string | undefined;
  sender: string | undefined;
  from: string | undefined;
  until: string | undefined;
  ids: string | undefined;
}

async function readFilter(db: Db, realm: Realm, given: Given): Promise<PurgeFilter> {
  const { channel, topic, sender, from, until, ids } = given;
  if (topic !== undefined && channel === undefined) throw new UsageError("--topic needs --channel.");
  const found = channel === undefined ? undefined : await findChannel(db, realm, channel);
  return {
    ...(found ? { conversationId: found.id } : {}),
    ...(found && topic !== undefined ? { topicId: await findTopic(db, found, topic) } : {}),
    ...(sender === undefined ? {} : { senderId: (await findAccount(db, realm, sender)).id }),
    ...(from === undefined ? {} : { from: readTime("from", from) }),
    ...(until === undefined ? {} : { until: readTime("until", until) }),
    ...(ids === undefined ? {} : { ids: readIds("ids", ids) }),
  };
}

async function findTopic(db: Db, channel: { id: number; name: string }, name: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from topics where channel_id = ${channel.id} and lower(name) = lower(${name})`.execute(db);
  const [topic] = rows;
  if (!topic) throw new Error(`There is no topic "${name}" in ${channel.name}.`);
  return topic.id;
}

/** A date alone, or a time with its offset: without one it would depend on the machine. */
const timePattern = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

function readTime(option: string, text: string): Date {
  const time = new Date(text);
  // A day that its month does not have would become one of the next month.
  const day = new Date(`${text.slice(0, 10)}T00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
  if (!timePattern.test(text) || Number.isNaN(time.getTime()) || !isDay)
    throw new UsageError(
      `--${option} must be a date or a time with its offset, such as 2026-05-04T09:30Z, not ${text}`,
    );
  return time;
}
