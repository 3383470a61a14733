import english from "../../locales/en/drafts.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
