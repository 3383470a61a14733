import * as api from "@skein/api/realm-icon.ts";
import { handle, Redirect, type BoundEndpoint } from "../../../http/handle.ts";
import { iconUrl, pictureUrl, type RealmPicture } from "../../organization/realm/icon.ts";
import { accessRealmPictures, removePicture, uploadPicture } from "./actions.ts";

const logoFor = ({ night }: { night: boolean }): RealmPicture => (night ? "night_logo" : "logo");

export const realmIconEndpoints: BoundEndpoint[] = [
  handle(api.getRealmIcon, async ({ user }) => new Redirect(iconUrl(user.realm))),

  handle(api.uploadRealmIcon, async ({ ctx, user, request }) => {
    accessRealmPictures(user);
    return { icon_url: await uploadPicture(ctx, { user, request }, "icon", request.files) };
  }),

  handle(api.removeRealmIcon, async ({ ctx, user, request }) => {
    accessRealmPictures(user);
    return { icon_url: await removePicture(ctx, { user, request }, "icon") };
  }),

  handle(api.getRealmLogo, async ({ user, params }) => new Redirect(pictureUrl(user.realm, logoFor(params)))),

  handle(api.uploadRealmLogo, async ({ ctx, user, params, request }) => {
    accessRealmPictures(user);
    await uploadPicture(ctx, { user, request }, logoFor(params), request.files);
    return {};
  }),

  handle(api.removeRealmLogo, async ({ ctx, user, params, request }) => {
    accessRealmPictures(user);
    await removePicture(ctx, { user, request }, logoFor(params));
    return {};
  }),
];
