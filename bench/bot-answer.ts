/**
 * How long a bot takes to reply: the program of docs/bot-tutorial.md, with two nodes. Measured from the start of the send
 * that mentions it, on one node, to the event of its reply in a waiting read on the other.
 */
import { spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buildPackageWhenStale } from "../api/bin/build.ts";
import { Connection } from "./connection.ts";
import { addChannels, addUsers, makeRealm, open, register, subscribe } from "./organization.ts";
import { call, pollRequest, readEvents, sendRequest, type Account } from "./request.ts";
import { withStage, type Stage } from "./stage.ts";
import { figure, percentile } from "./statistics.ts";

const root = join(import.meta.dirname, "..");
const samples = 100;
const pauseMilliseconds = 100;
/** The budget on an otherwise idle machine. */
const barMilliseconds = 100;

const broken = new AbortController();
process.once("SIGINT", () => broken.abort());
const say = (line: string) => console.log(line);
const times = await withStage({ isQuick: false, say, signal: broken.signal }, measure);
const [middle, slow] = [percentile(times, 0.5), percentile(times, 0.99)];
say(`The bot replies to a mention within ${figure(middle)} ms (p50), ${figure(slow)} ms (p99); ${samples} mentions.`);
if (middle > barMilliseconds) process.exitCode = 1;

async function measure(stage: Stage): Promise<number[]> {
  const realm = await makeRealm(stage);
  const [person, bot] = await addUsers(stage, realm, 2);
  if (!person || !bot) throw new Error("there are two users");
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, [person, bot], [channel]);
  await stage.serve("relay");
  const sending = await stage.serve("api");
  const reading = await stage.serve("api");
  const [from, to] = [await Connection.open(sending.url), await Connection.open(reading.url)];
  const place = { channel, topic: "hello" };
  await open(from, person, [place]);
  const queue = await register(to, person);
  const end = await startBot(stage, bot, reading.url);
  try {
    const mention = sendRequest(person, place, "@**User Number 2** are you there?");
    const measured: number[] = [];
    for (let last = queue.lastEventId; measured.length < samples;) {
      await delay(pauseMilliseconds);
      const begun = performance.now();
      await call(from, mention);
      // The question and the reply.
      for (let heard = 0; heard < 2;) {
        const answer = await to.send(pollRequest(person, queue.id, last));
        const events = readEvents(answer).filter(({ type }) => type === "message");
        heard += events.length;
        last = events.at(-1)?.id ?? last;
        if (heard === 2) measured.push(answer.lastByteAt - begun);
      }
    }
    return measured;
  } finally {
    end();
  }
}

/** Runs the page's program, and waits until it has registered its queue. */
async function startBot(stage: Stage, { email, key, id }: Account, site: string): Promise<() => void> {
  await buildPackageWhenStale();
  const folder = join(stage.dir, "bot");
  await mkdir(folder);
  const page = await readFile(join(root, "docs/bot-tutorial.md"), "utf8");
  const program = /^```js\n(.*?)^```$/ms.exec(page)?.[1];
  if (program === undefined) throw new Error("the page has no program");
  await writeFile(join(folder, "bot.mjs"), program);
  await writeFile(join(folder, "zuliprc"), `[api]\nemail=${email}\nkey=${key}\nsite=${site}\n`);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const bot = spawn(process.execPath, ["bot.mjs"], { cwd: folder, stdio: "inherit" });
  for (;;) {
    const { rowCount } = await stage.pool.query("select from event_queues where user_id = $1", [id]);
    if (rowCount) return () => void bot.kill();
    await delay(20);
  }
}
