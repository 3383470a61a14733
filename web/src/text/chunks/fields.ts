import english from "../../locales/en/fields.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
