import english from "../../locales/en/search.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
