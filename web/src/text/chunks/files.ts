import english from "../../locales/en/files.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
