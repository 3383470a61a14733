/** Draws the images in messages, and avatars. */
import { Canvas, textWidth } from "./canvas.ts";
import type { Random } from "./random.ts";
import type { Point } from "./letters.ts";

const paper = "#fbfaf5";
const ink = "#33413a";
const grey = "#c9cfc8";
const leaf = "#2f7d4f";
const sprout = "#a8d08d";
const tomato = "#d1493f";
const sand = "#e8dcc0";

const grounds = ["#2f7d4f", "#3d6ea5", "#b4553f", "#7a5aa0", "#a67c1f", "#2c7d80", "#9b4668", "#56683a"];

/** Initials on a colored background with one of a few shapes. */
export function drawFace(name: string, random: Random): Promise<Buffer> {
  const ground = random.pick(grounds);
  const canvas = new Canvas(200, 200, ground);
  const [x, y] = [random.between(20, 180), random.between(20, 180)];
  const shape = random.pick(["disc", "horizon", "band"]);
  if (shape === "disc") canvas.disc([x, y], random.between(50, 80), darker(ground));
  if (shape === "horizon") canvas.rectangle(0, y, 200, 200, darker(ground));
  if (shape === "band")
    canvas.line(
      [
        [0, y],
        [200, 200 - y],
      ],
      60,
      darker(ground),
    );
  const initials = initialsOf(name);
  canvas.text([100 - textWidth(initials, 72) / 2, 64], initials, 72, "#ffffff");
  return canvas.png();
}

function darker(color: string): string {
  const parts = [1, 3, 5].map((at) => Math.round(Number.parseInt(color.slice(at, at + 2), 16) * 0.75));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function initialsOf(name: string): string {
  const plain = name.normalize("NFD").replaceAll(/\p{M}/gu, "").toUpperCase();
  const words = plain.split(/[ -]/).filter((word) => word.length > 1 && word !== "DE");
  return [words[0], words.at(-1)].map((word) => word?.[0] ?? "").join("");
}

/** The files of the story by name, with the user who uploads each. */
export const drawings: Record<string, { by: string; draw: () => Promise<Buffer> }> = {
  "calendar-mock-up.png": { by: "ines", draw: drawCalendar },
  "onboarding-sketch.png": { by: "finn", draw: drawWateringCan },
  "costs-october.png": { by: "kofi", draw: drawCosts },
  "cake-plan.png": { by: "finn", draw: drawCake },
};

/** A window with a calendar in which nothing is planted yet. */
function drawCalendar(): Promise<Buffer> {
  const canvas = new Canvas(640, 400, paper);
  canvas.rectangle(0, 0, 640, 44, leaf);
  for (const x of [22, 44, 66]) canvas.disc([x, 22], 7, sprout);
  canvas.text([250, 14], "PLANTING", 16, "#ffffff");
  for (const [index, month] of ["JAN", "FEB", "MAR", "APR", "MAY", "JUN"].entries())
    canvas.text([40 + index * 98, 64], month, 11, ink);
  for (let row = 0; row < 3; row++)
    for (let x = 40; x < 600; x += 16) {
      canvas.line(
        [
          [x, 100 + row * 84],
          [x + 7, 100 + row * 84],
        ],
        2,
        grey,
      );
      canvas.line(
        [
          [x, 160 + row * 84],
          [x + 7, 160 + row * 84],
        ],
        2,
        grey,
      );
    }
  canvas.rectangle(220, 192, 200, 48, leaf);
  canvas.text([320 - textWidth("PICK A BED", 16) / 2, 208], "PICK A BED", 16, "#ffffff");
  canvas.line(
    [
      [320, 186],
      [320, 150],
    ],
    4,
    leaf,
  );
  canvas.disc([308, 150], 11, sprout);
  canvas.disc([332, 144], 11, sprout);
  return canvas.png();
}

/** It looks at you a little. */
function drawWateringCan(): Promise<Buffer> {
  const canvas = new Canvas(480, 360, "#e7f3ea");
  canvas.rectangle(0, 290, 480, 70, sand);
  canvas.line(
    [
      [330, 150],
      [400, 190],
      [330, 240],
    ],
    16,
    leaf,
  );
  canvas.rectangle(190, 140, 150, 150, leaf);
  canvas.line(
    [
      [190, 230],
      [110, 130],
    ],
    26,
    leaf,
  );
  canvas.line(
    [
      [86, 152],
      [130, 106],
    ],
    18,
    "#4d6b3c",
  );
  for (const [x, y] of [
    [60, 190],
    [84, 226],
    [44, 240],
    [70, 268],
  ] as Point[])
    canvas.disc([x, y], 7, "#5c94c4");
  for (const x of [235, 295]) {
    canvas.disc([x, 200], 17, "#ffffff");
    canvas.disc([x - 4, 203], 8, ink);
  }
  canvas.line(
    [
      [250, 250],
      [265, 257],
      [280, 250],
    ],
    5,
    "#ffffff",
  );
  return canvas.png();
}

/** Bars of two months for each item. */
function drawCosts(): Promise<Buffer> {
  const canvas = new Canvas(640, 380, "#ffffff");
  const items: [string, number, number][] = [
    ["COMPUTE", 3120, 3090],
    ["DATABASE", 1480, 1480],
    ["STORAGE", 610, 1240],
    ["TRAFFIC", 420, 455],
  ];
  for (let value = 0; value <= 3000; value += 1000) {
    const y = 330 - value / 11;
    canvas.line(
      [
        [70, y],
        [610, y],
      ],
      1.5,
      grey,
    );
    canvas.text([18, y - 6], String(value), 11, ink);
  }
  for (const [index, [name, before, after]] of items.entries()) {
    const x = 96 + index * 132;
    canvas.rectangle(x, 330 - before / 11, 38, before / 11, sprout);
    canvas.rectangle(x + 44, 330 - after / 11, 38, after / 11, after > 1.5 * before ? tomato : leaf);
    canvas.text([x + 41 - textWidth(name, 11) / 2, 346], name, 11, ink);
  }
  return canvas.png();
}

function drawCake(): Promise<Buffer> {
  const canvas = new Canvas(420, 340, "#f6ece2");
  canvas.rectangle(60, 270, 300, 12, grey);
  canvas.rectangle(90, 200, 240, 70, "#6b2d3e");
  canvas.rectangle(130, 140, 160, 60, "#7d3a4c");
  canvas.line(
    [
      [92, 204],
      [328, 204],
    ],
    12,
    paper,
  );
  canvas.line(
    [
      [132, 144],
      [288, 144],
    ],
    12,
    paper,
  );
  for (let x = 150; x <= 270; x += 30) {
    canvas.line(
      [
        [x, 136],
        [x, 104],
      ],
      7,
      sprout,
    );
    canvas.disc([x, 92], 7, "#f2b441");
  }
  canvas.text([168, 220], "10", 34, paper);
  return canvas.png();
}

/** Emoji of the organization's own, by their names. */
export const emojiDrawings: Record<string, () => Promise<Buffer>> = {
  gerald: () => {
    const canvas = new Canvas(64, 64, "#e7f3ea");
    canvas.rectangle(20, 42, 24, 16, "#b4553f");
    canvas.line(
      [
        [32, 42],
        [32, 18],
      ],
      4,
      "#4d6b3c",
    );
    for (const [x, y] of [
      [22, 26],
      [42, 24],
      [32, 13],
      [24, 14],
    ] as Point[])
      canvas.disc([x, y], 7, leaf);
    return canvas.png();
  },
  frost: () => {
    const canvas = new Canvas(64, 64, "#e5eff8");
    for (const [from, to] of [
      [
        [32, 8],
        [32, 56],
      ],
      [
        [11, 20],
        [53, 44],
      ],
      [
        [53, 20],
        [11, 44],
      ],
    ] as [Point, Point][])
      canvas.line([from, to], 5, "#3d6ea5");
    canvas.disc([32, 32], 7, "#3d6ea5");
    return canvas.png();
  },
  hedgerow: () => {
    const canvas = new Canvas(64, 64, "#ffffff");
    for (const [x, radius] of [
      [14, 11],
      [32, 15],
      [50, 11],
    ] as Point[])
      canvas.disc([x, 36], radius, leaf);
    canvas.rectangle(3, 38, 58, 14, leaf);
    canvas.disc([26, 34], 3, tomato);
    canvas.disc([42, 42], 3, tomato);
    return canvas.png();
  },
};
