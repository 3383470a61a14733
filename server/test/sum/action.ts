import { encodeCall, type ArgumentsOf } from "@skein/api/client.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import type { Draw } from "./draw.ts";

/** A call that a user could make now. The server may reject it. */
export interface Action {
  endpoint: Endpoint;
  /** Makes the call, and returns its description. */
  take: (draw: Draw) => Promise<Outcome>;
}

export interface Outcome {
  params: unknown;
  answer: Record<string, unknown>;
}

/** A call with random parameters. */
export const act = <E extends Endpoint>(endpoint: E, params: (draw: Draw) => ArgumentsOf<E>): Action => ({
  endpoint,
  take: async (draw) => {
    const given = params(draw);
    return { params: given, answer: { ...(await draw.actor.call(endpoint, given)) } };
  },
});

/** The same with a file upload. */
export const actWithFile = <E extends Endpoint>(
  endpoint: E,
  file: Buffer,
  params: (draw: Draw) => ArgumentsOf<E>,
): Action => ({
  endpoint,
  take: async (draw) => {
    const given = params(draw);
    const { path, form } = encodeCall(endpoint, given);
    const answer = await draw.actor.upload(path, { "picture.png": file }, form, endpoint.method);
    return { params: given, answer };
  },
});
