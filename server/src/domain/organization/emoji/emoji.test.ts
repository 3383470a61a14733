import { expect, test } from "vitest";
import { newRealm } from "../../../../test/realm.ts";

test("registration returns the URL of the emoji names, which anyone can fetch and cache", async () => {
  const realm = await newRealm();
  const { state } = await realm.admin.register([], ["realm"]);
  const [node] = realm.nodes;
  const { pathname } = new URL(state.server_emoji_data_url ?? "");

  const response = await fetch(`${node?.url}${pathname}`);

  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("public, max-age=86400");
  const { code_to_names } = (await response.json()) as { code_to_names: Record<string, string[]> }; // checked below
  expect(code_to_names["1f44d"]).toEqual(["+1", "thumbs_up", "like"]);
  expect(Object.keys(code_to_names)).toHaveLength(1883);
});
