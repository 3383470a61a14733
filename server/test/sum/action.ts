import { encodeCall, type ArgumentsOf } from "@skein/api/client.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import type { Draw } from "./draw.ts";

/** A call somebody could make now. It may well be refused. */
export interface Action {
  endpoint: Endpoint;
  /** Makes the call, and says which it was. */
  take: (draw: Draw) => Promise<Outcome>;
}

export interface Outcome {
  params: unknown;
  answer: Record<string, unknown>;
}

/** The call with parameters made up for the occasion. */
export const act = <E extends Endpoint>(endpoint: E, params: (draw: Draw) => ArgumentsOf<E>): Action => ({
  endpoint,
  take: async (draw) => {
    const given = params(draw);
    return { params: given, answer: { ...(await draw.actor.call(endpoint, given)) } };
  },
});

/** The same with a file. */
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
