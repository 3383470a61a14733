/** The bot of docs/bot-tutorial.md survives a restart of its server and the loss of its queue. */
import { mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deleteQueue } from "@skein/api/registration.ts";
import { expect, inject, test } from "vitest";
import { buildPackageWhenStale } from "../../../api/bin/build.ts";
import { runProgram } from "../program.ts";
import { newRealm, success, type TestQueue, type TestUser } from "../realm.ts";
import { channelOf, sendToChannel } from "../actions.ts";
import { startProcess } from "../server-process.ts";
import { startTcpProxy } from "../tcp-proxy.ts";
import { openFrontDoor } from "./front-door.ts";

const root = join(import.meta.dirname, "../../..");

async function runTutorialBot({ email, apiKey }: TestUser, site: string): Promise<void> {
  await buildPackageWhenStale();
  const page = await readFile(join(root, "docs/bot-tutorial.md"), "utf8");
  const program = /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
  const folder = await mkdtemp(join(inject("scratchFolder"), "bot-"));
  await writeFile(join(folder, "bot.mjs"), program);
  await writeFile(join(folder, "zuliprc"), `[api]\nemail=${email}\nkey=${apiKey}\nsite=${site}\n`);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  runProgram(["bot.mjs"], { cwd: folder });
}

const queuesOf = async ({ id, realm }: TestUser): Promise<string[]> => {
  const queues = await realm.ctx.db.selectFrom("event_queues").select("id").where("user_id", "=", id).execute();
  return queues.map((queue) => queue.id);
};

/** The program is ready when it has registered its queue. */
async function untilRegistered(user: TestUser, besides: string[] = []): Promise<string[]> {
  await expect.poll(async () => (await queuesOf(user)).filter((id) => !besides.includes(id))).not.toEqual([]);
  return queuesOf(user);
}

async function answerOf(bot: TestUser, queue: TestQueue): Promise<string> {
  for (;;) {
    const { message } = await queue.nextOf("message");
    if (message.sender_id === bot.id) return message.content;
  }
}

test("the tutorial's bot replies again after its server was killed and restarted, and after its queue was lost", async () => {
  const realm = await newRealm();
  const [hamlet, bot] = [await realm.user("hamlet"), await realm.user("echo")];
  const channel = await channelOf([hamlet, bot], "lobby");
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const killed = await startProcess(node);
  const running = [killed];
  const door = Number(new URL(await openFrontDoor(realm, running)).port);
  const proxy = await startTcpProxy(door);
  await runTutorialBot(bot, `http://127.0.0.1:${proxy.port}`);
  const first = await untilRegistered(bot);
  const queue = await hamlet.register(["message"]);
  const ask = () => sendToChannel(hamlet, channel, { content: `@**${bot.fullName}** are you there?` });

  await ask();
  expect(await answerOf(bot, queue)).toBe("Here I am!");

  // Killed, not stopped: the proxy has no server for a while, and the question is asked before the bot is back.
  killed.child.kill("SIGKILL");
  await killed.ended;
  await ask();
  running[0] = await startProcess(node);
  expect(await answerOf(bot, queue)).toBe("Here I am!");
  expect(await queuesOf(bot)).toEqual(first);

  await proxy.close();
  for (const queue_id of first) success(await bot.call(deleteQueue, { queue_id }));
  const restarted = await startTcpProxy(door, proxy.port);
  await untilRegistered(bot, first);
  await ask();
  expect(await answerOf(bot, queue)).toBe("Here I am!");
  await restarted.close();
});
