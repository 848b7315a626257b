import { expectTypeOf, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { LifecyclesOf, TaskOf } from "../../src/client/index.ts";
import { isRefusal, openPawl } from "../../src/main/index.ts";
import type { Caller, Lifecycle, Pawl, Plugin } from "../../src/main/index.ts";
import { note, parcel } from "./parcel.ts";

type Known = LifecyclesOf<readonly [typeof parcel, typeof note]>;

/** Never called: only the compiler checks it. */
async function checkTypes(caller: Caller) {
  const pawl = await openPawl({ plugins: [parcel, note] });
  expectTypeOf(pawl).toEqualTypeOf<Pawl<Known>>();

  void pawl.create(caller, [
    { lifecycle: "parcel", title: "A parcel", address: "Main Street 1", ref: "first" },
    { lifecycle: "note", text: "hello", project_id: "main" },
  ]);
  // @ts-expect-error a misspelt lifecycle
  void pawl.create(caller, [{ lifecycle: "parcle", title: "x", address: "y" }]);
  // @ts-expect-error a field of the creation is missing
  void pawl.create(caller, [{ lifecycle: "parcel", title: "x" }]);
  // @ts-expect-error a misspelt field
  void pawl.create(caller, [{ lifecycle: "note", text: "x", txet: "y" }]);

  void pawl.perform(caller, { task_id: "1", action: "take" });
  void pawl.perform(caller, { task_id: "1", action: "pack", payload: { label: "x" }, lease_token: "t" });
  // @ts-expect-error a misspelt action
  void pawl.perform(caller, { task_id: "1", action: "pakc", payload: { label: "x" } });
  // @ts-expect-error a misspelt field of the payload
  void pawl.perform(caller, { task_id: "1", action: "pack", payload: { lable: "x" } });
  // @ts-expect-error the payload is required
  void pawl.perform(caller, { task_id: "1", action: "pack" });
  // @ts-expect-error the comment is required
  void pawl.perform(caller, { task_id: "1", action: "give_up" });
  // @ts-expect-error an action of another lifecycle
  void pawl.perform(caller, { task_id: "1", lifecycle: "note", action: "take" });

  const claimed = await pawl.claim(caller, { lifecycle: "parcel" });
  if (!isRefusal(claimed)) expectTypeOf(claimed.tasks[0]!.data.label).toEqualTypeOf<string | null>();
  // @ts-expect-error a misspelt lifecycle
  void pawl.claim(caller, { lifecycle: "parcle" });

  const { tasks } = await pawl.list(caller, { lifecycle: "parcel", status: ["waiting"] });
  expectTypeOf(tasks).toEqualTypeOf<TaskOf<LifecyclesOf<[typeof parcel]>>[]>();
  // @ts-expect-error a status of another lifecycle
  void pawl.list(caller, { lifecycle: "parcel", status: ["read"] });

  const task = await pawl.find(caller, "1");
  if (!isRefusal(task) && task.lifecycle === "note") expectTypeOf(task.data.text).toBeString();

  const options = { as: "wanda", failed: () => null };
  void pawl.work(
    "parcel",
    ({ data }) => Promise.resolve({ action: "pack", payload: { label: data.address } }),
    options,
  );
  // @ts-expect-error a misspelt lifecycle
  void pawl.work("parcle", () => Promise.resolve(undefined), options);
  void pawl.work(
    "parcel",
    // @ts-expect-error a misspelt action, reported at the function and not at the name of the lifecycle
    () => Promise.resolve({ action: "pakc" }),
    options,
  );
  void pawl.work(
    "parcel",
    () => Promise.resolve({ action: "pack", payload: { label: "x" } }),
    // @ts-expect-error `failed` is missing, reported at the options
    { as: "wanda" },
  );
  void pawl.work(
    parcel,
    // @ts-expect-error a misspelt field of the payload
    () => Promise.resolve({ action: "pack", payload: { lable: "x" } }),
    options,
  );

  // The client knows the same, over HTTP and in the process.
  const http = createClient<Known>({ url: "http://127.0.0.1" }).lifecycle("parcel");
  const local = pawl.client(caller).lifecycle("parcel");
  expectTypeOf(http).toEqualTypeOf(local);
  // @ts-expect-error a misspelt action
  void local.act("1", "pakc");
}

/** Never called: lifecycles that are known only at run time, such as those of a configuration file. */
async function checkUntyped(caller: Caller, loaded: readonly (Lifecycle | Plugin)[], name: string) {
  const mixed = [...loaded, parcel];
  for (const pawl of [
    await openPawl(),
    await openPawl({ plugins: loaded }),
    await openPawl({ plugins: mixed }),
  ]) {
    expectTypeOf(pawl).toEqualTypeOf<Pawl>();
    void pawl.create(caller, [{ lifecycle: name, anything: 1 }]);
    void pawl.perform(caller, { task_id: "1", action: name, payload: { anything: 1 } });
    void pawl.claim(caller, { lifecycle: name });
    void pawl.list(caller, { lifecycle: name, status: [name] });
    void pawl.work(name, () => Promise.resolve({ action: name }), { as: "wanda", failed: () => null });
    void pawl
      .client(caller)
      .lifecycle(name)
      .act("1", name, { payload: { anything: 1 } });
  }
}

test("openPawl has the types of its lifecycles, or accepts any name if they are not known", () => {
  expectTypeOf(checkTypes).toBeFunction();
  expectTypeOf(checkUntyped).toBeFunction();
});
