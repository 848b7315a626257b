// Plain English only, without types: `eslint -c scripts/words/eslint.config.ts .` takes seconds.
import tseslint from "typescript-eslint";
import rule from "./rule.ts";

export default [
  {
    ignores: [
      "dist/",
      "packages/client/dist/",
      "build/",
      "node_modules/",
      "**/node_modules/",
      "**/.next/",
      "coverage/",
      ".pawl/",
    ],
  },
  {
    files: ["**/*.ts", "**/*.tsx", "**/*.js", "**/*.mjs"],
    languageOptions: { parser: tseslint.parser },
    // Disable comments name rules of the main configuration.
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "off" },
    plugins: { pawl: { rules: { "plain-english": rule } } },
    rules: { "pawl/plain-english": "error" },
  },
];
