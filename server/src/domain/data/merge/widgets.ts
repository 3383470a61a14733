/**
 * Votes and tasks of two accounts in the same poll or to-do list. Clients name an option by the account that added it and
 * a number that is unique for that account, so the merged account's options get numbers that the other has not used.
 */
import { z } from "zod";
import type { Pair } from "./pair.ts";

export interface Submessage {
  id: number;
  sender_id: number;
  content: string;
}

const numbered = z.looseObject({
  type: z.enum(["new_option", "new_task"]),
  idx: z.int().optional(),
  key: z.int().optional(),
});
const referring = z.looseObject({ type: z.enum(["vote", "strike"]), key: z.string() });

/** All submessages of one message, in their order; returns those that change. */
export function mergeSubmessages(all: readonly Submessage[], { from, into }: Pair): Submessage[] {
  const shift = firstFree(all, into.id);
  const isTaken = all.some(({ sender_id, content }) => sender_id === into.id && numberOf(content) !== undefined);
  const renumber = (number: number) => (isTaken ? number + shift : number);
  return all.flatMap((one) => {
    const sender_id = one.sender_id === from.id ? into.id : one.sender_id;
    const content = rewrite(one, from.id, into.id, renumber);
    return sender_id === one.sender_id && content === one.content ? [] : [{ ...one, sender_id, content }];
  });
}

const firstFree = (all: readonly Submessage[], sender: number): number =>
  1 + Math.max(-1, ...all.flatMap(({ sender_id, content }) => (sender_id === sender ? (numberOf(content) ?? []) : [])));

function numberOf(content: string): number | undefined {
  const found = numbered.safeParse(parsed(content)).data;
  return found?.idx ?? found?.key;
}

function rewrite(one: Submessage, from: number, into: number, renumber: (number: number) => number): string {
  const data = parsed(one.content);
  const own = one.sender_id === from ? numbered.safeParse(data).data : undefined;
  if (own?.idx !== undefined) return JSON.stringify({ ...own, idx: renumber(own.idx) });
  if (own?.key !== undefined) return JSON.stringify({ ...own, key: renumber(own.key) });
  const reference = referring.safeParse(data).data;
  const [adder, number] = reference?.key.split(",") ?? [];
  if (!reference || adder !== String(from) || number === undefined) return one.content;
  return JSON.stringify({ ...reference, key: `${into},${renumber(Number(number))}` });
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined; // not a widget's
  }
}
