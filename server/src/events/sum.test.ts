/**
 * State + events = the state of a fresh registration, whatever happened in between: random sequences of everything the
 * API offers, by people of every role, on two nodes in turn, followed by clients of different ages that came at
 * different moments.
 *
 * A failure names its seed. `SUM_SEED=7 SUM_EVERY_STEP=yes` repeats that sequence and compares after every step, so
 * that the call that made the difference is the last one shown. `SUM_SEQUENCES=100` tries more seeds.
 */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { endpoints } from "@skein/api/all.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { expect, test } from "vitest";
import { success } from "../../test/realm.ts";
import { channelActions } from "../../test/sum/channel-actions.ts";
import { readContents } from "../../test/sum/contents.ts";
import { Draw } from "../../test/sum/draw.ts";
import { Follower, kindsOfClients } from "../../test/sum/follower.ts";
import { messageActions } from "../../test/sum/message-actions.ts";
import { newOrganization, type Organization } from "../../test/sum/organization.ts";
import { organizationActions } from "../../test/sum/organization-actions.ts";
import { peopleActions } from "../../test/sum/people-actions.ts";
import { personalActions } from "../../test/sum/personal-actions.ts";
import { Random } from "../../test/sum/random.ts";

/** Channels twice: most rules are about them. */
const actions = [
  ...channelActions,
  ...channelActions,
  ...messageActions,
  ...peopleActions,
  ...personalActions,
  ...organizationActions,
];

const onlySeed = process.env["SUM_SEED"];
const sequences = onlySeed === undefined ? Number(process.env["SUM_SEQUENCES"] ?? 6) : 1;
const firstSeed = Number(onlySeed ?? 1);
const checksEveryStep = process.env["SUM_EVERY_STEP"] !== undefined;
const stepsPerSequence = 200;
const chanceOfRegistration = 0.1;

/** Calls that change something and are in no sequence. */
const leftOut: Record<string, string> = {
  "register-queue": "what begins to follow",
  "delete-queue": "what ends it",
  "render-message": "changes nothing",
  "fetch-api-key": "tells nobody anything",
  "fetch-own-api-key": "tells nobody anything",
  "jwt-fetch-api-key": "refused; tells nobody anything",
  "add-apns-token": "devices are in no state",
  "remove-apns-token": "devices are in no state",
  "add-fcm-token": "devices are in no state",
  "remove-fcm-token": "devices are in no state",
  "add-web-push-subscription": "devices are in no state",
  "remove-web-push-subscription": "devices are in no state",
  "test-notify": "changes nothing",
  "test-web-push": "changes nothing",
  "regenerate-api-key": "would lock those out who act; tells nobody anything",
  "deactivate-own-user": "would lock those out who act; the same as deactivating a user",
  "deactivate-realm": "would end the sequence",
  "update-presence": "told now and then only",
  "export-realm": "in no state",
  "delete-realm-export": "in no state",
  "create-zoom-call": "refused",
  "dev-fetch-api-key": "refused; tells nobody anything",
  "set-typing-status": "in no state",
  "set-typing-status-for-message-edit": "in no state",
};

test("every call that changes something is tried, or it is said why not", () => {
  const changing = endpoints.filter(({ method }) => method !== "GET").map(({ operation }) => operation);
  const tried = actions.map(({ endpoint }) => endpoint.operation);

  expect([...new Set([...tried, ...Object.keys(leftOut)])].toSorted()).toEqual(changing.toSorted());
});

/** A name the organization has had from a moment on that everybody's events tell of. */
async function mark({ realm }: Organization): Promise<string> {
  const name = `mark ${randomUUID()}`.slice(0, 40);
  success(await realm.admin.call(updateRealm, { name }));
  return name;
}

/** What differs, follower by follower: empty twice when nothing does. */
interface Difference {
  followed: object[];
  fresh: object[];
}

/** Every follower's state beside that of one who begins now. */
async function compare(organization: Organization, followers: Follower[]): Promise<Difference> {
  const late: Follower[] = [];
  for (const follower of followers) late.push(await follower.again());
  const now = await mark(organization);
  const [followed, fresh]: [object[], object[]] = [[], []];
  for (const [index, follower] of followers.entries()) {
    const who = `${follower.user.fullName}, a client ${follower.kind}`;
    const [state, freshState] = [await follower.stateAt(now), (await late[index]?.stateAt(now)) ?? {}];
    const differing = [...new Set([...Object.keys(state), ...Object.keys(freshState)])].filter(
      (field) => !isDeepStrictEqual(state[field], freshState[field]),
    );
    if (differing.length === 0) continue;
    followed.push({ who, ...only(state, differing) });
    fresh.push({ who, ...only(freshState, differing) });
  }
  for (const follower of late) await follower.end();
  return { followed, fresh };
}

const only = (state: Record<string, unknown>, fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, state[field]]));

async function play(seed: number): Promise<Difference & { story: string }> {
  const random = new Random(seed);
  const organization = await newOrganization();
  const { realm, cast } = organization;
  const castIds = new Set(cast.map(({ id }) => id));
  const followers: Follower[] = [];
  const begin = async () => {
    const [user, kind] = [random.oneOf(cast), random.oneOf(kindsOfClients)];
    if (user && kind) followers.push(await Follower.begin(user, kind));
  };
  const story = [`seed ${seed}`];
  for (let step = 0; step < stepsPerSequence; step++) {
    // Owners and administrators may do most, so they do most.
    const actor = random.chance(0.5) ? cast[random.below(2)] : random.oneOf(cast);
    const action = random.oneOf(actions);
    if (!actor || !action) throw new Error("there are people and actions");
    const draw = new Draw(random, await readContents(realm), actor, castIds);
    const comes = random.chance(chanceOfRegistration);
    const [{ params, answer }] = await Promise.all([action.take(draw), comes ? begin() : undefined]);
    const outcome = answer["result"] === "success" ? "done" : String(answer["msg"]);
    story.push(`${actor.fullName}: ${action.endpoint.operation} ${JSON.stringify(params)}: ${outcome}`);
    if (!checksEveryStep || outcome !== "done") continue;
    const difference = await compare(organization, followers);
    if (difference.followed.length > 0) return { ...difference, story: story.join("\n") };
  }
  return { ...(await compare(organization, followers)), story: story.join("\n") };
}

test("state and events make the state of a fresh registration", { timeout: (sequences + 1) * 120_000 }, async () => {
  for (let seed = firstSeed; seed < firstSeed + sequences; seed++) {
    const { followed, fresh, story } = await play(seed);
    expect(followed, story).toEqual(fresh);
  }
});
