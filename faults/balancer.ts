/** A load balancer as clients see it: requests go to nodes whose health check succeeds. */
import { setTimeout as delay } from "node:timers/promises";
import type { Member, Organization } from "./organization.ts";

const checkMilliseconds = 100;

export class Balancer {
  readonly #nodes: readonly string[];
  readonly #ready = new Set<number>();
  #isStopped = false;

  constructor(nodes: readonly string[]) {
    this.#nodes = nodes;
  }

  async start(): Promise<void> {
    await this.#check();
    void this.#checkOnAndOn();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The same members, whose clients are those of nodes that are ready; of all nodes if none is. */
  inFrontOf({ owner, members, channels }: Organization): Organization {
    const ready = (clients: Member["clients"]) => {
      const chosen = clients.filter((_, index) => this.#ready.has(index));
      return chosen.length > 0 ? chosen : clients;
    };
    const balanced = ({ id, name, channels: own, clients }: Member): Member => ({
      id,
      name,
      channels: own,
      get clients() {
        return ready(clients);
      },
    });
    return { owner: balanced(owner), members: members.map(balanced), channels };
  }

  async #checkOnAndOn(): Promise<void> {
    while (!this.#isStopped) {
      await delay(checkMilliseconds);
      await this.#check();
    }
  }

  async #check(): Promise<void> {
    await Promise.all(
      this.#nodes.map(async (node, index) => {
        const signal = AbortSignal.timeout(1000);
        const answer = await fetch(`${node}/health/ready`, { signal }).catch(() => undefined); // it is not listening
        if (answer?.ok) this.#ready.add(index);
        else this.#ready.delete(index);
        await answer?.arrayBuffer();
      }),
    );
  }
}
