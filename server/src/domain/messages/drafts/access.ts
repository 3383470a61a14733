import type { DraftInput } from "@skein/api/drafts.ts";
import { maxTopicLength } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { hasContentAccess, invalidChannelId } from "../../channels/access.ts";
import { normalizeContent } from "../content.ts";
import { truncate } from "../../base/truncate.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { settingOf } from "../../people/settings/state.ts";
import { visibilityFor } from "../../people/users/guest-view.ts";

/** Throws unless the user synchronizes drafts. The setting cannot be turned off before the transaction ends. */
export async function accessDrafts(tx: Tx, user: User): Promise<void> {
  const account = await tx
    .selectFrom("users")
    .select("settings")
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .forShare()
    .executeTakeFirstOrThrow();
  if (!settingOf(account, "enable_drafts_synchronization"))
    throw new ApiError("User has disabled synchronizing drafts.");
}

/** A draft as stored. */
export interface DraftFields {
  type: DraftInput["type"];
  recipients: number[];
  topic: string;
  content: string;
  edited_at: Date;
}

/** The drafts, for a user who may read their channels and see their recipients. */
export async function accessDraftFields(db: Db, user: User, inputs: DraftInput[]): Promise<DraftFields[]> {
  const drafts = inputs.map(toFields);
  await accessChannels(db, user, recipientsOf(drafts, "stream"));
  await accessPeople(db, user, recipientsOf(drafts, "private"));
  return drafts;
}

const recipientsOf = (drafts: DraftFields[], type: DraftFields["type"]): number[] => [
  ...new Set(drafts.filter((draft) => draft.type === type).flatMap((draft) => draft.recipients)),
];

/** The last second of the year 9999; later times have no common notation. */
const lastTimestamp = 253_402_300_799;

function toFields({ type, to, topic, content, timestamp = toTimestamp(new Date()) }: DraftInput): DraftFields {
  if (timestamp < 0) throw new ApiError("Timestamp must not be negative.");
  if (timestamp > lastTimestamp) throw new ApiError("Invalid timestamp");
  if (type === "stream" && to.length !== 1)
    throw new ApiError("Must specify exactly 1 channel ID for channel messages");
  if (type === "stream" && topic.includes("\0")) throw new ApiError("Topic must not contain null bytes");
  return {
    type,
    recipients: type === "" ? [] : [...new Set(to)],
    topic: type === "stream" ? truncate(topic, maxTopicLength, "...") : "",
    content: normalizeContent(content),
    edited_at: new Date(timestamp * 1000),
  };
}

async function accessChannels(db: Db, user: User, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from channels c
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and c.id = any(${ids}::bigint[]) and ${hasContentAccess(user, "c", "s")}`.execute(
    db,
  );
  if (rows[0]?.count !== ids.length) throw invalidChannelId();
}

async function accessPeople(db: Db, user: User, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const sees = await visibilityFor(db, user);
  const { rows } = await sql<{ id: number; is_bot: boolean }>`
    select id, is_bot from users where realm_id = ${user.realm_id} and id = any(${ids}::bigint[])`.execute(db);
  const seen = new Set(rows.filter(sees).map((row) => row.id));
  const stranger = ids.find((id) => !seen.has(id));
  if (stranger !== undefined) throw new ApiError(`Invalid user ID ${stranger}`);
}

export const draftDoesNotExist = () => new ApiError("Draft does not exist", { status: 404 });
