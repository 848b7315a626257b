export { answerMcp } from "./serve-http.ts";
export { serveStdio } from "./serve-stdio.ts";
export { setUpAgent } from "./setup/set-up-agent.ts";
