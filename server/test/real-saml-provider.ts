/**
 * A SAML identity provider (samlp) that others have written: it shows that we speak the protocol and not a dialect of our own.
 * It signs the assertion and the response.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import samlp from "samlp";
import { closeAtEndOfFile } from "./end-of-file.ts";
import { selfSigned } from "./self-signed.ts";

export interface SamlPerson {
  email: string;
  first_name: string;
  last_name: string;
  groups: string[];
}

export interface RealSamlProvider {
  metadata: () => Promise<string>;
  /** Opens the URL that a browser was sent to as this person; returns the form that the provider's page submits. */
  signIn: (url: string, login: string) => Promise<{ action: string; form: { SAMLResponse: string } }>;
}

function profileMapper(user: SamlPerson) {
  return {
    getClaims: () => ({ ...user }),
    getNameIdentifier: () => ({
      nameIdentifier: user.email,
      nameIdentifierFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    }),
  };
}
Object.assign(profileMapper.prototype as object, { metadata: [] }); // the claims that metadata list: none

export async function startRealSamlProvider(people: Record<string, SamlPerson>): Promise<RealSamlProvider> {
  const { keyPem: key, certificatePem: cert } = selfSigned("idp.harbor.test");
  const options = {
    issuer: "urn:harbor:idp",
    cert,
    key,
    profileMapper,
    redirectEndpointPath: "/sso",
    postEndpointPath: "/sso",
    signResponse: true,
    signAssertion: true,
    lifetimeInSeconds: 60,
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const [asked, answer] = likeExpress(url, request, response);
    const fail = (error: unknown) => response.writeHead(500).end(String(error));
    if (url.pathname === "/metadata.xml") return samlp.metadata(options)(asked, answer, fail);
    samlp.parseRequest(asked, (error, { assertionConsumerServiceURL: acs = "" } = {}) => {
      if (error) return fail(error);
      const to = { recipient: acs, destination: acs };
      const getUserFromRequest = () => people[url.searchParams.get("as") ?? ""];
      samlp.auth({ ...options, ...to, getUserFromRequest, getPostURL: (_a, _d, _r, done) => done(null, acs) })(
        asked,
        answer,
        fail,
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAtEndOfFile(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  return {
    metadata: async () => (await fetch(`${url}/metadata.xml`)).text(),
    signIn: async (location, login) => {
      const page = await (await fetch(`${location}&as=${login}`)).text();
      const field = (pattern: RegExp) => unescapeHtml(pattern.exec(page)?.[1] ?? "");
      const form = { SAMLResponse: field(/name="SAMLResponse"\s+value="([^"]+)"/) };
      return { action: field(/action="([^"]+)"/), form };
    },
  };
}

/** The package is made for Express, and needs this much of it. */
function likeExpress(url: URL, request: IncomingMessage, response: ServerResponse) {
  const asked = Object.assign(request, { query: Object.fromEntries(url.searchParams), protocol: "http" });
  const answer = Object.assign(response, {
    set: (name: string, value: string) => response.setHeader(name, value),
    send: (body: string | number) => (typeof body === "number" ? response.writeHead(body).end() : response.end(body)),
  });
  return [asked, answer] as const;
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&amp;", "&");
