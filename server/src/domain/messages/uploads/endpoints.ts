import * as api from "@skein/api/uploads.ts";
import { sql } from "kysely";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accessUpload } from "./access.ts";
import { uploadFile } from "./keep.ts";
import { listAttachments, uploadSpaceUsed } from "./queries.ts";
import { removeAttachment } from "./remove.ts";
import { temporaryUrl } from "./temporary-url.ts";

export const uploadEndpoints: BoundEndpoint[] = [
  handle(api.uploadFile, async ({ ctx, user, request }) => {
    const { pathId, name } = await uploadFile(ctx, user, request.arriving);
    const url = `/user_uploads/${pathId}`;
    return { url, uri: url, filename: name };
  }),

  handle(api.getFileTemporaryUrl, async ({ ctx, user, params }) => {
    const { path_id } = await accessUpload(ctx.db, user, `${params.realm_id_str}/${params.filename}`);
    return { url: temporaryUrl(ctx.secretBox, { path_id, user_id: user.id }) };
  }),

  handle(api.getAttachments, async ({ ctx, user }) => {
    const own = await listAttachments(ctx.db, user.realm_id, sql`a.owner_id = ${user.id}`);
    return {
      attachments: own.map(({ object }) => object),
      upload_space_used: await uploadSpaceUsed(ctx.db, user.realm_id),
    };
  }),

  handle(api.removeAttachment, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove attachment", (tx) => removeAttachment(tx, user, params.attachment_id));
    return {};
  }),
];
