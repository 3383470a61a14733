import { devFetchApiKey, devListUsers } from "@skein/api/development.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { deactivateUser, getOwnUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { startNode } from "../../../test/nodes.ts";
import { newRealm, success } from "../../../test/realm.ts";

test("a production server hands out no keys and lists no users", async () => {
  const realm = await newRealm();
  const [node] = realm.nodes;
  const anybody = node && realm.client(node);
  const refused = { result: "error", code: "BAD_REQUEST", msg: "Endpoint not available in production." };

  expect(await anybody?.call(devFetchApiKey, { username: realm.admin.email })).toEqual(refused);
  expect(await anybody?.call(devListUsers, {})).toEqual(refused);
  const { state } = await realm.admin.register([], ["realm"]);
  expect(state.development_environment).toBe(false);
});

test("a development server signs in to any account of an organization by its name", async () => {
  const node = await startNode({ environment: { SKEIN_DEVELOPMENT: "true", SKEIN_ROLES: "api" } });
  const [realm, elsewhere] = [await newRealm([node]), await newRealm([node])];
  const [hamlet, gone] = [await realm.user("hamlet"), await realm.user("gone")];
  success(await realm.admin.call(deactivateUser, { user_id: gone.id }));
  const anybody = realm.client(node);

  const listed = success(await anybody.call(devListUsers, {}));
  const { api_key, email, user_id } = success(
    await anybody.call(devFetchApiKey, { username: hamlet.email.toUpperCase() }),
  );

  expect(listed.direct_admins.map((person) => person.email)).toEqual([realm.admin.email]);
  expect(listed.direct_users.map((person) => person.email)).toEqual([hamlet.email]);
  expect({ email, user_id }).toEqual({ email: hamlet.email, user_id: hamlet.id });
  expect(success(await realm.client(node, { email, apiKey: api_key }).call(getOwnUser, {})).user_id).toBe(hamlet.id);
  for (const username of [elsewhere.admin.email, gone.email, "nobody@example.com"])
    expect(await anybody.call(devFetchApiKey, { username })).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  expect(success(await anybody.call(getServerSettings, {})).authentication_methods.dev).toBe(true);
  expect((await hamlet.register([], ["realm"])).state.development_environment).toBe(true);
});
