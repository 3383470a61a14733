// @vitest-environment node
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unusedClassNames, writeDeclarations } from "../../class-names.ts";

const web = join(import.meta.dirname, "../..");
const compiler = join(web, "../node_modules/typescript/bin/tsc");

/** A folder of its own, ignored by git. */
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(web, ".types-"));
  await write("row.module.css", ".row { animation: rise 1s; } .side-time { color: red; } @keyframes rise { }");
});
afterEach(() => rm(folder, { recursive: true }));

const write = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text);

test("every class of a CSS module is used", async () => {
  expect(await unusedClassNames(web)).toEqual([]);
});

test("a class is used by its name, or through a variable by any string of the file", async () => {
  await write("plain.ts", 'import styles from "./row.module.css";\nexport const time = styles.sideTime;\n');
  expect(await unusedClassNames(folder)).toEqual(["row.module.css: row"]);

  await write(
    "variable.ts",
    'import row from "./row.module.css";\nexport const classOf = (kind: "row" | "sideTime") => row[kind];\n',
  );
  expect(await unusedClassNames(folder)).toEqual([]);
});

test("a class name that does not exist is a type error", async () => {
  await write(
    "right.ts",
    'import styles from "./row.module.css";\nexport const names = [styles.row, styles.sideTime];\n',
  );
  await write("wrong.ts", 'import styles from "./row.module.css";\nexport const names = [styles.rows, styles.rise];\n');
  await write(
    "tsconfig.json",
    JSON.stringify({
      extends: "../tsconfig.json",
      compilerOptions: { rootDirs: [".", ".types"] },
      include: ["*.ts"],
    }),
  );
  await writeDeclarations(folder);

  const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).then(
    () => ({ stdout: "" }),
    (error: { stdout: string }) => error, // it exits with the number of errors
  );

  expect(stdout.match(/\w+\.ts\(\d+|Property '\w+'/g)).toEqual([
    "wrong.ts(2",
    "Property 'rows'",
    "wrong.ts(2",
    "Property 'rise'",
  ]);
});
