import type { ArgumentsOf } from "@skein/api/client.ts";
import * as api from "@skein/api/profile-fields.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { getOwnUser, getUser, getUsers, updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

const make = async (realm: TestRealm, field: ArgumentsOf<typeof api.createProfileField>): Promise<number> =>
  success(await realm.admin.call(api.createProfileField, field)).id;

const list = async (realm: TestRealm) => success(await realm.admin.call(api.getProfileFields, {})).custom_fields;

test("every type of field is created, listed in order, and sent to everyone including guests", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register(["custom_profile_fields"], ["custom_profile_fields"]);
  const choices = { vim: { text: "Vim", order: "1" } };

  const ids = [
    await make(realm, { field_type: 1, name: "Phone", hint: "With the prefix", required: true }),
    await make(realm, { field_type: 2, name: "Biography", editable_by_user: false }),
    await make(realm, { field_type: 3, name: "Editor", field_data: choices, display_in_profile_summary: true }),
    await make(realm, { field_type: 4, name: "Birthday" }),
    await make(realm, { field_type: 5, name: "Homepage" }),
    await make(realm, { field_type: 6, name: "Mentor" }),
    await make(realm, { field_type: 7, field_data: { subtype: "github" } }),
    await make(realm, { field_type: 8, name: "Pronouns" }),
  ];

  const fields = await list(realm);
  expect(fields.map(({ id, type, order }) => [id, type, order])).toEqual(
    ids.map((id, index) => [id, index + 1, index + 1]),
  );
  expect(fields.slice(0, 3)).toEqual([
    {
      id: ids[0],
      type: 1,
      order: 1,
      name: "Phone",
      hint: "With the prefix",
      field_data: "",
      required: true,
      editable_by_user: true,
    },
    {
      id: ids[1],
      type: 2,
      order: 2,
      name: "Biography",
      hint: "",
      field_data: "",
      required: false,
      editable_by_user: false,
    },
    {
      id: ids[2],
      type: 3,
      order: 3,
      name: "Editor",
      hint: "",
      field_data: JSON.stringify(choices),
      display_in_profile_summary: true,
      required: false,
      editable_by_user: true,
    },
  ]);
  expect(fields[6]).toMatchObject({ name: "GitHub", field_data: '{"subtype":"github"}' });
  expect(queue.state.custom_profile_fields).toEqual([]);
  expect(Object.values(queue.state.custom_profile_field_types ?? {}).map(({ id }) => id)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8,
  ]);
  for (let count = 1; count < 8; count++) await queue.next();
  expect(await queue.next()).toEqual({ type: "custom_profile_fields", fields });
});

test("only administrators change fields, and only those of their own organization", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const field_id = await make(realm, { field_type: 1, name: "Phone" });

  for (const role of [300, 400, 600] as const) {
    const actor = await realm.user("actor", { role });
    const responses = [
      await actor.call(api.createProfileField, { field_type: 1, name: "Other" }),
      await actor.call(api.updateProfileField, { field_id, name: "Other" }),
      await actor.call(api.removeProfileField, { field_id }),
      await actor.call(api.reorderProfileFields, { order: [field_id] }),
    ];
    for (const response of responses) expect(response).toEqual(refusal("Must be an organization administrator"));
    expect(success(await actor.call(api.getProfileFields, {})).custom_fields).toHaveLength(1);
  }
  const notFound = refusal(`Field id ${field_id} not found.`);
  expect(await elsewhere.admin.call(api.updateProfileField, { field_id, name: "Other" })).toEqual(notFound);
  expect(await elsewhere.admin.call(api.removeProfileField, { field_id })).toEqual(notFound);
  expect(await elsewhere.admin.call(api.updateOwnProfile, { data: [{ id: field_id, value: "x" }] })).toEqual(notFound);
  expect(await list(elsewhere)).toEqual([]);
});

test.for([
  [{ field_type: 1, name: " " }, "Label cannot be blank."],
  [{ field_type: 1 }, "Label cannot be blank."],
  [{ field_type: 1, name: "x".repeat(41) }, "name is too long (limit: 40 characters)"],
  [{ field_type: 1, name: "Other", hint: "x".repeat(81) }, "hint is too long (limit: 80 characters)"],
  [{ field_type: 1, name: "Taken" }, "A field with that label already exists."],
  [{ field_type: 3, name: "Other" }, "Field must have at least one choice."],
  [
    { field_type: 2, name: "Other", display_in_profile_summary: true },
    "Field type not supported for display in profile summary.",
  ],
] as const)("no field is created with %j", async ([given, msg]) => {
  const realm = await newRealm();
  await make(realm, { field_type: 1, name: "Taken" });

  expect(await realm.admin.call(api.createProfileField, given)).toEqual(refusal(msg));
  expect(await realm.admin.request("POST", "/realm/profile_fields", { field_type: "9", name: "Other" })).toEqual(
    refusal("Invalid field_type"),
  );
});

test("one of many concurrent creations of a field succeeds, and the summary has at most two fields", async () => {
  const realm = await newRealm();
  const field = { field_type: 1, name: "Phone" } as const;

  const same = await Promise.all(Array.from({ length: 4 }, () => realm.admin.call(api.createProfileField, field)));
  const summary = await Promise.all(
    ["A", "B", "C", "D"].map((name) =>
      realm.admin.call(api.createProfileField, { field_type: 1, name, display_in_profile_summary: true }),
    ),
  );

  expect(same.filter((response) => response.result === "success")).toHaveLength(1);
  expect(summary.filter((response) => response.result === "success")).toHaveLength(2);
  expect(summary.find((response) => response.result === "error")).toEqual(
    refusal("Only 2 custom profile fields can be displayed in the profile summary."),
  );
});

test("a new order of fields must list all of them", async () => {
  const realm = await newRealm();
  const ids = [
    await make(realm, { field_type: 1, name: "A" }),
    await make(realm, { field_type: 1, name: "B" }),
    await make(realm, { field_type: 1, name: "C" }),
  ];

  const [a = 0, b = 0, c = 0] = ids;
  for (const order of [
    [a, b],
    [a, b, b],
    [a, b, c, 999_999_999],
  ])
    expect(await realm.admin.call(api.reorderProfileFields, { order })).toEqual(refusal("Invalid order mapping."));
  success(await realm.admin.call(api.reorderProfileFields, { order: [c, a, b] }));

  expect((await list(realm)).map(({ name }) => name)).toEqual(["C", "A", "B"]);
});

test("a field for a known type of account keeps its name", async () => {
  const realm = await newRealm();
  const field_id = await make(realm, { field_type: 7, field_data: { subtype: "github" } });

  expect(await realm.admin.call(api.updateProfileField, { field_id, name: "Code" })).toEqual(
    refusal("Default custom field cannot be updated."),
  );
  success(await realm.admin.call(api.updateProfileField, { field_id, required: true }));
  expect(await list(realm)).toMatchObject([{ name: "GitHub", required: true }]);
});

// spec 2.4: profile_data, value, rendered_value
// spec 4.17: include_custom_profile_fields
// spec 4.22: include_custom_profile_fields
test("users fill in their own profile, which others see on request", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const likes = await make(realm, { field_type: 1, name: "Likes" });
  const mentor = await make(realm, { field_type: 6, name: "Mentor" });
  const data = [
    { id: likes, value: "*tea* <b>" },
    { id: mentor, value: [guest.id] },
  ];

  success(await hamlet.call(api.updateOwnProfile, { data }));

  const profile_data = {
    [likes]: { value: "*tea* <b>", rendered_value: "<p><em>tea</em> &lt;b&gt;</p>" },
    [mentor]: { value: `[${guest.id}]` },
  };
  const asked = { user_id: hamlet.id, include_custom_profile_fields: true };
  expect(success(await guest.call(getUser, asked)).user.profile_data).toEqual(profile_data);
  expect(success(await hamlet.call(getOwnUser, {})).profile_data).toEqual(profile_data);
  const { members } = success(await guest.call(getUsers, { include_custom_profile_fields: true }));
  expect(members.find((member) => member.user_id === hamlet.id)?.profile_data).toEqual(profile_data);
  const without = success(await guest.call(getUser, { user_id: hamlet.id }));
  expect(without.user).not.toHaveProperty("profile_data");
});

test("an invalid value fails the whole request", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const id = await make(realm, { field_type: 1, name: "Likes" });
  const closed = await make(realm, { field_type: 1, name: "Badge", editable_by_user: false });
  const mentor = await make(realm, { field_type: 6, name: "Mentor" });
  const fill = (...data: { id: number; value: string | number[] }[]) =>
    hamlet.call(api.updateOwnProfile, { data: [{ id, value: "tea" }, ...data] });

  expect(await fill({ id: closed, value: "7" })).toEqual(
    refusal("You are not allowed to change this field. Contact an administrator to update it."),
  );
  expect(await fill({ id: 999_999_999, value: "x" })).toEqual(refusal("Field id 999999999 not found."));
  expect(await fill({ id: mentor, value: [999_999_999] })).toEqual(refusal("Invalid user ID: 999999999"));
  expect(await hamlet.call(api.removeOwnProfile, { data: [closed] })).toMatchObject({ result: "error" });
  expect(success(await hamlet.call(getOwnUser, {})).profile_data).toEqual({});
  success(await realm.admin.call(updateUser, { user_id: hamlet.id, profile_data: [{ id: closed, value: "7" }] }));
  expect(success(await hamlet.call(getOwnUser, {})).profile_data).toMatchObject({ [closed]: { value: "7" } });
});

test("a client that applied the events has the same fields and profiles as a fresh registration", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const parts = ["realm_user", "custom_profile_fields"];
  const queue = await guest.register(undefined, parts);
  const choices = { vim: { text: "Vim", order: "1" }, ed: { text: "ed", order: "2" } };

  const likes = await make(realm, { field_type: 1, name: "Likes" });
  const editor = await make(realm, { field_type: 3, name: "Editor", field_data: choices });
  const gone = await make(realm, { field_type: 1, name: "Gone" });
  for (const person of [hamlet, guest])
    success(
      await person.call(api.updateOwnProfile, {
        data: [
          { id: likes, value: "tea" },
          { id: editor, value: person === hamlet ? "vim" : "ed" },
          { id: gone, value: "soon" },
        ],
      }),
    );
  success(await hamlet.call(api.removeOwnProfile, { data: [likes] }));
  success(await realm.admin.call(api.updateProfileField, { field_id: editor, field_data: { ed: choices.ed } }));
  success(await realm.admin.call(api.removeProfileField, { field_id: gone }));
  success(await realm.admin.call(api.reorderProfileFields, { order: [editor, likes] }));

  const fresh = await guest.register([], parts);
  const { id } = success(await guest.call(sendMessage, { type: "direct", to: [guest.id], content: "end" }));
  const followed = await queue.followedState(id);
  expect(followed.custom_profile_fields).toEqual(fresh.state.custom_profile_fields);
  expect(followed.realm_users).toEqual(fresh.state.realm_users);
  const own = fresh.state.realm_users?.find((user) => user.user_id === hamlet.id);
  expect(own?.profile_data).toEqual({});
});
