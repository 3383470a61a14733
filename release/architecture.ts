/** What Debian and container registries call this machine's architecture. */
const names: Partial<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

export function debianArchitecture(): string {
  const name = names[process.arch];
  if (name === undefined) throw new Error(`Releases are built on x64 and arm64, not on ${process.arch}`);
  return name;
}
