/** The Debian package: the release's files in /usr/lib/skein and /usr/share/skein, systemd units, settings in /etc/skein. */
import { execFile, execFileSync } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, rmdir, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { debianArchitecture } from "./architecture.ts";
import { stampTimes } from "./archive.ts";
import { deploymentFolder } from "./deployment.ts";
import { root as repository, type Source } from "./sources.ts";
import { units } from "./units.ts";

const template = (name: string) => readFile(join(import.meta.dirname, "debian", name), "utf8");

/** The names of the packages that it depends on. */
export async function dependencies(): Promise<string[]> {
  const [, list = ""] = /^Depends: (.*)$/m.exec(await template("control")) ?? [];
  return list.split(", ").map((each) => each.replace(/ .*/, ""));
}

export async function makeDebianPackage(tree: string, out: string, source: Source): Promise<void> {
  const root = `${tree}.deb`;
  const put = async (path: string, content: string | Buffer, mode = 0o644): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    await chmod(join(root, path), mode); // the umask does not matter
  };

  await cp(tree, join(root, "usr/lib/skein"), { recursive: true });
  // `dpkg --verify` checks the files.
  for (const file of ["LICENSE", "SHA256SUMS", "THIRD-PARTY-LICENSES.txt"]) await rm(join(root, "usr/lib/skein", file));
  await rm(join(root, "usr/lib/skein/bin"), { recursive: true });
  await mkdir(join(root, "usr/share"));
  await rename(join(root, "usr/lib/skein", deploymentFolder), join(root, "usr", deploymentFolder));
  await rmdir(join(root, "usr/lib/skein/share"));
  await put("usr/bin/skein", await template("skein.sh"), 0o755);
  await put("etc/skein/skein.env", await template("skein.env"), 0o640);
  for (const [name, text] of Object.entries(units)) await put(`usr/lib/systemd/system/${name}`, text);
  const licenses = ["LICENSE", "THIRD-PARTY-LICENSES.txt"].map((file) => readFile(join(tree, file), "utf8"));
  await put("usr/share/doc/skein/copyright", (await Promise.all(licenses)).join("\n"));
  await put("usr/share/doc/skein/changelog.gz", gzipSync(await readFile(join(repository, "CHANGELOG.md"))));
  await symlink("/usr/lib/skein/sbom.cdx.json", join(root, "usr/share/doc/skein/sbom.cdx.json"));

  for (const script of ["postinst", "prerm", "postrm"]) await put(`DEBIAN/${script}`, await template(script), 0o755);
  await put("DEBIAN/conffiles", "/etc/skein/skein.env\n");
  const fields = { VERSION: source.version, ARCHITECTURE: debianArchitecture(), SIZE: String(await kilobytes(root)) };
  await put(
    "DEBIAN/control",
    (await template("control")).replace(/@(\w+)@/g, (_, name: keyof typeof fields) => fields[name]),
  );
  await put("DEBIAN/md5sums", md5sums(root));
  for (const folder of await foldersIn(root)) await chmod(folder, 0o755);
  stampTimes(root, source.time);

  const file = join(out, `skein_${source.version}_${debianArchitecture()}.deb`);
  // With several threads the bytes depend on their number.
  const options = ["--root-owner-group", "-Zzstd", "-z12", "--threads-max=1"];
  await promisify(execFile)("dpkg-deb", [...options, "--build", root, file]);
  await rm(root, { recursive: true });
}

async function foldersIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return [root, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))];
}

/** Of the files alone: how large a folder is depends on the file system. */
async function kilobytes(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))));
  return sizes.reduce((sum, { size }) => sum + Math.ceil(size / 1024), 0);
}

/** For `dpkg --verify`. Settings are not among them, because they are changed. */
function md5sums(root: string): string {
  const script = "find usr -type f -print0 | LC_ALL=C sort --zero-terminated | xargs --null md5sum";
  return execFileSync("sh", ["-c", script], { cwd: root, encoding: "utf8", maxBuffer: 1e8 });
}
