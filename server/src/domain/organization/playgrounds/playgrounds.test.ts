import { addPlayground, maxPlaygrounds, removePlayground } from "@skein/api/playgrounds.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { newRealm, success } from "../../../../test/realm.ts";
import { channelOf, sendToChannel } from "../../../../test/actions.ts";

const python = { name: "Scratch pad", pygments_language: "Python", url_template: "https://py.example.com/?c={code}" };

test("everyone in the organization, and nobody else, receives events about added and removed playgrounds", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register(["realm_playgrounds"], ["realm_playgrounds"]);
  const stranger = await elsewhere.admin.register(["realm_playgrounds", "stream"]);
  expect(queue.state.realm_playgrounds).toEqual([]);

  const { id } = success(
    await realm.admin.call(addPlayground, {
      ...python,
      name: " Scratch pad ",
      url_template: ` ${python.url_template}`,
    }),
  );
  const event = { type: "realm_playgrounds", realm_playgrounds: [{ id, ...python }] };
  expect(await queue.next()).toEqual(event);
  success(await realm.admin.call(removePlayground, { playground_id: id }));
  expect(await queue.next()).toEqual({ ...event, realm_playgrounds: [] });

  expect(await eventsUntilNow(elsewhere, [stranger])).toEqual([[]]);
});

test("a client that applied the events has the same playgrounds as a fresh registration", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const channel = await channelOf([admin], "open");
  const queue = await admin.register(["realm_playgrounds", "message"], ["realm_playgrounds"]);

  const { id } = success(await admin.call(addPlayground, python));
  success(await admin.call(addPlayground, { ...python, name: "Another" }));
  success(await admin.call(removePlayground, { playground_id: id }));
  const followed = await queue.followedState(await sendToChannel(admin, channel));

  const { state } = await admin.register([], ["realm_playgrounds"]);
  expect(state.realm_playgrounds).toMatchObject([{ name: "Another" }]);
  expect(followed.realm_playgrounds).toEqual(state.realm_playgrounds);
});

test("only administrators change playgrounds, and only those of their own organization", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const moderator = await realm.user("moderator", { role: 300 });
  const { id } = success(await realm.admin.call(addPlayground, python));
  const refusal = { code: "BAD_REQUEST", msg: "Must be an organization administrator" };

  expect(await moderator.call(addPlayground, python)).toMatchObject(refusal);
  expect(await moderator.call(removePlayground, { playground_id: id })).toMatchObject(refusal);
  expect(await elsewhere.admin.call(removePlayground, { playground_id: id })).toMatchObject({
    msg: "Invalid playground",
  });
  success(await realm.admin.call(removePlayground, { playground_id: id }));
  expect(await realm.admin.call(removePlayground, { playground_id: id })).toMatchObject({ msg: "Invalid playground" });
});

test.each([
  [{ name: " " }, "This field cannot be blank."],
  [{ pygments_language: "" }, "Invalid characters in pygments language"],
  [{ pygments_language: "py<thon>" }, "Invalid characters in pygments language"],
  [{ url_template: "" }, "This field cannot be blank."],
  [{ url_template: "https://example.com/{code" }, "Invalid URL template."],
  [{ url_template: "javascript:{code}" }, "Invalid URL template."],
  [{ url_template: "{+code}" }, "Invalid URL template."],
  [{ url_template: "https://example.com/" }, 'Missing the required variable "code" in the URL template'],
  [
    { url_template: "https://example.com/{code}/{tab}" },
    '"code" should be the only variable present in the URL template',
  ],
])("a playground with %j is refused", async (wrong, msg) => {
  const realm = await newRealm();

  expect(await realm.admin.call(addPlayground, { ...python, ...wrong })).toEqual({
    result: "error",
    code: "BAD_REQUEST",
    msg,
    errors: { [Object.keys(wrong)[0] ?? ""]: [msg] },
  });
});

test("of many who add the same playground at once, exactly one succeeds", async () => {
  const realm = await newRealm();

  const responses = await Promise.all(Array.from({ length: 6 }, () => realm.admin.call(addPlayground, python)));

  expect(responses.filter((response) => response.result === "success")).toHaveLength(1);
  expect(responses.find((response) => response.result === "error")).toMatchObject({
    msg: "Realm playground with this Realm, Pygments language and Name already exists.",
  });
});

test("the number of playgrounds in an organization is limited", async () => {
  const realm = await newRealm();
  await realm.ctx.db
    .insertInto("realm_playgrounds")
    .values(
      Array.from({ length: maxPlaygrounds }, (_, n) => ({
        realm_id: realm.id,
        name: `p${n}`,
        pygments_language: "Python",
        url_template: "https://example.org/{code}",
      })),
    )
    .execute();

  const one = { name: "more", pygments_language: "Python", url_template: "https://example.org/{code}" };

  expect(await realm.admin.call(addPlayground, one)).toMatchObject({
    msg: "An organization cannot have more than 200 code playgrounds.",
  });
});
