/** Senders that each send their next message as soon as the last one is acknowledged. */
import type { Connection } from "./connection.ts";
import { demandSuccess } from "./request.ts";

/** Acknowledged messages per second; connection `n` starts with request `n`, so that connections differ. */
export async function sendFor(
  seconds: number,
  connections: readonly Connection[],
  requests: readonly Buffer[],
): Promise<number> {
  const begun = performance.now();
  const end = begun + seconds * 1000;
  let acknowledged = 0;
  const send = async (connection: Connection, first: number) => {
    for (let next = first; performance.now() < end; next++) {
      const request = requests[next % requests.length];
      if (!request) throw new Error("nothing to send");
      demandSuccess(await connection.send(request));
      acknowledged++;
    }
  };
  await Promise.all(connections.map(send));
  return acknowledged / ((performance.now() - begun) / 1000);
}
