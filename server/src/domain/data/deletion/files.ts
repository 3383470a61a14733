/** The files of the file store that rows of these tables refer to. */
import { emojiKey } from "../../organization/emoji/file.ts";
import { realmPictures } from "../../organization/realm/icon.ts";
import { pictureKey } from "../../administration/realm-icon/file.ts";
import { keysOf } from "../../messages/uploads/jobs.ts";
import { uploadKey } from "../../messages/uploads/file-name.ts";
import { avatarKeys } from "../../people/avatars/file.ts";
import { exportKey } from "../exports/address.ts";

interface FileColumns {
  /** SQL: the columns, or what else is needed of a row `t`. */
  columns: string;
  /** Null where a row has no such file. */
  keys: (row: Record<string, unknown>) => string[];
}

const texts = (...values: unknown[]): string[] => values.filter((value) => typeof value === "string");

export const fileColumns: Readonly<Record<string, FileColumns>> = {
  attachments: { columns: "t.path_id", keys: ({ path_id }) => texts(path_id).flatMap(keysOf) },
  users: { columns: "t.avatar_key", keys: ({ avatar_key }) => texts(avatar_key).flatMap(avatarKeys) },
  custom_emoji: {
    columns: "t.realm_id, t.file_name, t.still_file_name",
    keys: ({ realm_id, file_name, still_file_name }) =>
      texts(file_name, still_file_name).map((name) => emojiKey({ realm_id: Number(realm_id), file_name: name })),
  },
  realm_exports: {
    columns: "t.realm_id, t.secret",
    keys: ({ realm_id, secret }) =>
      texts(secret).map((text) => exportKey({ realm_id: Number(realm_id), secret: text })),
  },
  realm_import_parts: { columns: "t.file_key", keys: ({ file_key }) => texts(file_key) },
  resumable_uploads: {
    columns: `t.parts || array(select p.file_key from resumable_upload_parts p where p.upload_id = t.id) as parts,
      t.path_id, t.final_path_id`,
    keys: ({ parts, path_id, final_path_id }) => [
      ...(Array.isArray(parts) ? texts(...parts) : []),
      // The joined file, if the process died before it became an upload.
      ...texts(path_id, final_path_id).map(uploadKey),
    ],
  },
  realms: {
    columns: realmPictures.map((which) => `t.${which}_key`).join(", "),
    keys: (row) => texts(...realmPictures.map((which) => row[`${which}_key`])).map(pictureKey),
  },
};
