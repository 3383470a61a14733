/** Types of the library as documented; it has none of its own. */
declare module "zulip-js" {
  /** Any of the documented responses; the library does not inspect them. */
  type Answer = Record<string, unknown>;
  type Params = Record<string, unknown>;
  type Call = (params?: Params) => Promise<Answer>;

  interface Config {
    username: string;
    realm: string;
    apiKey?: string;
    password?: string;
  }

  export interface Zulip {
    config: Config & { apiKey: string; apiURL: string };
    callEndpoint: (endpoint: string, method?: string, params?: Params) => Promise<Answer>;
    callOnEachEvent: (callback: (event: Answer) => void, eventTypes?: string[]) => Promise<never>;
    accounts: { retrieve: () => Promise<Answer> };
    emojis: { retrieve: Call };
    events: { retrieve: Call };
    filters: { retrieve: Call };
    messages: {
      send: Call;
      retrieve: Call;
      render: (text: string | Params) => Promise<Answer>;
      update: Call;
      flags: { add: Call; remove: Call };
      getById: Call;
      getHistoryById: Call;
      deleteReactionById: Call;
      deleteById: Call;
    };
    queues: { register: Call; deregister: Call };
    reactions: { add: Call; remove: Call };
    server: { settings: Call };
    streams: {
      retrieve: Call;
      getStreamId: (name: string | Params) => Promise<Answer>;
      subscriptions: { retrieve: Call };
      topics: { retrieve: (params: Params) => Promise<Answer> };
      deleteById: Call;
    };
    typing: { send: Call };
    users: {
      retrieve: Call;
      create: Call;
      me: {
        pointer: { retrieve: Call; update: (id: number) => Promise<Answer> };
        getProfile: () => Promise<Answer>;
        subscriptions: { add: Call; remove: Call };
        alertWords: { retrieve: Call };
      };
    };
  }

  export default function zulipInit(config: Config | { zuliprc: string }): Promise<Zulip>;
}
