/** An organization's pictures: avatars, custom emoji, icon and logos. Every member may see them. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { findAvatarFile } from "../../people/avatars/file.ts";
import { emojiKey } from "../../organization/emoji/file.ts";
import { pictureKey } from "../../administration/realm-icon/file.ts";
import { realmPictures } from "../../organization/realm/icon.ts";
import { avatarFile } from "../../people/users/avatar.ts";

export interface Picture {
  /** Its path in the export. */
  path: string;
  /** Its key in the file store. */
  key: string;
}

export async function listPictures(db: Db, realmId: number): Promise<Picture[]> {
  return [...(await listAvatars(db, realmId)), ...(await listEmoji(db, realmId)), ...(await listOwn(db, realmId))];
}

async function listAvatars(db: Db, realmId: number): Promise<Picture[]> {
  const { rows } = await sql<{ id: number; avatar_key: string }>`
    select id, avatar_key from users where realm_id = ${realmId} and avatar_key is not null order by id`.execute(db);
  return rows.flatMap(({ id, avatar_key }) => {
    const key = findAvatarFile(avatarFile(avatar_key, "medium"));
    return key === undefined ? [] : [{ path: `files/avatars/${id}.png`, key }];
  });
}

async function listEmoji(db: Db, realmId: number): Promise<Picture[]> {
  const rows = await db
    .selectFrom("custom_emoji")
    .select(["file_name", "still_file_name"])
    .where("realm_id", "=", realmId)
    .orderBy("id")
    .execute();
  return rows
    .flatMap(({ file_name, still_file_name }) => [file_name, ...(still_file_name === null ? [] : [still_file_name])])
    .map((name) => ({ path: `files/emoji/${name}`, key: emojiKey({ realm_id: realmId, file_name: name }) }));
}

async function listOwn(db: Db, realmId: number): Promise<Picture[]> {
  const realm = await db.selectFrom("realms").selectAll().where("id", "=", realmId).executeTakeFirstOrThrow();
  return realmPictures.flatMap((which) => {
    const key = realm[`${which}_key`];
    return key === null ? [] : [{ path: `files/organization/${which}.png`, key: pictureKey(key) }];
  });
}
