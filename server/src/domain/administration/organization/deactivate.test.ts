import { fetchApiKey } from "@skein/api/authentication.ts";
import { deactivateRealm } from "@skein/api/realm-settings.ts";
import { getEvents } from "@skein/api/registration.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";

test("an owner deactivates the organization, and nobody can sign in on any node", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const [administrator, hamlet] = [await realm.user("administrator", { role: 200 }), await realm.user("hamlet")];
  success(await hamlet.on(1).call(getOwnUser, {}));
  const queue = await hamlet.register(["realm"]);
  const read = { queue_id: queue.id, last_event_id: queue.lastEventId };
  const waiting = hamlet.on(1).call(getEvents, read);

  expect(await administrator.call(deactivateRealm, {})).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Must be an organization owner",
  });
  success(await realm.admin.on(0).call(deactivateRealm, {}));

  const refused = { result: "error", code: "UNAUTHORIZED" };
  expect(await hamlet.on(1).call(getOwnUser, {})).toMatchObject(refused);
  expect(await hamlet.on(1).call(getEvents, read)).toMatchObject(refused);
  expect(success(await waiting).events).toMatchObject([{ type: "realm", op: "deactivated", realm_id: realm.id }]);
  expect(await realm.admin.call(fetchApiKey, { username: hamlet.email, password: "secret" })).toMatchObject({
    code: "REALM_DEACTIVATED",
    msg: "This organization is deactivated",
  });
  success(await elsewhere.admin.call(getOwnUser, {}));
});
