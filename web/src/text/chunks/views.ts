import english from "../../locales/en/views.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
