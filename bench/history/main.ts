/**
 * `npm run bench:history [-- --messages 10000000] [--from 1000000] [--quick]`: fills an organization in bulk, runs the
 * typical queries of clients, adds more messages, runs them again, and writes HISTORY.md. The quick form only shows that it
 * works, and writes nothing.
 */
import { parseArgs } from "node:util";
import { withStage } from "../stage.ts";
import { askAll } from "./ask.ts";
import { askMarking, askRegistration, resolveLongTopic } from "./changes.ts";
import { measureDisk } from "./disk.ts";
import { fillTo, makeOrganization, type History } from "./fill.ts";
import { writeReport } from "./report.ts";
import type { Stage } from "../stage.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000000" },
    from: { type: "string", default: "1000000" },
    quick: { type: "boolean", default: false },
  },
});
const [small, large] = values.quick ? [20_000, 100_000] : [Number(values.from), Number(values.messages)];
if (!(small >= 10_000 && large >= small))
  throw new Error("--messages and --from are numbers, the first not the smaller one");

const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const begun = performance.now();
const say = (line: string) => process.stdout.write(`${Math.round((performance.now() - begun) / 1000)} s  ${line}\n`);

async function measure(stage: Stage, history: History, url: string) {
  const asked = await askAll(stage, history, url);
  asked.push(await askRegistration(stage, history, url));
  asked.push(await askMarking(stage, history, url));
  return { messages: history.messages, asked, resolved: await resolveLongTopic(stage, history, url, history.reader) };
}

await withStage({ isQuick: values.quick, signal: breakOff.signal, say }, async (stage) => {
  const history = await makeOrganization(stage);
  await stage.pool.query("update users set role = 100 where id = $1", [history.reader.id]);
  await fillTo(stage, history, small);
  await stage.serve("relay");
  const { url } = await stage.serve("api");
  const first = await measure(stage, history, url);
  await fillTo(stage, history, large);
  const second = await measure(stage, history, url);
  const { rows } = await stage.pool.query<{ bytes: string }>("select pg_database_size(current_database()) as bytes");
  const bytesPerMessage = Number(rows[0]?.bytes) / history.messages;
  const disk = [await measureDisk(stage, 100), await measureDisk(stage, 10_000)];
  if (!values.quick) await writeReport({ small: first, large: { ...second, bytesPerMessage }, disk });
});
process.exit(0);
