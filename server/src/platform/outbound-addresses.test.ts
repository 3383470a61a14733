import { describe, expect, test } from "vitest";
import { isAllowed, isPublicAddress, readAllowedHosts } from "./outbound-addresses.ts";

describe("of the addresses a name may resolve to", () => {
  test.each([
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.19.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.1.2.3",
    "::FFFF:A9FE:A9FE",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
    "2002:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "3fff::1",
    "fc00::1",
    "fdff:ffff::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "100::1",
    "localhost",
    "",
  ])("%j is refused", (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "223.255.255.255",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
  ])("%j is public", (address) => expect(isPublicAddress(address)).toBe(true));
});

describe("what the operator allows", () => {
  const allowed = readAllowedHosts(["Intranet.example.com", "10.1.2.3", "10.8.0.0/16", "fd00::/8", "::1"]);

  test.each([
    ["intranet.example.com", "192.168.0.1"],
    ["INTRANET.example.com", "fe80::1"],
    ["anything", "10.1.2.3"],
    ["anything", "10.8.255.1"],
    ["anything", "fd12::1"],
    ["::1", "::1"],
  ])("holds %s at %s", (host, address) => expect(isAllowed(allowed, host, address)).toBe(true));

  test.each([
    ["sub.intranet.example.com", "192.168.0.1"],
    ["anything", "10.1.2.4"],
    ["anything", "10.9.0.1"],
    ["anything", "fc00::1"],
    ["anything", "127.0.0.1"],
    ["anything", "fd12::1%eth0"],
  ])("does not hold %s at %s", (host, address) => expect(isAllowed(allowed, host, address)).toBe(false));

  test.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::1/129", "host/8", "http://host", "a b"])(
    "%j is not a host, IP address or network",
    (item) => expect(() => readAllowedHosts([item])).toThrow(item),
  );
});
