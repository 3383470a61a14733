import { z } from "zod";
import { endpoint } from "./endpoint.ts";

export const maxAvatarFileMebibytes = 5;

const avatarUrl = z.string().describe("The avatar's new URL.");

export const uploadOwnAvatar = endpoint({
  operation: "upload-own-avatar",
  method: "POST",
  path: "/users/me/avatar",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Upload own avatar",
  description: "Set the caller's avatar, unless the organization has disabled this.",
  params: {},
  file: `The picture: AVIF, GIF, JPEG, PNG or WebP of at most ${maxAvatarFileMebibytes} MiB. It is cut to a square.`,
  returns: { avatar_url: avatarUrl },
});

export const removeOwnAvatar = endpoint({
  operation: "remove-own-avatar",
  method: "DELETE",
  path: "/users/me/avatar",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Remove own avatar",
  description: "Restore the default avatar: the Gravatar of the e-mail address, or none.",
  params: {},
  returns: { avatar_url: avatarUrl },
});

export const endpoints = [uploadOwnAvatar, removeOwnAvatar];
