/** Changing channel folders. Each change is told to everybody. */
import { textLength } from "@skein/api/endpoint.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import { renderMarkdown } from "../../../markdown/render.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessFolderChanges, accessFolderForUpdate, type Folder } from "./access.ts";
import { listFolders, toFolderObject } from "./queries.ts";

/** A description shows no previews of what it links to. */
const render = (description: string): string => renderMarkdown(description, { inlineImagePreview: false }).html;

/** Returns its id. */
export async function createFolder(
  tx: Tx,
  user: User,
  { name, description }: { name: string; description: string },
): Promise<number> {
  accessFolderChanges(user);
  const checked = toFolderName(name);
  const rendered = render(description);
  const { rows } = await orNameTaken(
    sql<Folder>`
      insert into channel_folders (id, realm_id, name, description, rendered_description, creator_id, position)
      select id, ${user.realm_id}, ${checked}, ${description}, ${rendered}, ${user.id}, id
      from nextval(pg_get_serial_sequence('channel_folders', 'id')) as id
      returning *`.execute(tx),
  );
  const [folder] = rows;
  if (!folder) throw new Error("unreachable: one row is inserted");
  emit(tx, user.realm_id, toEveryone, { type: "channel_folder", op: "add", channel_folder: toFolderObject(folder) });
  return folder.id;
}

export interface FolderChange {
  name: string | undefined;
  description: string | undefined;
  is_archived: boolean | undefined;
}

export async function updateFolder(tx: Tx, user: User, id: number, change: FolderChange): Promise<void> {
  const folder = await accessFolderForUpdate(tx, user, id);
  const { name, description, is_archived } = change;
  if (is_archived === true && !folder.is_archived) await refuseChannelsInside(tx, folder);
  const wanted = {
    ...(name === undefined ? {} : { name: toFolderName(name) }),
    ...(description === undefined ? {} : { description, rendered_description: render(description) }),
    ...(is_archived === undefined ? {} : { is_archived }),
  };
  const data = Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== folder[field as keyof typeof wanted]),
  );
  if (Object.keys(data).length === 0) return;
  await orNameTaken(tx.updateTable("channel_folders").set(data).where("id", "=", id).execute());
  emit(tx, user.realm_id, toEveryone, { type: "channel_folder", op: "update", channel_folder_id: id, data });
}

export async function reorderFolders(tx: Tx, user: User, order: readonly number[]): Promise<void> {
  accessFolderChanges(user);
  const known = (await listFolders(tx, user.realm_id, { includeArchived: true })).map((folder) => folder.id);
  const isComplete = order.length === known.length && known.every((id) => order.includes(id));
  if (!isComplete) throw new ApiError("Invalid order mapping.");
  await sql`
    update channel_folders f set position = wanted.position - 1
    from unnest(${[...order]}::bigint[]) with ordinality as wanted (id, position)
    where f.id = wanted.id and f.realm_id = ${user.realm_id}`.execute(tx);
  emit(tx, user.realm_id, toEveryone, { type: "channel_folder", op: "reorder", order });
}

async function refuseChannelsInside(tx: Tx, { id, realm_id }: Folder): Promise<void> {
  const channel = await tx
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", realm_id)
    .where("folder_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  if (channel) throw new ApiError("You need to remove all the channels from this folder to archive it.");
}

/** Control characters, lone surrogates and noncharacters. */
const invisible = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

function toFolderName(text: string): string {
  const name = text.trim();
  if (name === "") throw new ApiError("Channel folder name can't be empty.");
  const at = name.search(invisible);
  if (at >= 0)
    throw new ApiError(`Invalid character in channel folder name, at position ${textLength(name.slice(0, at)) + 1}.`);
  return name;
}

/** The unique index decides if two requests use the same name at once. */
async function orNameTaken<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof Error && "constraint" in error && error.constraint === "channel_folders_name")
      throw new ApiError("Channel folder name already in use");
    throw error;
  }
}
