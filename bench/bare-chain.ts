/**
 * The path of a message without our code: one statement that inserts it and writes it into the write-ahead log, a
 * replication slot, a JetStream stream, a consumer. Everything except the engines runs in this process.
 */
import { DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { LogicalReplicationService, PgoutputPlugin, type Pgoutput } from "pg-logical-replication";
import type { Engines } from "../server/src/platform/engines/engines.ts";
import { messageText } from "./request.ts";

const stream = "bare";
const slot = "bare";

const insert = {
  name: "insert",
  text: `with stored as (
      insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
      values (1, 1, 1, 1, 1, $2, $3)
    )
    select pg_logical_emit_message(true, 'bare', $1)`,
};

export interface BareChain {
  /** Sends one message; returns the milliseconds until the consumer has it. */
  send: () => Promise<number>;
  close: () => Promise<void>;
}

export async function startBareChain({ postgresUrl, natsUrl }: Engines): Promise<BareChain> {
  const database = new pg.Client({ connectionString: postgresUrl });
  await database.connect();
  await database.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [slot]);
  const nats = await connect({ servers: natsUrl });
  const client = jetstream(nats);
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name: stream, subjects: [stream] });

  const arrived = new Map<string, (at: number) => void>();
  const consumer = await client.consumers.get(stream, { deliver_policy: DeliverPolicy.All });
  const messages = await consumer.consume({
    callback: (message) => {
      const number = message.string();
      arrived.get(number)?.(performance.now());
      arrived.delete(number);
    },
  });
  const replication = new LogicalReplicationService(
    { connectionString: postgresUrl },
    { acknowledge: { auto: true, timeoutSeconds: 10 } },
  );
  replication.on("data", (_lsn: string, message: Pgoutput.Message) => {
    if (message.tag === "message") void client.publish(stream, message.content);
  });
  const started = new Promise((resolve) => replication.once("start", resolve));
  const plugin = new PgoutputPlugin({ protoVersion: 1, publicationNames: ["skein"], messages: true });
  void replication.subscribe(plugin, slot);
  await started;

  let sent = 0;
  return {
    send: async () => {
      const number = String(++sent);
      const delivered = new Promise<number>((resolve) => arrived.set(number, resolve));
      const begun = performance.now();
      await database.query({ ...insert, values: [number, messageText, `<p>${messageText}</p>`] });
      return (await delivered) - begun;
    },
    close: async () => {
      messages.stop();
      await replication.destroy();
      await nats.close();
      await database.end();
    },
  };
}
