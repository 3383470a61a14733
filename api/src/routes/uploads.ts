/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../uploads.ts";
import type { Route } from "../route.ts";

export const getAttachments: Route<typeof declared.getAttachments> = { method: "GET", path: "/attachments", texts: [] };
export const getFileTemporaryUrl: Route<typeof declared.getFileTemporaryUrl> = {
  method: "GET",
  path: "/user_uploads/{realm_id_str}/{filename}",
  texts: ["filename"],
};
export const removeAttachment: Route<typeof declared.removeAttachment> = {
  method: "DELETE",
  path: "/attachments/{attachment_id}",
  texts: [],
};
export const uploadFile: Route<typeof declared.uploadFile> = { method: "POST", path: "/user_uploads", texts: [] };
