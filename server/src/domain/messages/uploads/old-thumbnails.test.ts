import { expect, test } from "vitest";
import { fetchAs, uploadAs } from "../../../../test/files.ts";
import { newRealm } from "../../../../test/realm.ts";
import { picture } from "../../../../test/sum/picture.ts";

test("the former URL of a thumbnail redirects to the current one, for users with access", async () => {
  const realm = await newRealm();
  const stranger = await realm.user("stranger");
  const url = await uploadAs(realm.admin, { name: "a.png", content: picture });
  const lead = async (size: string) => {
    const query = new URLSearchParams({ url: url.slice(1), size }).toString();
    return (await fetchAs(realm.admin, `/thumbnail?${query}`)).headers.get("location") ?? "";
  };

  expect(await lead("full")).toBe(url);
  const small = await lead("thumbnail");
  expect((await fetchAs(realm.admin, small)).headers.get("content-type")).toBe("image/webp");
  expect((await fetchAs(stranger, small)).status).toBe(404);
});

test.each([
  "url=https%3A%2F%2Fexample.com%2Fa.png&size=full",
  "url=%2F%2Fexample.com%2Fuser_uploads%2F1%2Fa&size=full",
  "url=user_uploads%2F1%2F..%2F..%2Fa&size=thumbnail%0d",
  "url=user_uploads%2F1%2Fa%0d%0aX%3A+y&size=full",
  "url=user_uploads%2F1%2Fa.png&size=huge",
  "",
])("it redirects nowhere else: %s", async (query) => {
  const realm = await newRealm();

  const answer = await fetchAs(realm.admin, `/thumbnail?${query}`);

  expect([answer.status, answer.headers.get("location")]).toEqual([403, null]);
});
