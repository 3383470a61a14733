/**
 * How requests to the OpenID Connect provider are made. The operator chose its address, so it may be on a private network,
 * but its responses are not trusted: they are bounded in size, and the timeout covers the body, too.
 */
import type { CustomFetch } from "openid-client";

const maxBytes = 1024 ** 2;

/** A fetch for openid-client: it passes a signal with its timeout, and does not follow redirects. */
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
