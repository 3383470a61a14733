import english from "../../locales/en/controls.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
