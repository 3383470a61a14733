import { expect, test } from "vitest";
import { BatchedReads } from "./batched-reads.ts";

interface Statement {
  keys: number[];
  finish: PromiseWithResolvers<Map<number, string>>;
}

/** Reads whose statements end when the test says so. */
function heldReads() {
  const statements: Statement[] = [];
  const reads = new BatchedReads((keys: number[]) => {
    const finish = Promise.withResolvers<Map<number, string>>();
    statements.push({ keys, finish });
    return finish.promise;
  });
  const finish = (number: number): void => {
    const statement = statements[number];
    if (!statement) throw new Error(`there is no statement ${number}`);
    const { keys } = statement;
    statement.finish.resolve(new Map(keys.filter((key) => key > 0).map((key) => [key, `row ${key}`])));
  };
  return { reads, statements, finish };
}

test("whoever asks while statements are running shares the next one", async () => {
  const { reads, statements, finish } = heldReads();
  const found = [1, 2, 3, 4, 3, -5].map((key) => reads.find(key));
  expect(statements.map(({ keys }) => keys)).toEqual([[1], [2]]);
  finish(1);
  expect(await found[1]).toBe("row 2");
  await expect.poll(() => statements.length).toBe(3);
  expect(statements[2]?.keys).toEqual([3, 4, -5]);
  finish(0);
  finish(2);
  expect(await Promise.all(found)).toEqual(["row 1", "row 2", "row 3", "row 4", "row 3", undefined]);
});

test("a row is read after it was asked for, even if the same row is being read already", async () => {
  const { reads, statements, finish } = heldReads();
  const first = reads.find(1);
  const second = reads.find(1);
  expect(statements.map(({ keys }) => keys)).toEqual([[1], [1]]);
  finish(0);
  finish(1);
  expect(await Promise.all([first, second])).toEqual(["row 1", "row 1"]);
});

test("a statement that fails concerns only those who share it", async () => {
  const { reads, statements, finish } = heldReads();
  const found = [1, 2, 3].map((key) => reads.find(key).catch((error: Error) => error.message));
  statements[0]?.finish.reject(new Error("the connection was lost"));
  expect(await found[0]).toBe("the connection was lost");
  await expect.poll(() => statements.length).toBe(3);
  finish(1);
  finish(2);
  expect(await Promise.all(found.slice(1))).toEqual(["row 2", "row 3"]);
});

test("one statement reads a limited number of rows", async () => {
  const { reads, statements, finish } = heldReads();
  const found = Array.from({ length: 500 }, (_, n) => reads.find(n + 1));
  for (let number = 0; number < 5; number++) {
    await expect.poll(() => statements.length).toBeGreaterThan(number);
    finish(number);
  }
  expect(new Set(await Promise.all(found)).size).toBe(500);
  expect(Math.max(...statements.map(({ keys }) => keys.length))).toBeLessThanOrEqual(200);
});
