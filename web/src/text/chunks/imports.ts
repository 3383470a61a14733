import english from "../../locales/en/imports.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
