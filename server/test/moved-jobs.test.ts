import { expect, test } from "vitest";
import { areas } from "../src/areas.ts";
import { realmOfJob } from "../src/domain/data/cells/move/tables.ts";

test("every kind of job is moved to another cell with its organization, or named as one of the server", () => {
  const jobs = Object.values(areas).flatMap(({ jobs: own = [] }) => own.map(({ name }) => name));

  expect(jobs.filter((name) => !(name in realmOfJob))).toEqual([]);
});
