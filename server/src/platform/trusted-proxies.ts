/**
 * Which proxies are trusted to report where a request came from. A proxy appends the IP address it sees to X-Forwarded-For,
 * so anything a client forges there is to the left of what trusted proxies wrote.
 */
import { BlockList, isIP } from "node:net";

/** Whether to trust a proxy at this IP address, `hop` hops away (0 for the one that connects to us). */
export type TrustedProxies = ((address: string, hop: number) => boolean) | false;

const maxHops = 10;

/** Reads "false", a number of proxies, or their addresses and networks: "10.0.0.5, 10.8.0.0/16". */
export function readTrustedProxies(value: string): TrustedProxies {
  if (value === "false" || value === "0") return false;
  // Most servers have one proxy in front.
  const hops = value === "true" ? 1 : Number(value);
  if (Number.isInteger(hops)) {
    if (hops < 1 || hops > maxHops) throw new Error(`must be a number of proxies from 0 to ${maxHops}, not ${value}`);
    return (_address, hop) => hop < hops;
  }
  const networks = new BlockList();
  for (const item of value.split(",")) addNetwork(networks, item.trim());
  return (address) => isListed(networks, address);
}

function addNetwork(networks: BlockList, item: string): void {
  const [address = "", prefix, ...more] = item.split("/");
  const version = isIP(address);
  const maxLength = version === 4 ? 32 : 128;
  const length = prefix === undefined ? maxLength : Number(prefix);
  if (
    version === 0 ||
    prefix === "" ||
    more.length > 0 ||
    !Number.isInteger(length) ||
    length < 0 ||
    length > maxLength
  )
    throw new Error(
      `must be false, a number of proxies (1), or their IP addresses and networks (10.0.0.5,10.8.0.0/16), not "${item}"`,
    );
  networks.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
}

function isListed(networks: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && networks.check(address, version === 4 ? "ipv4" : "ipv6");
}
