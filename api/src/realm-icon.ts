/** An organization's images: a square icon, and wide logos for light and dark backgrounds. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

export const maxIconFileMebibytes = 5;
export const maxLogoFileMebibytes = 5;

const area = "Server and organization";
const iconUrl = z.string().describe("The icon's new URL.");
const night = json(z.boolean()).describe("Whether the logo for dark backgrounds is meant.");
const formats = "AVIF, GIF, JPEG, PNG or WebP";

export const getRealmIcon = endpoint({
  operation: "get-realm-icon",
  method: "GET",
  path: "/realm/icon",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get the organization's icon",
  description: "Redirects to the icon.",
  params: {},
  returns: {},
});

export const uploadRealmIcon = endpoint({
  operation: "upload-realm-icon",
  method: "POST",
  path: "/realm/icon",
  auth: "user",
  scope: "admin",
  area,
  summary: "Upload the organization's icon",
  description: "Set the organization's icon. For administrators.",
  params: {},
  file: `The picture: ${formats} of at most ${maxIconFileMebibytes} MiB. It is cut to a square.`,
  returns: { icon_url: iconUrl },
});

export const removeRealmIcon = endpoint({
  operation: "remove-realm-icon",
  method: "DELETE",
  path: "/realm/icon",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove the organization's icon",
  description: "Restore the default icon, a pattern generated from the organization's name. For administrators.",
  params: {},
  returns: { icon_url: iconUrl },
});

export const getRealmLogo = endpoint({
  operation: "get-realm-logo",
  method: "GET",
  path: "/realm/logo",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get the organization's logo",
  description: "Redirects to the logo.",
  params: { night },
  returns: {},
});

export const uploadRealmLogo = endpoint({
  operation: "upload-realm-logo",
  method: "POST",
  path: "/realm/logo",
  auth: "user",
  scope: "admin",
  area,
  summary: "Upload the organization's logo",
  description: "Set the organization's logo. For administrators.",
  params: { night },
  file: `The picture: ${formats} of at most ${maxLogoFileMebibytes} MiB. It is made to fit 800 by 100 pixels.`,
  returns: {},
});

export const removeRealmLogo = endpoint({
  operation: "remove-realm-logo",
  method: "DELETE",
  path: "/realm/logo",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove the organization's logo",
  description: "Restore the server's default logo. For administrators.",
  params: { night },
  returns: {},
});

export const endpoints = [
  getRealmIcon,
  uploadRealmIcon,
  removeRealmIcon,
  getRealmLogo,
  uploadRealmLogo,
  removeRealmLogo,
];
