/** The uploaded images a text names, as the renderer shows them: those the writer may fetch. */
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

export async function uploadedImagesIn(db: Db, user: User, text: string): Promise<Map<string, UploadedImage>> {
  if (!text.includes("/user_uploads/")) return new Map();
  const named = [...new Set(Array.from(text.matchAll(uploadInText), ([, pathId = ""]) => pathId))];
  const { rows } = await sql<ImageRow>`
    select a.path_id, a.content_type, a.width, a.height, a.frames from attachments a
    where a.realm_id = ${user.realm_id} and a.path_id = any(${named}::text[]) and a.width is not null
      and ${isAccessible(user)}`.execute(db);
  return new Map(rows.map((row) => [row.path_id, toImage(row)]));
}

const toImage = ({ path_id, content_type, width, height, frames }: ImageRow): UploadedImage => ({
  width,
  height,
  content_type,
  thumbnail_url: `/user_uploads/thumbnail/${path_id}/${shownFormat({ frames })}`,
  ...(frames > 1 ? { animated: true } : {}),
});
