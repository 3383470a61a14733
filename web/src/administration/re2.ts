/**
 * A small matcher for the patterns of linkifiers, in RE2's syntax and with its results, to try patterns as they are typed.
 * The server's engine is larger than all of this place. Like that one it follows all alternatives at once, so that no pattern
 * and no text can make the page hang. Left out: `\C`.
 */

/** The pattern is not valid in RE2's syntax. */
export class PatternError extends Error {}

type Assertion = "start" | "end" | "lineStart" | "lineEnd" | "word" | "notWord";

type Node =
  | { kind: "char"; test: (char: string) => boolean }
  | { kind: "assert"; assertion: Assertion }
  | { kind: "all"; nodes: Node[] }
  | { kind: "any"; nodes: Node[] }
  | { kind: "repeat"; node: Node; min: number; max: number; isLazy: boolean }
  | { kind: "group"; node: Node; index: number };

interface Flags {
  ignoresCase: boolean;
  isMultiline: boolean;
  dotMatchesNewline: boolean;
  isLazy: boolean;
}

const posix: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\t ",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "\\u{21}-\\u{7e}",
  lower: "a-z",
  print: "\\u{20}-\\u{7e}",
  punct: "\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/** Sets of characters that an escape stands for, in the syntax of JavaScript. Its own \s has more members. */
const sets: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: "[\\t\\n\\f\\r ]",
  S: "[^\\t\\n\\f\\r ]",
};
const controls: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const assertions: Readonly<Record<string, Assertion>> = { A: "start", z: "end", b: "word", B: "notWord" };

const maxRepeat = 1000;
const maxInstructions = 4000;

const literal = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

function member(set: string, ignoresCase: boolean): Node {
  const pattern = new RegExp(`^${set}$`, ignoresCase ? "vi" : "v");
  return { kind: "char", test: (char) => pattern.test(char) };
}

const one = (char: string, { ignoresCase }: Flags): Node =>
  ignoresCase ? member(literal(char), true) : { kind: "char", test: (other) => other === char };

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, "v") instanceof RegExp;
  } catch {
    return false;
  }
}

class Parser {
  readonly #chars: string[];
  #at = 0;
  #flags: Flags = { ignoresCase: false, isMultiline: false, dotMatchesNewline: false, isLazy: false };
  groups = 0;
  readonly names = new Map<string, number>();

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  parse(): Node {
    const node = this.#alternatives();
    if (this.#at < this.#chars.length) throw new PatternError("unexpected )");
    return node;
  }

  #peek(text: string): boolean {
    return this.#chars.slice(this.#at, this.#at + text.length).join("") === text;
  }

  #take(text: string): boolean {
    const isThere = this.#peek(text);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  /** The text up to and including the end, which is left out. */
  #until(end: string, error: string): string {
    const from = this.#at;
    while (this.#at < this.#chars.length) {
      if (this.#peek(end)) {
        const text = this.#chars.slice(from, this.#at).join("");
        this.#at += end.length;
        return text;
      }
      this.#at++;
    }
    throw new PatternError(error);
  }

  #alternatives(): Node {
    const nodes = [this.#sequence()];
    while (this.#take("|")) nodes.push(this.#sequence());
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: "any", nodes }; // there is one
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#chars.length && !this.#peek("|") && !this.#peek(")")) {
      if (this.#take("\\Q")) {
        for (const char of this.#until("\\E", "missing \\E")) nodes.push(this.#repeated(one(char, this.#flags)));
        continue;
      }
      const node = this.#atom();
      if (node) nodes.push(this.#repeated(node));
    }
    return { kind: "all", nodes };
  }

  #repeated(node: Node): Node {
    const counts = this.#counts();
    if (!counts) return node;
    const isLazy = this.#take("?") !== this.#flags.isLazy;
    if (this.#counts()) throw new PatternError("bad repetition operator");
    const [min, max] = counts;
    if (min > maxRepeat || (max !== Infinity && (max > maxRepeat || max < min)))
      throw new PatternError("invalid repetition size");
    return { kind: "repeat", node, min, max, isLazy };
  }

  #counts(): [min: number, max: number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    const found = /^\{(\d+)(,?)(\d*)\}/.exec(this.#chars.slice(this.#at, this.#at + 12).join(""));
    if (!found) return undefined;
    const [all, min = "", comma, max = ""] = found;
    if (comma === "" && max !== "") return undefined;
    this.#at += all.length;
    return [Number(min), comma === "" ? Number(min) : max === "" ? Infinity : Number(max)];
  }

  /** Nothing for flags, which stand for no text. */
  #atom(): Node | undefined {
    if (this.#counts()) throw new PatternError("no argument for repetition operator");
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return this.#set();
    const { isMultiline, dotMatchesNewline } = this.#flags;
    if (this.#take("^")) return { kind: "assert", assertion: isMultiline ? "lineStart" : "start" };
    if (this.#take("$")) return { kind: "assert", assertion: isMultiline ? "lineEnd" : "end" };
    if (this.#take(".")) return { kind: "char", test: dotMatchesNewline ? () => true : (char) => char !== "\n" };
    if (this.#take("\\")) return this.#escaped();
    return one(this.#chars[this.#at++] ?? "", this.#flags);
  }

  #group(): Node | undefined {
    const flags = this.#flags;
    let index: number | undefined;
    if (this.#take("?P<") || this.#take("?<")) index = this.#named();
    else if (this.#take("?")) {
      if (!this.#setFlags()) return undefined;
    } else index = ++this.groups;
    const node = this.#alternatives();
    if (!this.#take(")")) throw new PatternError("missing )");
    this.#flags = flags;
    return index === undefined ? node : { kind: "group", node, index };
  }

  #named(): number {
    const name = this.#until(">", "invalid named capture group");
    if (!/^\w+$/.test(name) || this.names.has(name)) throw new PatternError("invalid named capture group");
    this.names.set(name, ++this.groups);
    return this.groups;
  }

  /** Whether a group follows; otherwise the flags hold for the rest of this one. */
  #setFlags(): boolean {
    const flags = { ...this.#flags };
    let isOn = true;
    for (;;) {
      const char = this.#chars[this.#at++];
      if (char === "i") flags.ignoresCase = isOn;
      else if (char === "m") flags.isMultiline = isOn;
      else if (char === "s") flags.dotMatchesNewline = isOn;
      else if (char === "U") flags.isLazy = isOn;
      else if (char === "-" && isOn) isOn = false;
      else if (char === ":" || char === ")") {
        this.#flags = flags;
        return char === ":";
      } else throw new PatternError("invalid perl operator");
    }
  }

  #escaped(): Node {
    const assertion = assertions[this.#chars[this.#at] ?? ""];
    if (assertion) {
      this.#at++;
      return { kind: "assert", assertion };
    }
    const escape = this.#escape();
    return "set" in escape ? member(escape.set, this.#flags.ignoresCase) : one(escape.char, this.#flags);
  }

  /** After the backslash: a character, or a set of them. */
  #escape(): { char: string } | { set: string } {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new PatternError("trailing \\");
    if (sets[char] !== undefined) return { set: sets[char] };
    if (controls[char] !== undefined) return { char: controls[char] };
    if (char === "p" || char === "P") return { set: this.#property(char === "P") };
    if (char === "x") return { char: this.#hexadecimal() };
    if (/[0-7]/.test(char)) return { char: this.#octal(char) };
    if (/[\dA-Za-z]/.test(char)) throw new PatternError("invalid escape sequence");
    return { char };
  }

  #property(isNegated: boolean): string {
    const name = this.#take("{") ? this.#until("}", "invalid character class range") : this.#chars[this.#at++];
    const [, not, word = ""] = /^(\^?)(\w+)$/.exec(name ?? "") ?? [];
    const value = word.length <= 2 || word === "Any" ? word : `Script=${word}`;
    const set = `\\${isNegated !== (not === "^") ? "P" : "p"}{${value}}`;
    if (!isValid(set)) throw new PatternError("invalid character class range");
    return set;
  }

  #hexadecimal(): string {
    const digits = this.#take("{")
      ? this.#until("}", "invalid escape sequence")
      : this.#chars.slice(this.#at, (this.#at += 2)).join("");
    const code = /^[\dA-Fa-f]+$/.test(digits) ? Number.parseInt(digits, 16) : Infinity;
    if (code > 0x10_ff_ff) throw new PatternError("invalid escape sequence");
    return String.fromCodePoint(code);
  }

  /** A single digit other than 0 would be a back reference, which RE2 does not have. */
  #octal(first: string): string {
    let digits = first;
    while (digits.length < 3 && /[0-7]/.test(this.#chars[this.#at] ?? "")) digits += this.#chars[this.#at++];
    if (digits.length === 1 && first !== "0") throw new PatternError("invalid escape sequence");
    return String.fromCodePoint(Number.parseInt(digits, 8));
  }

  #set(): Node {
    const isNegated = this.#take("^");
    let body = "";
    for (let isFirst = true; isFirst || !this.#take("]"); isFirst = false) {
      if (this.#at >= this.#chars.length) throw new PatternError("missing ]");
      body += this.#member();
    }
    // A negated set ignores case as a whole.
    return member(`[${isNegated ? "^" : ""}${body}]`, this.#flags.ignoresCase);
  }

  #member(): string {
    if (this.#peek("[:")) {
      const name = /^\[:(\^?)(\w+):\]/.exec(this.#chars.slice(this.#at, this.#at + 12).join(""));
      const known = posix[name?.[2] ?? ""];
      if (name && known === undefined) throw new PatternError("invalid character class range");
      if (name) {
        this.#at += name[0].length;
        return `[${name[1]}${known}]`;
      }
    }
    const from = this.#setChar();
    if ("set" in from) return from.set;
    // A hyphen at the end stands for itself.
    if (!this.#peek("-") || this.#peek("-]")) return literal(from.char);
    this.#at++;
    const to = this.#setChar();
    if ("set" in to || (to.char.codePointAt(0) ?? 0) < (from.char.codePointAt(0) ?? 0))
      throw new PatternError("invalid character class range");
    return `${literal(from.char)}-${literal(to.char)}`;
  }

  #setChar(): { char: string } | { set: string } {
    if (this.#take("\\")) return this.#escape();
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new PatternError("missing ]");
    return { char };
  }
}

type Instruction =
  | { op: "char"; test: (char: string) => boolean }
  | { op: "assert"; assertion: Assertion }
  | { op: "save"; slot: number }
  /** Continues at each of these, the first preferred. */
  | { op: "go"; to: number[] }
  | { op: "match" };

function compile(node: Node, program: Instruction[]): void {
  if (program.length > maxInstructions) throw new PatternError("pattern too large - compile failed");
  switch (node.kind) {
    case "char":
      program.push({ op: "char", test: node.test });
      return;
    case "assert":
      program.push({ op: "assert", assertion: node.assertion });
      return;
    case "all":
      for (const each of node.nodes) compile(each, program);
      return;
    case "group":
      program.push({ op: "save", slot: 2 * node.index });
      compile(node.node, program);
      program.push({ op: "save", slot: 2 * node.index + 1 });
      return;
    case "any":
      compileAlternatives(node.nodes, program);
      return;
    case "repeat":
      compileRepetition(node, program);
  }
}

function compileAlternatives(nodes: readonly Node[], program: Instruction[]): void {
  const choice = { op: "go" as const, to: [] as number[] };
  const end = { op: "go" as const, to: [] as number[] };
  program.push(choice);
  for (const node of nodes) {
    choice.to.push(program.length);
    compile(node, program);
    program.push(end);
  }
  end.to.push(program.length);
}

function compileRepetition(
  { node, min, max, isLazy }: Extract<Node, { kind: "repeat" }>,
  program: Instruction[],
): void {
  for (let count = 0; count < min; count++) compile(node, program);
  const branch = (again: number, done: number): number[] => (isLazy ? [done, again] : [again, done]);
  if (max === Infinity) {
    const start = program.length;
    const choice = { op: "go" as const, to: [] as number[] };
    program.push(choice);
    compile(node, program);
    program.push({ op: "go", to: [start] });
    choice.to = branch(start + 1, program.length);
    return;
  }
  const choices: { choice: { op: "go"; to: number[] }; at: number }[] = [];
  for (let count = min; count < max; count++) {
    const choice = { op: "go" as const, to: [] as number[] };
    choices.push({ choice, at: program.length });
    program.push(choice);
    compile(node, program);
  }
  for (const { choice, at } of choices) choice.to = branch(at + 1, program.length);
}

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);

function holds(assertion: Assertion, before: string | undefined, after: string | undefined): boolean {
  switch (assertion) {
    case "start":
      return before === undefined;
    case "end":
      return after === undefined;
    case "lineStart":
      return before === undefined || before === "\n";
    case "lineEnd":
      return after === undefined || after === "\n";
    case "word":
      return isWord(before) !== isWord(after);
    case "notWord":
      return isWord(before) === isWord(after);
  }
}

/** Positions in characters: where each group starts and ends. */
type Slots = readonly (number | undefined)[];

interface Thread {
  at: number;
  slots: Slots;
}

export class Pattern {
  readonly #program: Instruction[] = [];
  /** The number of each named group. */
  readonly names: ReadonlyMap<string, number>;

  constructor(pattern: string) {
    const parser = new Parser(pattern);
    const node = parser.parse();
    this.names = parser.names;
    compile(node, this.#program);
    this.#program.push({ op: "match" });
  }

  /** The first match in the characters from there on; of several at one place the preferred one. */
  find(chars: readonly string[], from: number): Slots | undefined {
    let threads: Thread[] = [];
    let found: Slots | undefined;
    for (let position = from; position <= chars.length; position++) {
      if (found && threads.length === 0) break;
      const seen = new Set(threads.map(({ at }) => at));
      if (!found) this.#add({ at: 0, slots: [] }, position, chars, threads, seen);
      const next: Thread[] = [];
      const nextSeen = new Set<number>();
      for (const { at, slots } of threads) {
        const instruction = this.#program[at];
        if (instruction?.op === "match") {
          found = slots;
          // What follows is less preferred.
          break;
        }
        const char = chars[position];
        if (instruction?.op === "char" && char !== undefined && instruction.test(char))
          this.#add({ at: at + 1, slots }, position + 1, chars, next, nextSeen);
      }
      threads = next;
    }
    return found;
  }

  /** Follows instructions that consume nothing. */
  #add({ at, slots }: Thread, position: number, chars: readonly string[], to: Thread[], seen: Set<number>): void {
    const instruction = this.#program[at];
    if (!instruction || seen.has(at)) return;
    seen.add(at);
    const go = (target: number, kept: Slots = slots): void =>
      this.#add({ at: target, slots: kept }, position, chars, to, seen);
    switch (instruction.op) {
      case "go":
        for (const target of instruction.to) go(target);
        return;
      case "save": {
        const changed = [...slots];
        changed[instruction.slot] = position;
        go(at + 1, changed);
        return;
      }
      case "assert":
        if (holds(instruction.assertion, chars[position - 1], chars[position])) go(at + 1);
        return;
      case "char":
      case "match":
        to.push({ at, slots });
    }
  }
}
