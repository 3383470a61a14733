/** A client that registered with some capabilities and updates its state from events. */
import { applyEvent } from "@skein/api/apply-event.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import type { register } from "@skein/api/registration.ts";
import { change, type FollowedState } from "@skein/api/state/followed-state.ts";
import { capabilities, type TestQueue, type TestUser } from "../realm.ts";

type Params = Partial<ArgumentsOf<typeof register>>;

/** Capabilities of older and newer clients. */
export const kindsOfClients: [string, Params][] = [
  ["of today", { include_subscribers: true, slim_presence: true, client_capabilities: capabilities }],
  [
    "shown all there is",
    {
      include_subscribers: true,
      apply_markdown: true,
      client_gravatar: false,
      client_capabilities: { ...capabilities, archived_channels: true, user_avatar_url_field_optional: true },
    },
  ],
  [
    "with an incomplete list of users",
    {
      client_capabilities: { ...capabilities, user_list_incomplete: true, include_deactivated_groups: false },
    },
  ],
  // Clients without support for null get the current default instead of null in channel settings.
  ["of an old release", { include_subscribers: true, client_capabilities: { notification_settings_null: true } }],
];

/**
 * Fields that cannot be equal: presence times are sent only now and then; and after a deletion a client cannot know which
 * message was the newest before.
 */
const apart = [
  "presences",
  "presence_last_update_id",
  "server_timestamp",
  "max_message_id",
] as const satisfies (keyof FollowedState)[];

/** The name of a bot's default channel depends on the owner's access to the channel, and no bot event reports a change of that. */
const withoutDefaultChannels = (state: FollowedState): FollowedState =>
  change(state, "realm_bots", (bots) =>
    bots.map((bot) => ({ ...bot, default_sending_stream: null, default_events_register_stream: null })),
  );

export class Follower {
  readonly user: TestUser;
  readonly kind: string;
  readonly #params: Params;
  readonly #queue: TestQueue;
  #state: FollowedState;

  private constructor(queue: TestQueue, kind: string, params: Params) {
    this.user = queue.user;
    this.kind = kind;
    this.#queue = queue;
    this.#params = params;
    this.#state = { ...queue.state, user_id: queue.user.id };
  }

  static async begin(user: TestUser, [kind, params]: [string, Params]): Promise<Follower> {
    // No event_types and fetch_event_types: fetch and subscribe to everything.
    const all = { event_types: null, fetch_event_types: null };
    return new Follower(await user.register(undefined, undefined, { ...params, ...all }), kind, params);
  }

  /** Registers another follower with the same capabilities now. */
  again(): Promise<Follower> {
    return Follower.begin(this.user, [this.kind, this.#params]);
  }

  /** The state up to the event that gave the organization this name. */
  async stateAt(name: string): Promise<Record<string, unknown>> {
    const asked = {
      include_subscribers: this.#params.include_subscribers ?? false,
      archived_channels: this.#params.client_capabilities?.archived_channels ?? false,
    };
    for (;;) {
      const event = await this.#queue.next();
      this.#state = applyEvent(this.#state, event, asked);
      if (event.type === "realm" && event.op === "update_dict" && event.data["name"] === name) break;
      if (event.type === "realm" && event.op === "update" && event.value === name) break;
    }
    const left: [string, unknown][] = Object.entries(withoutDefaultChannels(this.#state)).filter(
      ([field]) => !(apart as readonly string[]).includes(field),
    );
    return Object.fromEntries(left);
  }

  end(): Promise<void> {
    return this.#queue.delete();
  }
}
