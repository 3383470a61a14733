import english from "../../locales/en/sign-on.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
