/**
 * The open-loop load: what is due happens at its time, whatever became of earlier requests, and times count from when a
 * request was due. What happens to whom, and when, is determined by the seed; only what responses say is not.
 */
import { Random } from "../../faults/random.ts";
import { apiRequest } from "../request.ts";
import { actions, register } from "./actions.ts";
import type { Acting, Sent } from "./acting.ts";
import { Agenda } from "./agenda.ts";
import { Crowd, type ActiveUser } from "./crowd.ts";
import type { FeedKind } from "./feed.ts";
import { Ledger } from "./ledger.ts";
import type { Answer } from "./line.ts";
import { Lines } from "./lines.ts";
import { Measures } from "./measures.ts";
import { chooseByWeight, idleSeconds, presenceSeconds, weights, type ActionName } from "./model.ts";
import type { Organization } from "./organization.ts";

const longestNap = 20;
const tidyMilliseconds = 1000;

export interface LoadOptions {
  urls: readonly string[];
  organization: Organization;
  seed: number;
  /** How many times faster than in the model everything happens. */
  haste: number;
  reads: FeedKind;
}

export class Load implements Acting {
  readonly organization: Organization;
  readonly ledger = new Ledger();
  readonly crowd: Crowd;
  readonly sentLately: Sent[] = [];
  lostSends = 0;
  measures = new Measures();
  readonly #lines: Lines;
  readonly #agenda = new Agenda<(due: number) => void>();
  readonly #seed: number;
  readonly #random: Random;
  readonly #haste: number;
  #acted = 0;
  #timer: NodeJS.Timeout | undefined;
  #pausedAt: number | undefined;
  #tidiedAt = 0;
  #failure: unknown;

  constructor({ urls, organization, seed, haste, reads }: LoadOptions) {
    this.organization = organization;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#haste = haste;
    this.#lines = new Lines(urls);
    this.crowd = new Crowd(urls, this.ledger, organization, reads);
    this.crowd.onGone = (user) => {
      const random = this.#nextRandom();
      this.later(performance.now(), (due) => register(this, { user, random, due }, "reconnect"));
    };
  }

  /** Requests without a response yet, except reads of events. */
  get inFlight(): number {
    return this.#lines.inFlight;
  }

  /** The next users of the organization, without queues. */
  add(count: number): ActiveUser[] {
    return Array.from({ length: count }, () => this.crowd.add(this.#random));
  }

  /** From now on the user acts. */
  engage(user: ActiveUser): void {
    const now = performance.now();
    const random = this.#random;
    this.#agenda.add(now + this.#pause(user, random), (due) => this.#act(user, due));
    this.#agenda.add(now + random.next() * this.#presenceMilliseconds, (due) => this.#reportPresence(user, due));
  }

  /** Does each action once, by different users: to see that all of them work. */
  tryAll(): void {
    const now = performance.now();
    for (const [index, name] of (Object.keys(actions) as ActionName[]).entries()) {
      const user = this.crowd.users[index % this.crowd.users.length];
      if (user) this.#agenda.add(now + 300 * index, (due) => this.#do(name, user, due));
    }
  }

  start(): void {
    this.#pausedAt = undefined;
    this.#run();
  }

  /** Nothing new happens until `resume`, which goes on as if no time had passed. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pausedAt = performance.now();
  }

  resume(): void {
    if (this.#pausedAt !== undefined) this.#agenda.postpone(performance.now() - this.#pausedAt);
    this.start();
  }

  /** Begins to count anew. */
  startMeasuring(): void {
    this.measures = new Measures();
    this.crowd.measures = this.measures;
  }

  end(): void {
    this.pause();
    this.crowd.end();
    this.#lines.close();
  }

  /** Time-outs and the ledger; also while the load pauses. */
  tidy(now = performance.now()): void {
    if (this.#failure !== undefined) throw new Error("an action failed", { cause: this.#failure });
    if (now - this.#tidiedAt < tidyMilliseconds) return;
    this.#tidiedAt = now;
    this.#lines.giveUp(now);
    this.crowd.giveUp(now);
    this.ledger.settle(now);
  }

  async ask(name: string, request: Buffer, due: number): Promise<Answer> {
    const { measures } = this;
    const answer = await this.#lines.ask(request);
    measures.note(name, answer, due);
    return answer;
  }

  later(at: number, act: (due: number) => Promise<void>): void {
    this.#agenda.add(at, (due) => this.#watch(act(due)));
  }

  #run(): void {
    const now = performance.now();
    for (let entry = this.#agenda.take(now); entry; entry = this.#agenda.take(now)) {
      this.measures.lateness.add(Math.max(0, performance.now() - entry.at));
      entry.what(entry.at);
    }
    const nap = Math.max(1, Math.min(longestNap, this.#agenda.next - performance.now()));
    this.#timer = setTimeout(() => this.#run(), nap);
  }

  /** The next action is due a while after this one was, not after it is done. */
  #act(user: ActiveUser, due: number): void {
    const random = this.#nextRandom();
    this.#agenda.add(due + this.#pause(user, random), (next) => this.#act(user, next));
    this.#do(chooseByWeight(weights, random.next()), user, due, random);
  }

  #do(name: ActionName, user: ActiveUser, due: number, random = this.#nextRandom()): void {
    this.#watch(actions[name](this, { user, random, due }));
  }

  /** Each action has its own random numbers, so that it does not matter in which order responses arrive. */
  #nextRandom(): Random {
    return new Random(this.#seed ^ Math.imul(++this.#acted, 0x9e37_79b1));
  }

  #pause({ factor }: ActiveUser, random: Random): number {
    return (-Math.log(1 - random.next()) * idleSeconds * 1000 * factor) / this.#haste;
  }

  get #presenceMilliseconds(): number {
    return (presenceSeconds * 1000) / this.#haste;
  }

  #reportPresence(user: ActiveUser, due: number): void {
    this.#agenda.add(due + this.#presenceMilliseconds, (next) => this.#reportPresence(user, next));
    const fields = { status: "active", new_user_input: true, last_update_id: user.presenceUpdateId };
    const request = apiRequest(user.account, "POST", "/users/me/presence", fields);
    const report = async () => {
      const { text } = await this.ask("report presence", request, due);
      const id = /"presence_last_update_id":(-?\d+)/.exec(text)?.[1];
      if (id !== undefined) user.presenceUpdateId = Number(id);
    };
    this.#watch(report());
  }

  /** A mistake of the load itself ends the run. */
  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#failure ??= error;
    });
  }
}
