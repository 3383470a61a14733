import { z } from "zod";
import { endpoint } from "./endpoint.ts";

export const maxAvatarFileMebibytes = 5;

const avatarUrl = z.string().describe("The avatar's address from now on.");

export const uploadOwnAvatar = endpoint({
  operation: "upload-own-avatar",
  method: "POST",
  path: "/users/me/avatar",
  auth: "user",
  area: "Users",
  summary: "Upload own avatar",
  description: "Show a picture of one's own beside one's name, unless the organization has ruled that out.",
  params: {},
  file: `The picture: AVIF, GIF, JPEG, PNG or WebP of at most ${maxAvatarFileMebibytes} MiB. It is cut to a square.`,
  returns: { avatar_url: avatarUrl },
});

export const removeOwnAvatar = endpoint({
  operation: "remove-own-avatar",
  method: "DELETE",
  path: "/users/me/avatar",
  auth: "user",
  area: "Users",
  summary: "Remove own avatar",
  description: "Go back to the picture that the e-mail address stands for elsewhere, or to none.",
  params: {},
  returns: { avatar_url: avatarUrl },
});
