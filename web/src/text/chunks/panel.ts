import english from "../../locales/en/panel.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
