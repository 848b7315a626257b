import { expect, test } from "vitest";
import { withConsole } from "./console-setup.ts";
import type { ConsoleSetup } from "./console-setup.ts";
import { seriousFindings } from "./serious-findings.ts";

/** Requests tasks in SQL as ann, and lets a node decide. */
async function enqueue(
  { server: { sql, engine } }: ConsoleSetup,
  inputs: Record<string, object>,
): Promise<void> {
  const [row] = await sql<{ role: string }[]>`select current_user as role`;
  await sql`
    insert into pawl.sql_binding (org_id, role_name, member_id) values ('main', ${row?.role ?? ""}, 'ann')
    on conflict do nothing`;
  for (const [key, input] of Object.entries(inputs))
    await sql`select pawl.enqueue('main', 'board', ${sql.json(input as never)}, ${key}, 'ann')`;
  for (const group of await engine.inbox.groups()) await engine.inbox.admit(group, 100);
}

withConsole("the overview", (setup) => {
  test("shows refused requests from SQL to admins, who retry and discard them", async () => {
    const { server, openPage } = setup();
    await enqueue(setup(), {
      "order-1": { title: "Pack order 1", description: "x", project_id: "shed" },
      "order-2": { title: "No", description: "x" },
    });
    const page = await openPage("admin", "/");
    const card = page.getByRole("region", { name: "Refused requests from SQL" });
    const [first, second] = ["order-1", "order-2"].map((key) => card.locator("li", { hasText: key }));
    await first!.getByText('There is no project "shed".').waitFor();
    await second!.getByText("VALIDATION_ERROR").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await first!.getByRole("button", { name: "Retry" }).click();
    await page.getByText("The request was refused again").waitFor();
    await server.ask("POST /api/projects", { body: { id: "shed" } });
    await first!.getByRole("button", { name: "Retry" }).click();
    await card.getByText("The task was created.").waitFor();
    await first!.waitFor({ state: "detached" });

    await second!.getByRole("button", { name: "Discard" }).click();
    await second!.getByRole("button", { name: "Really discard?" }).click();
    await card.getByText("Nothing is refused.").waitFor();
    expect(await server.sql`select from pawl.inbox`).toHaveLength(0);
    await card.getByRole("link", { name: "Open it" }).click();
    await page.getByRole("heading", { name: "Pack order 1" }).waitFor();
  });

  test("shows no requests to members who are not admins", async () => {
    await enqueue(setup(), { "order-3": {} });
    const page = await setup().openPage("bob", "/");
    await page.getByRole("heading", { name: "Active members" }).waitFor();
    expect(await page.getByText("Refused requests from SQL").count()).toBe(0);
    await setup().server.sql`delete from pawl.inbox`;
  });
});
