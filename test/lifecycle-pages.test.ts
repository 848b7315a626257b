import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { withGeneratedPart } from "../scripts/lifecycle-page.ts";
import { LIFECYCLES } from "../src/lifecycles/index.ts";

test.each(LIFECYCLES)(
  "the README of $name shows the lifecycle as it is defined (else: npm run generate)",
  async (lifecycle) => {
    const readme = await readFile(
      new URL(`../src/lifecycles/${lifecycle.name}/README.md`, import.meta.url),
      "utf8",
    );
    expect(readme).toBe(withGeneratedPart(lifecycle, readme));
  },
);
