import english from "../../locales/en/palette.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
