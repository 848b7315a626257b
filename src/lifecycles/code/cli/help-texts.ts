import { commandOf, PRESETS } from "../agents/index.ts";

export const CODE_HELP = `
Examples:
  pawl code add "Add a --json flag" --acceptance "pawl list --json prints JSON"
  pawl code add --file tasks.yaml
  pawl code run --repo . --workers 3 --verify "npm test"
  pawl code graph`;

export const ADD_HELP = `
Examples:
  pawl code add "Write the parser"
  pawl code add "Write the printer" --after 21bc7d04
  pawl code add --file tasks.yaml

A file of tasks:
  - ref: parser
    title: Write the parser
    acceptance: npm test passes
  - title: Write the printer
    after: [parser]`;

export const IMPORT_HELP = `
Examples:
  pawl code import plan.md
  pawl code import plan.md --yes
  gh issue list --json number,title,body,labels | pawl code import -

A plan:
  - [ ] Add the command
    - [ ] Write the parser (ref: parser)
      acceptance: npm test passes
    - [ ] Write the printer (after: parser)
  - [x] Choose a name

A nested item is done before the item above it. Checked items are left out. \`after:\` names tasks by ref or title.`;

export const RUN_HELP = `
Examples:
  pawl code run --workers 3
  pawl code run --verify "npm test" --until-done

Agents:
${PRESETS.map(({ name, title, tested }) => `  ${name.padEnd(10)}${title}${tested === null ? " (untested)" : ""}`).join("\n")}
  These are the commands of Claude Code and Codex, as examples for your own:
${["claude", "codex"].map((name) => `    ${commandOf(name, { allowEverything: false, session: null })}`).join("\n")}
  Both edit files in the worktree, run shell commands in a sandbox (no writes elsewhere, no network), and call Pawl's
  tools; other requests are denied. On Linux, Claude Code's sandbox needs bubblewrap and socat. The other agents have
  no sandbox here: they edit files and run no shell commands. --allow-everything removes all of these limits: use it
  only where the agent can do no harm, such as in a container.

Your own checkout is never touched. On Ctrl-C, agents have --grace seconds to finish; the
tasks of agents that take longer are released.`;
