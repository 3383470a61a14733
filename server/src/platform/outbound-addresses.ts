/**
 * Which addresses a request of ours may go to. What a user makes us fetch must not reach the machines that trust us
 * for being near, so only addresses of the public Internet are admitted, and what the operator lists.
 */
import { BlockList, isIP, isIPv4 } from "node:net";

type Network = [address: string, prefix: number];

const refusedIPv4: Network[] = [
  ["0.0.0.0", 8], // this host
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // shared by a carrier's customers
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // link-local; clouds answer with their credentials here
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
];

/** Everything in IPv6 but these is local, multicast, reserved or retired (::1, fc00::/7, fe80::/10, ff00::/8, …). */
const publicIPv6: Network[] = [
  ["2000::", 3],
  ["64:ff9b::", 96], // NAT64
  ["::ffff:0:0", 96], // IPv4 in disguise
];

const refusedIPv6: Network[] = [
  ["2001::", 23], // protocols' own, among them Teredo
  ["2001:db8::", 32],
  ["3fff::", 20],
  // An address that carries an IPv4 address is as good as that one.
  ...refusedIPv4.flatMap(([address, prefix]): Network[] => [
    [`::ffff:${address}`, 96 + prefix],
    [`64:ff9b::${address}`, 96 + prefix],
    [`2002:${hexadecimal(address)}::`, 16 + prefix],
  ]),
];

function hexadecimal(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function networks(family: "ipv4" | "ipv6", list: Network[]): BlockList {
  const result = new BlockList();
  for (const [address, prefix] of list) result.addSubnet(address, prefix, family);
  return result;
}

const refusedIPv4List = networks("ipv4", refusedIPv4);
const publicIPv6List = networks("ipv6", publicIPv6);
const refusedIPv6List = networks("ipv6", refusedIPv6);

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refusedIPv4List.check(address, "ipv4");
  // A zone ("fe80::1%eth0") belongs to addresses of a link, which are none of the public ones.
  if (isIP(address) === 0 || address.includes("%")) return false;
  return publicIPv6List.check(address, "ipv6") && !refusedIPv6List.check(address, "ipv6");
}

/** What the operator admits besides: names of hosts, addresses, networks. */
export interface AllowedHosts {
  names: ReadonlySet<string>;
  networks: BlockList;
}

/** Reads "intranet.example.com, 10.1.2.3, 10.8.0.0/16, fd00::/8"; throws at what is none of these. */
export function readAllowedHosts(items: string[]): AllowedHosts {
  const names = new Set<string>();
  const allowed = new BlockList();
  for (const item of items) {
    const [host = "", prefix, ...more] = item.toLowerCase().split("/");
    const version = isIP(host);
    if (version === 0) {
      if (prefix !== undefined || !/^[a-z0-9_.-]+$/.test(host))
        throw new Error(`must hold names of hosts, addresses and networks such as 10.8.0.0/16, not "${item}"`);
      names.add(host);
      continue;
    }
    const longest = version === 4 ? 32 : 128;
    const length = prefix === undefined ? longest : Number(prefix);
    if (prefix === "" || more.length > 0 || !Number.isInteger(length) || length < 0 || length > longest)
      throw new Error(`holds "${item}", which is no network: after the slash comes a number from 0 to ${longest}`);
    allowed.addSubnet(host, length, version === 4 ? "ipv4" : "ipv6");
  }
  return { names, networks: allowed };
}

export function isAllowed({ names, networks: allowed }: AllowedHosts, host: string, address: string): boolean {
  if (names.has(host.toLowerCase())) return true;
  const version = isIP(address);
  return version !== 0 && !address.includes("%") && allowed.check(address, version === 4 ? "ipv4" : "ipv6");
}
