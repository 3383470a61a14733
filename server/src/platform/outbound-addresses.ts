/**
 * Which IP addresses outbound requests may reach. A URL that a user chose must not reach machines that trust our internal
 * network, so only public addresses and those the operator lists are allowed.
 */
import { BlockList, isIP, isIPv4 } from "node:net";

type Network = [address: string, prefix: number];

const refusedIPv4: Network[] = [
  ["0.0.0.0", 8], // this host
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // link-local, which includes the metadata services of clouds
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
  ["::ffff:0:0", 96], // IPv4-mapped
];

const refusedIPv6: Network[] = [
  ["2001::", 23], // reserved for protocols, among them Teredo
  ["2001:db8::", 32],
  ["3fff::", 20],
  // An address that embeds an IPv4 address is judged by it.
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
  // A zone ("fe80::1%eth0") belongs to a link-local address, which is not public.
  if (isIP(address) === 0 || address.includes("%")) return false;
  return publicIPv6List.check(address, "ipv6") && !refusedIPv6List.check(address, "ipv6");
}

/** Hosts the operator allows in addition: host names, IP addresses, networks. */
export interface AllowedHosts {
  names: ReadonlySet<string>;
  networks: BlockList;
}

/** Reads "intranet.example.com, 10.1.2.3, 10.8.0.0/16, fd00::/8"; throws on anything else. */
export function readAllowedHosts(items: string[]): AllowedHosts {
  const names = new Set<string>();
  const allowed = new BlockList();
  for (const item of items) {
    const [host = "", prefix, ...more] = item.toLowerCase().split("/");
    const version = isIP(host);
    if (version === 0) {
      if (prefix !== undefined || !/^[a-z0-9_.-]+$/.test(host))
        throw new Error(`must list host names, IP addresses and networks such as 10.8.0.0/16, not "${item}"`);
      names.add(host);
      continue;
    }
    const maxLength = version === 4 ? 32 : 128;
    const length = prefix === undefined ? maxLength : Number(prefix);
    if (prefix === "" || more.length > 0 || !Number.isInteger(length) || length < 0 || length > maxLength)
      throw new Error(`contains the invalid network "${item}": the prefix length must be from 0 to ${maxLength}`);
    allowed.addSubnet(host, length, version === 4 ? "ipv4" : "ipv6");
  }
  return { names, networks: allowed };
}

export function isAllowed({ names, networks: allowed }: AllowedHosts, host: string, address: string): boolean {
  if (names.has(host.toLowerCase())) return true;
  const version = isIP(address);
  return version !== 0 && !address.includes("%") && allowed.check(address, version === 4 ? "ipv4" : "ipv6");
}
