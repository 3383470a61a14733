/** Files that users attach to messages. */
import { z } from "zod";
import { endpoint, json, restOfPath } from "./endpoint.ts";

const seconds = (what: string) => z.int().describe(`${what}, in seconds since 1970.`);

export const attachment = z
  .strictObject({
    id: z.int(),
    name: z.string().describe("The file's original name."),
    path_id: z.string().describe("Where it is, below /user_uploads/."),
    size: z.int().describe("In bytes."),
    create_time: seconds("When it was uploaded"),
    messages: z
      .array(z.strictObject({ id: z.int(), date_sent: seconds("When the message was sent") }))
      .describe("The newest messages that carry the file and that its owner may read."),
  })
  .meta({ id: "Attachment" });
export type Attachment = z.output<typeof attachment>;

const area = "Messages";
const spaceUsed = z.int().describe("The total size of the organization's files, in bytes.");

export const uploadFile = endpoint({
  operation: "upload-file",
  method: "POST",
  path: "/user_uploads",
  auth: "user",
  scope: "files",
  area,
  summary: "Upload a file",
  description:
    "Upload a file, to be linked in a message afterwards. Until a message links to it, only its owner can access it. For " +
    "large files on poor connections there are resumable uploads (tus 1.0) at /api/v1/tus/.",
  params: {},
  file: "The file, under any name. Its maximum size is max_file_upload_size_mib in the registration response.",
  streamsFile: true,
  returns: {
    url: z.string().describe("The file's address, relative to the organization's."),
    uri: z.string().describe("The same, as older clients read it."),
    filename: z.string().describe("The file's name, for the text of a link."),
  },
});

export const getFileTemporaryUrl = endpoint({
  operation: "get-file-temporary-url",
  method: "GET",
  path: "/user_uploads/{realm_id_str}/{filename}",
  auth: "user",
  scope: "files",
  area,
  summary: "Get public temporary URL",
  description: "A URL from which a file can be downloaded without credentials for one minute.",
  params: {
    realm_id_str: json(z.int()).describe("The organization's ID: the first part of the file's path."),
    filename: restOfPath(z.string()).describe("The rest of the file's path."),
  },
  returns: { url: z.string().describe("Relative to the organization's address.") },
});

export const getAttachments = endpoint({
  operation: "get-attachments",
  method: "GET",
  path: "/attachments",
  auth: "user",
  scope: "files",
  area: "Users",
  summary: "Get attachments",
  description: "All files the caller has uploaded.",
  params: {},
  returns: { attachments: z.array(attachment), upload_space_used: spaceUsed },
});

export const removeAttachment = endpoint({
  operation: "remove-attachment",
  method: "DELETE",
  path: "/attachments/{attachment_id}",
  auth: "user",
  scope: "files",
  area: "Users",
  summary: "Delete an attachment",
  description: "Delete one of the caller's files. Messages that link to it stay unchanged, with a broken link.",
  params: { attachment_id: json(z.int()).describe("The file's ID.") },
  returns: {},
});

export const attachmentEvents = [
  z
    .strictObject({
      type: z.literal("attachment"),
      op: z.enum(["add", "update"]),
      attachment,
      upload_space_used: spaceUsed,
    })
    .describe("To a file's owner: it was uploaded, or other messages carry it now."),
  z
    .strictObject({
      type: z.literal("attachment"),
      op: z.literal("remove"),
      attachment: z.strictObject({ id: z.int() }),
      upload_space_used: spaceUsed,
    })
    .describe("To a file's owner: it was deleted."),
] as const;

export const endpoints = [uploadFile, getFileTemporaryUrl, getAttachments, removeAttachment];
