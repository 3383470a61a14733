import type { ChannelFolder } from "@skein/api/channel-folders.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Folder } from "./access.ts";

export const toFolderObject = (folder: Folder): ChannelFolder => ({
  id: folder.id,
  name: folder.name,
  description: folder.description,
  rendered_description: folder.rendered_description,
  date_created: Math.floor(folder.date_created.getTime() / 1000),
  creator_id: folder.creator_id,
  is_archived: folder.is_archived,
  order: folder.position,
});

/** An organization's folders, in their order. */
export async function listFolders(
  db: Db,
  realmId: number,
  { includeArchived }: { includeArchived: boolean },
): Promise<ChannelFolder[]> {
  const all = db.selectFrom("channel_folders").selectAll().where("realm_id", "=", realmId);
  const wanted = includeArchived ? all : all.where("is_archived", "=", false);
  return (await wanted.orderBy("position").orderBy("id").execute()).map(toFolderObject);
}
