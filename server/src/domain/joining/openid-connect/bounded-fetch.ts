/**
 * How requests to OpenID Connect providers are made. Responses are not trusted: they are bounded in size, and the timeout
 * covers the body, too.
 */
import type { CustomFetch } from "openid-client";
import type { Outbound } from "../../../platform/outbound.ts";

const maxBytes = 1024 ** 2;
const timeoutMs = 10_000;

/**
 * For the provider that the operator chose: it may be on a private network. openid-client passes a signal with its timeout,
 * and does not follow redirects.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit); // openid-client sends strings and forms only, which fetch takes
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${new URL(url).pathname} returned more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(size > 0 ? Buffer.concat(chunks) : null, { status, headers });
};

/** For providers that organizations choose: only on the public Internet, or where the operator allows it. */
export const guardedFetch =
  (outbound: Outbound): CustomFetch =>
  async (url, { method, headers, body }) => {
    const text = typeof body === "string" || body instanceof URLSearchParams ? body.toString() : undefined;
    const answer = await outbound.request(url, {
      method: method === "POST" ? "POST" : "GET",
      headers,
      ...(text === undefined ? {} : { body: text }),
      timeoutMs,
      maxBytes,
      redirects: 0,
    });
    const type = answer.headers["content-type"];
    return new Response(answer.body.length > 0 ? new Uint8Array(answer.body) : null, {
      status: answer.status,
      headers: type === undefined ? {} : { "content-type": type },
    });
  };
