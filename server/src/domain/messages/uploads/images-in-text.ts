/** The uploaded files a text names, as the renderer shows them: those the writer may fetch. */
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { UploadedImage } from "../../../markdown/context.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { isAccessible } from "./access.ts";
import { shownFormat } from "./thumbnails.ts";

const uploadInText = /\/user_uploads\/(\d+\/[0-9a-f]{2}\/[\w-]{24}\/[A-Za-z0-9._-]+)/g;

interface ImageRow {
  path_id: string;
  content_type: string;
  width: number;
  height: number;
  frames: number;
}

interface OtherRow {
  path_id: string;
  content_type: string;
  width: null;
}

/** What the renderer knows of them: images, and the types of all others. */
interface NamedUploads {
  uploads: Map<string, UploadedImage>;
  attachments: Map<string, string>;
}

export async function uploadsIn(db: Db, user: User, text: string): Promise<NamedUploads> {
  if (!text.includes("/user_uploads/")) return { uploads: new Map(), attachments: new Map() };
  const named = [...new Set(Array.from(text.matchAll(uploadInText), ([, pathId = ""]) => pathId))];
  const { rows } = await sql<ImageRow | OtherRow>`
    select a.path_id, a.content_type, a.width, a.height, a.frames from attachments a
    where a.realm_id = ${user.realm_id} and a.path_id = any(${named}::text[])
      and ${isAccessible(user)}`.execute(db);
  return {
    uploads: new Map(rows.flatMap((row) => (row.width === null ? [] : [[row.path_id, toImage(row)] as const]))),
    attachments: new Map(rows.flatMap((row) => (row.width === null ? [[row.path_id, row.content_type] as const] : []))),
  };
}

const toImage = ({ path_id, content_type, width, height, frames }: ImageRow): UploadedImage => ({
  width,
  height,
  content_type,
  thumbnail_url: `/user_uploads/thumbnail/${path_id}/${shownFormat({ frames })}`,
  ...(frames > 1 ? { animated: true } : {}),
});
