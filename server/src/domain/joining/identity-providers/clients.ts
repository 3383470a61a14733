/** The providers of organizations as programs to talk to, with what a node remembers of each. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { guardedFetch } from "../openid-connect/bounded-fetch.ts";
import { OpenIdProvider } from "../openid-connect/provider.ts";
import { openClientSecret } from "./client-secret.ts";
import type { ProviderRow } from "./queries.ts";

const maxRemembered = 1000;

export class ProviderClients {
  readonly #ctx: Pick<Context, "outbound" | "secretBox">;
  /** By id, in the order of use. They are made anew when their settings change. */
  readonly #known = new Map<number, { settings: string; client: OpenIdProvider }>();

  constructor(ctx: Pick<Context, "outbound" | "secretBox">) {
    this.#ctx = ctx;
  }

  of(row: ProviderRow): OpenIdProvider {
    const { id, issuer, client_id: clientId, scopes, sealed_client_secret } = row;
    const settings = JSON.stringify([issuer, clientId, scopes, sealed_client_secret]);
    const known = this.#known.get(id);
    this.#known.delete(id);
    const client = known?.settings === settings ? known.client : this.#make(row);
    this.#known.set(id, { settings, client });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest);
    return client;
  }

  #make(row: ProviderRow): OpenIdProvider {
    const clientSecret = openClientSecret(this.#ctx.secretBox, row);
    if (clientSecret === undefined)
      throw new ApiError("The client secret of this identity provider cannot be read. Enter it again.");
    const { issuer, client_id: clientId, scopes } = row;
    return new OpenIdProvider({ issuer, clientId, clientSecret, scopes }, guardedFetch(this.#ctx.outbound));
  }
}
