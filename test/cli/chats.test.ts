import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const { ask, cli, member } = await openCliAtServer();
const ann = await member("ann", "--roles", "agent");
const eve = await member("eve", "--roles", "agent");
const action = ["chatId=room", "actionId=a", "actionType=summarize", "displayText=Reading"];

test("an admin restricts a chat and opens it again", async () => {
  await cli(["tasks", "create", "bot-actions", ...action]);
  const list = async (token: string) => (await cli("chats list", { token })).stdout;
  expect(await list(eve)).toContain("room");
  const set = await cli(["chats", "readers", "room", "--set", "ann"]);
  expect(set).toMatchObject({ code: 0, stdout: "room is readable by ann.\n" });
  expect(await list(eve)).toBe("No chat has had an event.\n");
  expect(await list(ann)).toMatch(/room +restricted +1 processing +Reading/);
  expect((await cli(["chats", "readers", "room"], { token: eve })).code).toBe(3);
  expect(await ask(["chats", "readers", "room"], { token: ann })).toMatchObject({ readers: ["ann"] });
  expect((await cli(["chats", "readers", "room", "--open"])).stdout).toBe(
    "room is readable by every member of the project.\n",
  );
  expect(await list(eve)).toContain("room");
});

test("wrong usage and refusals have their exit codes", async () => {
  expect((await cli(["chats", "readers", "room", "--set", "ann", "--open"])).code).toBe(2);
  expect((await cli(["chats", "readers", "room", "--set", "ann"], { token: ann })).code).toBe(3);
  const unknown = await cli(["chats", "readers", "room", "--set", "nobody"]);
  expect(unknown.stderr).toContain('there is no member "nobody"');
});
