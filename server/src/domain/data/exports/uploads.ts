import type { Db } from "../../../platform/db/connect.ts";
import { uploadKey } from "../../messages/uploads/file-name.ts";

export interface ExportedUpload {
  /** Its path in the export. */
  path: string;
  /** Its key in the file store. */
  key: string;
  size: number;
  created_at: Date;
}

const atOnce = 500;

/** Those of the attachments that still exist. */
export async function* listUploads(db: Db, ids: number[]): AsyncGenerator<ExportedUpload> {
  for (let from = 0; from < ids.length; from += atOnce) {
    const rows = await db
      .selectFrom("attachments")
      .select(["path_id", "size", "created_at"])
      .where("id", "in", ids.slice(from, from + atOnce))
      .orderBy("id")
      .execute();
    for (const { path_id, size, created_at } of rows)
      yield { path: `files/uploads/${path_id}`, key: uploadKey(path_id), size, created_at };
  }
}
