/**
 * A complete OpenID Connect provider (oidc-provider, a certified one), where people sign in and out as with a browser. Not
 * written by us, so it shows that we speak the protocol and not a dialect of our own.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { closeAtEndOfFile } from "./end-of-file.ts";

export interface ProviderClient {
  redirectUri: string;
  logoutUri: string;
}

export const realClient = { id: "skein", secret: "a secret of the client, long enough" };

export interface RealProvider {
  url: string;
  /** Once the URLs of the client are known. Logout tokens are sent with `deliver`. */
  serve: (client: ProviderClient, people: Record<string, object>, deliver: typeof fetch) => void;
}

/** Reserves an address; the provider's URL is part of what its client is told. */
export async function startRealProvider(): Promise<RealProvider> {
  const server: Server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAtEndOfFile(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  return {
    url,
    serve: ({ redirectUri, logoutUri }, people, deliver) => {
      const provider = new Provider(url, {
        clients: [
          {
            client_id: realClient.id,
            client_secret: realClient.secret,
            redirect_uris: [redirectUri],
            response_types: ["code"],
            grant_types: ["authorization_code"],
            backchannel_logout_uri: logoutUri,
            backchannel_logout_session_required: true,
          },
        ],
        claims: {
          openid: ["sub"],
          email: ["email", "email_verified"],
          profile: ["name", "given_name", "family_name"],
          groups: ["groups"],
        },
        // Claims are at the user info endpoint only, as the standard has it.
        conformIdTokenClaims: true,
        features: {
          backchannelLogout: { enabled: true },
          rpInitiatedLogout: { enabled: true },
          devInteractions: { enabled: true },
        },
        pkce: { required: () => true },
        cookies: { keys: ["only for tests"] },
        fetch: deliver,
        findAccount: async (_: unknown, id: string) => {
          const claims = people[id];
          return claims && { accountId: id, claims: () => ({ sub: id, ...claims }) };
        },
      });
      server.on("request", provider.callback());
    },
  };
}

/** The browser of a person, at the provider. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  async #go(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = form && new URLSearchParams(form);
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body ? { method: "POST", body } : {}),
    });
    for (const text of response.headers.getSetCookie()) {
      const [pair = ""] = text.split(";", 1);
      const at = pair.indexOf("=");
      if (pair.slice(at + 1) === "") this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Signs in and consents; returns the URL that the browser is sent back to. */
  async signIn(start: string, login: string, redirectUri: string): Promise<URL> {
    let url = start;
    for (let steps = 0; steps < 12 && !url.startsWith(redirectUri); steps++) {
      const page = await this.#go(url);
      let response = page;
      if (page.status === 200) {
        const html = await page.text();
        const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? "";
        const action = new URL(/action="([^"]+)"/.exec(html)?.[1] ?? "", url).href;
        response = await this.#go(action, prompt === "login" ? { prompt, login, password: "any" } : { prompt });
      }
      const location = response.headers.get("location");
      if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      url = new URL(location, url).href;
    }
    return new URL(url);
  }

  /** Signs out at the provider, which tells the organizations. */
  async signOut(providerUrl: string): Promise<void> {
    const page = await (await this.#go(`${providerUrl}/session/end`)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const response = await this.#go(`${providerUrl}/session/end/confirm`, { xsrf, logout: "yes" });
    if (response.status >= 400) throw new Error(`the provider answered ${response.status}`);
  }
}
