/** Realistic names of people to search: many share a first name, no two are the same. */
const firstSyllables = ["Ada", "Bel", "Cor", "Dan", "Eli", "Fre", "Gre", "Hen", "Ina", "Jor", "Kat", "Lio", "Mar"];
const firstEndings = ["", "a", "bert", "dine", "etta", "fina", "lia", "mund", "nia", "olf", "ra", "ric", "sa", "ta"];
const lastBeginnings = ["Ander", "Berg", "Carl", "Dahl", "Ek", "Frost", "Gren", "Holm", "Jans", "Kall", "Lind", "Mark"];
const lastMiddles = ["", "en", "er", "in", "o", "um"];
const lastEndings = ["berg", "by", "dal", "gren", "lund", "mann", "son", "strom"];

export const firstNames = firstSyllables.flatMap((syllable) => firstEndings.map((ending) => syllable + ending));

export const lastNames = lastBeginnings.flatMap((beginning) =>
  lastMiddles.flatMap((middle) => lastEndings.map((ending) => beginning + middle + ending)),
);
