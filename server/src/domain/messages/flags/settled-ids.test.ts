import { expect, test } from "vitest";
import { SettledIds } from "./settled-ids.ts";

test("an id is settled once every transaction that could have taken a smaller one has ended", () => {
  const settled = new SettledIds();
  const seen = (at: number, newest_id: number, oldest_running: number, next_transaction: number) => {
    settled.observe({ newest_id, oldest_running, next_transaction }, at);
    return settled.newest;
  };

  expect(seen(0, 100, 50, 60)).toBe(0);
  expect(seen(1000, 110, 60, 65)).toBe(0); // the transaction that took 100 may not have an id yet
  expect(seen(6000, 120, 55, 70)).toBe(0); // from now on it has one below 70
  expect(seen(7000, 130, 69, 80)).toBe(0); // 69 is still running
  expect(seen(8000, 140, 70, 90)).toBe(100);
  expect(seen(13000, 150, 70, 100)).toBe(100);
  expect(seen(14000, 160, 100, 110)).toBe(140);
});

test("in a quiet database one later observation is enough", () => {
  const settled = new SettledIds();

  settled.observe({ newest_id: 7, oldest_running: 50, next_transaction: 50 }, 0);
  settled.observe({ newest_id: 7, oldest_running: 50, next_transaction: 50 }, 5000);

  expect(settled.newest).toBe(7);
});
