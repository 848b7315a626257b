import { connect } from "../../src/postgres/connect.ts";
import { migrate } from "../../src/engine/upkeep/migrate.ts";
import { registerLifecycles } from "../../src/engine/upkeep/register-lifecycles.ts";
import { migrationSources } from "../../src/main/plugins.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";

// Starts like a node on the database given as argument, and sends its parent the migrations that it ran.
const sql = connect(process.argv[2] ?? "", { maxConnections: 2 });
const ran = await migrate(sql, { sources: migrationSources(PLUGINS) });
await registerLifecycles(sql, PLUGINS);
process.send?.(ran);
await sql.end();
