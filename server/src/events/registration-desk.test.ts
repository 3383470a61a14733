import { expect, test } from "vitest";
import { RegistrationDesk, type DeskLimits, type Refusal } from "./registration-desk.ts";

const usual: DeskLimits = {
  concurrency: 1,
  maxTurnsPerGroup: 9,
  maxWaitingPerOwner: 2,
  maxWaiting: 4,
  maxWaitSeconds: 60,
};
const never = (): void => undefined;

/** A desk at which members are names, and one of them has the only turn. */
async function busyDesk(limits: Partial<DeskLimits> = {}, random?: () => number) {
  const desk = new RegistrationDesk<string>({ ...usual, ...limits }, random);
  const refusals: Refusal[] = [];
  desk.onRefusal = (reason) => refusals.push(reason);
  const arrive = (
    member: string,
    {
      owner = member,
      group = 1,
      onClose = never,
    }: { owner?: string; group?: number; onClose?: (gone: () => void) => void } = {},
  ) => desk.admit({ member, owner, group }, onClose);
  const first = await arrive("first");
  if (!first) throw new Error("the first has a turn");
  return { desk, arrive, refusals, first };
}

const refusalOf = (arrival: Promise<unknown>) =>
  arrival.then(
    () => undefined,
    (error: unknown) => error,
  );

test("a turn serves those of its group who waited when it began, and nobody who came later", async () => {
  const { desk, arrive, first } = await busyDesk();
  const [one, other, foreign] = [arrive("one"), arrive("other"), arrive("foreign", { group: 2 })];

  expect(first.next()).toBeUndefined();
  first.end();
  const turn = await one;
  const late = arrive("late");

  expect(turn?.next()).toBe("other");
  expect(await other).toBeUndefined();
  expect(turn?.next()).toBeUndefined();
  expect(desk.waiting).toBe(2);
  turn?.end();
  (await foreign)?.end();
  (await late)?.end();
  expect([desk.waiting, desk.running]).toEqual([0, 0]);
});

test("a turn serves one of each owner, so that a flood shares no turn with itself", async () => {
  const { arrive, first } = await busyDesk();
  const [one, again, other] = [arrive("one", { owner: "flood" }), arrive("again", { owner: "flood" }), arrive("other")];

  first.end();
  const turn = await one;

  expect(turn?.next()).toBe("other");
  expect(await other).toBeUndefined();
  expect(turn?.next()).toBeUndefined();
  turn?.end();
  (await again)?.end();
});

test("a group has few turns at once, and takes none from other groups", async () => {
  const { desk, arrive, first } = await busyDesk({ concurrency: 3, maxTurnsPerGroup: 2 });
  const second = await arrive("second");
  const third = arrive("third");
  const foreign = await arrive("foreign", { group: 2 });

  expect([desk.running, desk.waiting]).toEqual([3, 1]);
  foreign?.end();
  expect([desk.running, desk.waiting]).toEqual([2, 1]);
  first.end();
  (await third)?.end();
  second?.end();

  expect([desk.running, desk.waiting]).toEqual([0, 0]);
});

test("accounts take turns", async () => {
  const { arrive, first } = await busyDesk();
  const order: string[] = [];
  const follow = async (name: string, owner: string, group: number) => {
    const turn = await arrive(name, { owner, group });
    order.push(name);
    turn?.end();
  };
  const all = [follow("a1", "a", 1), follow("a2", "a", 2), follow("b1", "b", 3)];

  first.end();
  await Promise.all(all);

  expect(order).toEqual(["a1", "b1", "a2"]);
});

test("who finds too many waiting is refused in the form of a rate limit", async () => {
  const { arrive, refusals } = await busyDesk();
  const wait = (name: string, owner: string) => void refusalOf(arrive(name, { owner }));
  wait("a1", "a");
  wait("a2", "a");
  const third = await refusalOf(arrive("a3", { owner: "a" }));
  wait("b1", "b");
  wait("b2", "b");
  const fifth = await refusalOf(arrive("c1", { owner: "c" }));

  for (const refusal of [third, fifth]) {
    expect(refusal).toMatchObject({ status: 429, code: "RATE_LIMIT_HIT", message: "API usage exceeded rate limit" });
    const { data, headers } = refusal as { data: Record<string, unknown>; headers: Record<string, string> };
    expect(headers["Retry-After"]).toBe(String(data["retry-after"]));
  }
  expect(refusals).toEqual(["account", "full"]);
});

test("who has waited too long is refused and forgotten", async () => {
  const { desk, arrive, refusals, first } = await busyDesk({ maxWaitSeconds: 0.01 });

  expect(await refusalOf(arrive("patient"))).toMatchObject({ status: 429 });

  expect(refusals).toEqual(["timeout"]);
  first.end();
  expect([desk.waiting, desk.running]).toEqual([0, 0]);
});

test("a client that disconnects leaves nothing behind, whether it waits or not", async () => {
  const { desk, arrive, refusals, first } = await busyDesk();
  let goAway = never;
  const waiting = refusalOf(arrive("impatient", { onClose: (gone) => (goAway = gone) }));
  const next = arrive("next");

  goAway();
  expect(await waiting).toMatchObject({ status: 499 });
  goAway();
  expect(desk.waiting).toBe(1);
  first.end();
  (await next)?.end();

  expect(refusals).toEqual([]);
  expect([desk.waiting, desk.running]).toEqual([0, 0]);
});

test("those who are refused come back one after another, as fast as they are served", async () => {
  const { arrive } = await busyDesk({ maxWaiting: 0 }, () => 0.5);
  const retryAfter = async (): Promise<number> => {
    const refusal = (await refusalOf(arrive("refused"))) as { data: Record<string, number> };
    return refusal.data["retry-after"] ?? 0;
  };
  const seconds: number[] = [];
  for (let refused = 0; refused < 10_000; refused++) seconds.push(await retryAfter());

  const within = (from: number, to: number): number => seconds.filter((one) => one >= from && one < to).length;
  expect(seconds[0]).toBe(1);
  expect(seconds.slice(0, 3000)).toEqual(seconds.slice(0, 3000).toSorted((one, other) => one - other));
  // 50 a second are served, and enough have to wait.
  expect([within(10, 20), within(30, 40)].map((count) => Math.round(count / 10) * 10)).toEqual([1250, 1250]);
  // Those for whom there is no time left within a minute.
  expect(seconds.at(-1)).toBe(45);
});

test("an account with too many requests delays the return of nobody else", async () => {
  const { arrive } = await busyDesk({ maxWaitingPerOwner: 0 }, () => 0.5);
  for (let refused = 0; refused < 1000; refused++) await refusalOf(arrive("flood"));
  expect(await refusalOf(arrive("flood"))).toMatchObject({ data: { "retry-after": 1 } });
});
