/** The measurements that compare two releases. Each prepares a stage and then returns one figure per round. */
import { openBusyChannel } from "./busy-channel.ts";
import { openFanOut } from "./fan-out.ts";
import { openRegistrations } from "./registration-time.ts";
import { openSends } from "./send-throughput.ts";
import type { Stage } from "./stage.ts";

export { withStage } from "./stage.ts";

export interface Subject {
  title: string;
  unit: string;
  isTime?: true;
  rounds: number;
  open: (stage: Stage) => Promise<() => Promise<number>>;
}

export const subjects: Record<string, Subject> = {
  a: { title: "Sends through one api process", unit: "/s", rounds: 10, open: openSends },
  b: { title: "One message to 5,000 waiting reads", unit: " deliveries/s", rounds: 16, open: openFanOut },
  e: { title: "Registration, 10,000 users", unit: " ms", isTime: true, rounds: 60, open: openRegistrations },
  g: { title: "One busy channel", unit: " messages/s", rounds: 8, open: openBusyChannel },
};
