import * as api from "@skein/api/avatars.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { accessOwnAvatar, removeAvatar, uploadAvatar } from "./actions.ts";

export const avatarEndpoints: BoundEndpoint[] = [
  handle(api.uploadOwnAvatar, async ({ ctx, user, request }) => {
    accessOwnAvatar(user);
    return { avatar_url: await uploadAvatar(ctx, user, request.files) };
  }),

  handle(api.removeOwnAvatar, async ({ ctx, user }) => {
    accessOwnAvatar(user);
    return { avatar_url: await removeAvatar(ctx, user) };
  }),
];
