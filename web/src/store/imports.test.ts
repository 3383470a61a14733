import { expect, test, vi } from "vitest";
import { changePlan, fetchPlan, plannedPeople } from "./imports.ts";

const person = (id: string) => ({ id, name: id, account: "new", email: null, is_bot: false, is_active: true });

test("a change is shown without fetching the plan again, except for what is refused or another window changed", async () => {
  const requests: string[] = [];
  let revision = 0;
  vi.stubGlobal("fetch", async (_path: string, { method = "GET" }: RequestInit) => {
    requests.push(method);
    if (method === "GET")
      return Response.json({
        result: "success",
        people: ["a", "b"].map(person),
        channels: [],
        plan_revision: revision,
        is_last: true,
      });
    const refused_people = [{ id: "b", reason: "no" }];
    return Response.json({ result: "success", plan_revision: ++revision, refused_people, refused_channels: [] });
  });
  const people = ["a", "b"].map((id) => ({ id, account: "inactive" as const }));
  const accounts = () => plannedPeople.value.map(({ account }) => account);
  await fetchPlan(1, 0);

  // Its event arrives before its response.
  const [refused] = await Promise.all([changePlan(1, { people }), fetchPlan(1, 1)]);
  expect(requests).toEqual(["GET", "PATCH"]);
  expect(refused).toEqual([{ id: "b", reason: "no" }]);
  expect(accounts()).toEqual(["inactive", "new"]);

  revision = 2;
  await Promise.all([changePlan(1, { people }), fetchPlan(1, 3)]);
  expect(requests).toEqual(["GET", "PATCH", "PATCH", "GET"]);
  expect(accounts()).toEqual(["new", "new"]);
});
