// Checks the subject of a commit message: `tsx scripts/words/check-subject.ts <file with the message>`.
import { readFileSync } from "node:fs";
import { findSubjectFaults } from "./words.ts";

const [subject = ""] = readFileSync(process.argv[2] ?? "", "utf8").split("\n");
for (const { found, instead } of findSubjectFaults(subject)) {
  console.error(`commit subject: "${found}". Write instead: ${instead}.`);
  process.exitCode = 1;
}
