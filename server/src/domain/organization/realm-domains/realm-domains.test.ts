import { sendMessage } from "@skein/api/messages.ts";
import { addRealmDomain, getRealmDomains, removeRealmDomain, updateRealmDomain } from "@skein/api/realm-domains.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";
import { isOfDomains } from "./queries.ts";

test("adding, changing and removing a domain emits events to everyone", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register(["realm_domains"]);
  const foreign = await elsewhere.admin.register(["realm_domains"]);
  const domain = "elsinore.example.com";

  const added = success(
    await realm.admin.call(addRealmDomain, { domain: " Elsinore.Example.com ", allow_subdomains: false }),
  );
  success(await realm.admin.call(updateRealmDomain, { domain, allow_subdomains: true }));
  const listed = success(await guest.call(getRealmDomains, {}));
  success(await realm.admin.call(removeRealmDomain, { domain }));

  expect(added.new_domain).toEqual([expect.any(Number), domain]);
  expect(listed.domains).toEqual([{ domain, allow_subdomains: true }]);
  const type = "realm_domains";
  expect(await queue.next()).toEqual({ type, op: "add", realm_domain: { domain, allow_subdomains: false } });
  expect(await queue.next()).toEqual({ type, op: "change", realm_domain: { domain, allow_subdomains: true } });
  expect(await queue.next()).toEqual({ type, op: "remove", domain });
  expect(success(await guest.call(getRealmDomains, {})).domains).toEqual([]);
  expect(await foreign.all()).toEqual([]);
});

test("only owners change domains", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const refusal = { code: "BAD_REQUEST", msg: "Must be an organization owner" };
  const domain = "example.com";

  expect(await administrator.call(addRealmDomain, { domain, allow_subdomains: true })).toMatchObject(refusal);
  success(await realm.admin.call(addRealmDomain, { domain, allow_subdomains: true }));
  expect(await administrator.call(updateRealmDomain, { domain, allow_subdomains: false })).toMatchObject(refusal);
  expect(await administrator.call(removeRealmDomain, { domain })).toMatchObject(refusal);
});

test("invalid, duplicate and unknown domains are refused", async () => {
  const realm = await newRealm();
  const add = (domain: string) => realm.admin.call(addRealmDomain, { domain, allow_subdomains: false });
  success(await add("example.com"));

  for (const [domain, msg] of [
    ["", "Invalid domain: Domain can't be empty."],
    ["localhost", "Invalid domain: Domain must have at least one dot (.)"],
    [".example.com", "Invalid domain: Domain cannot start or end with a dot (.)"],
    ["a..example.com", "Invalid domain: Consecutive '.' are not allowed."],
    ["-a.example.com", "Invalid domain: Subdomains cannot start or end with a '-'."],
    ["a b.example.com", "Invalid domain: Domain can only have letters, numbers, '.' and '-'s."],
    ["EXAMPLE.com", "The domain example.com is already a part of your organization."],
  ] as const)
    expect(await add(domain)).toMatchObject({ code: "BAD_REQUEST", msg });
  const unknown = { msg: "No entry found for domain other.example.com." };
  expect(await realm.admin.call(removeRealmDomain, { domain: "other.example.com" })).toMatchObject(unknown);
  expect(
    await realm.admin.call(updateRealmDomain, { domain: "other.example.com", allow_subdomains: true }),
  ).toMatchObject(unknown);
});

test("removing the last domain lifts the restriction to domains", async () => {
  const realm = await newRealm();
  for (const domain of ["a.example.com", "b.example.com"])
    success(await realm.admin.call(addRealmDomain, { domain, allow_subdomains: false }));
  success(await realm.admin.call(updateRealm, { emails_restricted_to_domains: true }));
  const queue = await realm.admin.register(["realm", "realm_domains"]);

  success(await realm.admin.call(removeRealmDomain, { domain: "a.example.com" }));
  success(await realm.admin.call(removeRealmDomain, { domain: "b.example.com" }));

  expect(await queue.next()).toMatchObject({ op: "remove", domain: "a.example.com" });
  expect(await queue.next()).toMatchObject({ op: "remove", domain: "b.example.com" });
  expect(await queue.next()).toEqual({
    type: "realm",
    op: "update",
    property: "emails_restricted_to_domains",
    value: false,
  });
});

test("a client that applied the events has the same domains as a fresh registration", async () => {
  const realm = await newRealm();
  success(await realm.admin.call(addRealmDomain, { domain: "z.example.com", allow_subdomains: false }));
  const queue = await realm.admin.register(["realm_domains", "message"], ["realm_domains"]);

  success(await realm.admin.call(addRealmDomain, { domain: "b.example.com", allow_subdomains: false }));
  success(await realm.admin.call(addRealmDomain, { domain: "a.example.com", allow_subdomains: false }));
  success(await realm.admin.call(updateRealmDomain, { domain: "z.example.com", allow_subdomains: true }));
  success(await realm.admin.call(removeRealmDomain, { domain: "b.example.com" }));
  const note = { type: "direct" as const, to: [realm.admin.id], content: "done" };
  const { id } = success(await realm.admin.call(sendMessage, note));

  const followed = await queue.followedState(id);
  const { state } = await realm.admin.register([], ["realm_domains"]);
  expect(followed.realm_domains).toEqual(state.realm_domains);
});

test("an e-mail address belongs to a domain, and to its subdomains where they are allowed", () => {
  const domains = [
    { domain: "wide.example.com", allow_subdomains: true },
    { domain: "narrow.example.com", allow_subdomains: false },
  ];

  expect(isOfDomains(domains, "a@wide.example.com")).toBe(true);
  expect(isOfDomains(domains, "a@b.WIDE.example.com")).toBe(true);
  expect(isOfDomains(domains, "a@narrow.example.com")).toBe(true);
  expect(isOfDomains(domains, "a@b.narrow.example.com")).toBe(false);
  expect(isOfDomains(domains, "a@notwide.example.com")).toBe(false);
});
