import { expect, onTestFinished, test } from "vitest";
import { accepted, openPawl } from "../../src/main/index.ts";
import { connect } from "../../src/postgres/connect.ts";
import { newDatabase, parcel, QUIET } from "./parcel.ts";

const url = await newDatabase();

test.each(["datestyle = 'German'", "datestyle = 'SQL, DMY'", "standard_conforming_strings = off"])(
  "the setting %s of a database makes no difference",
  async (setting) => {
    const sql = connect(url, { maxConnections: 1 });
    await sql.unsafe(`alter database "${new URL(url).pathname.slice(1)}" set ${setting}`);
    await sql.end();
    const pawl = await openPawl({ url, plugins: [parcel], ...QUIET });
    onTestFinished(() => pawl.close());
    await pawl.createMember({ id: "wanda", kind: "worker", roles: ["worker"] });
    const wanda = await pawl.as("wanda");
    const address = "Street \\1";
    const made = accepted(await pawl.create(wanda, [{ lifecycle: "parcel", title: "Parcel", address }]));
    const [{ id, created_at } = { id: "", created_at: "" }] = made.tasks;
    expect(await pawl.find(wanda, id)).toMatchObject({ data: { address }, created_at });
    expect(created_at.slice(0, 4)).toBe(String(new Date().getFullYear()));
    expect(await pawl.verify("main")).toMatchObject({ differences: [] });
  },
);
