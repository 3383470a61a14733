import { expect, test } from "vitest";
import type { Db } from "./connect.ts";
import { isDatabaseOutage } from "./outage.ts";
import { isLineFor, takeTurn } from "./turns.ts";

const aDatabase = (): Db => ({}) as Db; // only its identity matters

test("turns are taken in the order of arrival, one at a time, and a line ends with the last of them", async () => {
  const db = aDatabase();
  const order: number[] = [];
  let atOnce = 0;
  const go = async (number: number): Promise<void> => {
    const end = await takeTurn(db, "key");
    expect(++atOnce).toBe(1);
    order.push(number);
    await Promise.resolve();
    atOnce--;
    end();
  };

  await Promise.all([1, 2, 3, 4].map(go));

  expect(order).toEqual([1, 2, 3, 4]);
  expect(isLineFor(db, "key")).toBe(false);
});

test("who has waited too long leaves the line, and those behind are not held up", async () => {
  const db = aDatabase();
  const end = await takeTurn(db, "key");
  const impatient = takeTurn(db, "key", 1);
  const patient = takeTurn(db, "key");

  const error = await impatient.catch((thrown: unknown) => thrown);
  end();

  expect(isDatabaseOutage(error)).toBe(true);
  (await patient)();
  expect(isLineFor(db, "key")).toBe(false);
});

test("lines of other things and other databases are other lines", async () => {
  const [db, other] = [aDatabase(), aDatabase()];
  await takeTurn(db, "key");

  expect(isLineFor(db, "key")).toBe(true);
  expect([isLineFor(db, "another"), isLineFor(other, "key")]).toEqual([false, false]);
  await takeTurn(other, "key");
});
