import { getBotStorage, maxBotStorageLength, removeBotStorage, updateBotStorage } from "@skein/api/bot-storage.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";

const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

test("stored values can be read on every node, all of them or by key", async () => {
  const realm = await newRealm();
  const bot = await realm.user("bot");

  success(await bot.on(0).call(updateBotStorage, { storage: { mood: "good", "": "empty key", emoji: "🤖" } }));
  success(await bot.on(1).call(updateBotStorage, { storage: { mood: "better" } }));

  const all = { mood: "better", "": "empty key", emoji: "🤖" };
  expect(success(await bot.on(0).call(getBotStorage, {})).storage).toEqual(all);
  expect(success(await bot.on(1).call(getBotStorage, { keys: ["mood"] })).storage).toEqual({ mood: "better" });
  expect(success(await bot.call(getBotStorage, { keys: [] })).storage).toEqual({});
});

test("an account cannot read or change another account's storage", async () => {
  const realm = await newRealm();
  const [bot, other] = [await realm.user("bot"), await realm.user("other")];
  success(await bot.call(updateBotStorage, { storage: { key: "mine" } }));

  success(await other.call(updateBotStorage, { storage: { key: "theirs" } }));
  success(await other.call(removeBotStorage, {}));

  expect(success(await bot.call(getBotStorage, {})).storage).toEqual({ key: "mine" });
  expect(success(await realm.admin.call(getBotStorage, {})).storage).toEqual({});
});

test("values can be removed; an unknown key is an error, and then nothing is removed", async () => {
  const realm = await newRealm();
  const bot = await realm.user("bot");
  success(await bot.call(updateBotStorage, { storage: { a: "1", b: "2", c: "3" } }));

  expect(await bot.call(removeBotStorage, { keys: ["a", "nosuch"] })).toEqual(refusal("Key does not exist."));
  expect(await bot.call(getBotStorage, { keys: ["nosuch"] })).toEqual(refusal("Key does not exist."));
  success(await bot.call(removeBotStorage, { keys: ["a", "a"] }));

  expect(success(await bot.call(getBotStorage, {})).storage).toEqual({ b: "2", c: "3" });
  success(await bot.call(removeBotStorage, {}));
  expect(success(await bot.call(getBotStorage, {})).storage).toEqual({});
});

test("the storage of an account is limited, even with concurrent writes", async () => {
  const realm = await newRealm();
  const bot = await realm.user("bot");
  const half = "x".repeat(maxBotStorageLength / 2 - 1);

  const answers = await Promise.all(
    ["a", "b", "c"].map((key) => bot.call(updateBotStorage, { storage: { [key]: half } })),
  );

  expect(answers.filter(({ result }) => result === "success")).toHaveLength(2);
  expect(answers.find(({ result }) => result === "error")).toEqual(
    refusal("Request exceeds storage limit by 5000000 characters. The limit is 10000000 characters."),
  );
  const [kept = ""] = Object.keys(success(await bot.call(getBotStorage, {})).storage);
  success(await bot.call(updateBotStorage, { storage: { [kept]: "short" } }));
  success(await bot.call(updateBotStorage, { storage: { d: "🤖".repeat(1000) } }));
});

test("only strings can be stored", async () => {
  const realm = await newRealm();

  expect(await realm.admin.request("PUT", "/bot_storage", { storage: '{"a": 1}' })).toMatchObject({
    msg: 'storage["a"] is not a string',
  });
  expect(await realm.admin.request("PUT", "/bot_storage", { storage: '{"a": "\\u0000"}' })).toMatchObject({
    result: "error",
    msg: "Null bytes are not allowed",
  });
});
