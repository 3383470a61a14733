/** Credentials in Authorization headers. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { unauthorized } from "../errors.ts";
import { hashSecret, type KeyCredentials } from "../identity/sessions.ts";

/** What was read last on each connection: a client that keeps its connection sends the same header with every request. */
const lastRead = new WeakMap<Socket, { header: string; credentials: KeyCredentials }>();

/** Reads the credentials of a request; throws if there are none. */
export function credentialsOfRequest({ socket, headers: { authorization } }: IncomingMessage): KeyCredentials {
  const last = lastRead.get(socket);
  if (last !== undefined && last.header === authorization) return last.credentials;
  const credentials = readCredentials(authorization);
  if (authorization !== undefined) lastRead.set(socket, { header: authorization, credentials });
  return credentials;
}

/** Reads the credentials from an Authorization header; throws if there are none. */
export function readCredentials(header: string | undefined): KeyCredentials {
  if (header === undefined || header === "") throw unauthorized("Missing authorization header for basic auth");
  const [scheme, encoded] = header.split(" ", 2);
  if (scheme?.toLowerCase() !== "basic") throw unauthorized("This endpoint requires HTTP basic authentication.");
  const decoded = Buffer.from(encoded ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) throw unauthorized("Invalid authorization header for basic auth");
  return { email: decoded.slice(0, colon), keyHash: hashSecret(decoded.slice(colon + 1)) };
}
