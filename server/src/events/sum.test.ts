/**
 * State + events = the state of a new registration, whatever happened in between. Users of every role make random sequences
 * of all API calls, alternating between two nodes, while old and new clients register at different times and follow.
 *
 * A failure names its seed. `SUM_SEED=7 SUM_EVERY_STEP=yes` repeats that sequence and compares after every step, so
 * that the call that caused the difference is the last one shown. `SUM_SEQUENCES=100` tries more seeds.
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

/** Channel actions are listed twice, because most rules concern channels. */
const actions = [
  ...channelActions,
  ...channelActions,
  ...messageActions,
  ...peopleActions,
  ...personalActions,
  ...organizationActions,
];

const onlySeed = process.env["SUM_SEED"];
const sequences = onlySeed === undefined ? Number(process.env["SUM_SEQUENCES"] ?? 4) : 1;
const firstSeed = Number(onlySeed ?? 1);
const checksEveryStep = process.env["SUM_EVERY_STEP"] !== undefined;
const stepsPerSequence = 200;
const registrationProbability = 0.1;

/** Calls that change something but are not part of the sequences, with the reason. */
const leftOut: Record<string, string> = {
  "register-queue": "followers use it themselves",
  "delete-queue": "followers use it themselves",
  "render-message": "changes nothing",
  "test-welcome-bot-custom-message": "sends a direct message, as send-message does",
  "fetch-api-key": "keys are not part of the state",
  "fetch-own-api-key": "keys are not part of the state",
  "create-api-key": "keys are not part of the state",
  "update-api-key": "keys are not part of the state",
  "delete-api-key": "keys are not part of the state",
  "delete-user-api-key": "keys are not part of the state",
  "confirm-session": "emits no event",
  "delete-session": "emits no event",
  "delete-other-sessions": "emits no event",
  "delete-user-session": "emits no event",
  "create-audit-destination": "deliveries are not part of the state",
  "update-audit-destination": "deliveries are not part of the state",
  "delete-audit-destination": "deliveries are not part of the state",
  "start-totp": "second factors are not part of the state",
  "confirm-totp": "second factors are not part of the state",
  "remove-totp": "second factors are not part of the state",
  "regenerate-recovery-codes": "second factors are not part of the state",
  "start-passkey": "second factors are not part of the state",
  "add-passkey": "second factors are not part of the state",
  "update-passkey": "second factors are not part of the state",
  "remove-passkey": "second factors are not part of the state",
  "reset-second-factors": "second factors are not part of the state",
  "create-identity-provider": "emits no event",
  "update-identity-provider": "emits no event",
  "delete-identity-provider": "emits no event",
  "test-identity-provider": "changes nothing",
  "sync-identity-provider": "workers do it later",
  "create-scim-token": "emits no event",
  "delete-scim-token": "emits no event",
  "update-scim-settings": "emits no event",
  "jwt-fetch-api-key": "rejected; emits no event",
  "add-apns-token": "devices are not part of the state",
  "remove-apns-token": "devices are not part of the state",
  "add-fcm-token": "devices are not part of the state",
  "remove-fcm-token": "devices are not part of the state",
  "add-web-push-subscription": "devices are not part of the state",
  "remove-web-push-subscription": "devices are not part of the state",
  "create-realm-import": "not part of the state",
  "inspect-realm-import": "not part of the state",
  "update-realm-import-plan": "not part of the state",
  "run-realm-import": "not part of the state",
  "cancel-realm-import": "not part of the state",
  "test-notify": "changes nothing",
  "test-web-push": "changes nothing",
  "regenerate-api-key": "would lock out an actor; emits no event",
  "deactivate-own-user": "would lock out an actor; the same as deactivating a user",
  "deactivate-realm": "would end the sequence",
  "update-presence": "emits events only occasionally",
  "export-realm": "not part of the state",
  "delete-realm-export": "not part of the state",
  "create-zoom-call": "rejected",
  "create-constructor-groups-call": "rejected",
  "create-nextcloud-talk-call": "rejected",
  "dev-fetch-api-key": "rejected; emits no event",
  "set-typing-status": "not part of the state",
  "set-typing-status-for-message-edit": "not part of the state",
};

test("every call that changes something is tried, or there is a reason why not", () => {
  const changing = endpoints.filter(({ method }) => method !== "GET").map(({ operation }) => operation);
  const tried = actions.map(({ endpoint }) => endpoint.operation);

  expect([...new Set([...tried, ...Object.keys(leftOut)])].toSorted()).toEqual(changing.toSorted());
});

/** Renames the organization: the event reaches everyone, and marks a point in every queue. */
async function mark({ realm }: Organization): Promise<string> {
  const name = `mark ${randomUUID()}`.slice(0, 40);
  success(await realm.admin.call(updateRealm, { name }));
  return name;
}

/** The differing fields of each follower; both lists are empty if nothing differs. */
interface Difference {
  followed: object[];
  fresh: object[];
}

/** Compares every follower's state with that of a new registration. */
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
    // Owners and administrators act more often, because they have the most permissions.
    const actor = random.chance(0.5) ? cast[random.below(2)] : random.oneOf(cast);
    const action = random.oneOf(actions);
    if (!actor || !action) throw new Error("there are people and actions");
    const draw = new Draw(random, await readContents(realm), actor, castIds);
    const mustRegister = random.chance(registrationProbability);
    const [{ params, answer }] = await Promise.all([action.take(draw), mustRegister ? begin() : undefined]);
    const outcome = answer["result"] === "success" ? "done" : String(answer["msg"]);
    story.push(`${actor.fullName}: ${action.endpoint.operation} ${JSON.stringify(params)}: ${outcome}`);
    if (!checksEveryStep || outcome !== "done") continue;
    const difference = await compare(organization, followers);
    if (difference.followed.length > 0) return { ...difference, story: story.join("\n") };
  }
  return { ...(await compare(organization, followers)), story: story.join("\n") };
}

test("state plus events equals the state of a new registration", { timeout: (sequences + 1) * 120_000 }, async () => {
  for (let seed = firstSeed; seed < firstSeed + sequences; seed++) {
    const { followed, fresh, story } = await play(seed);
    expect(followed, story).toEqual(fresh);
  }
});
