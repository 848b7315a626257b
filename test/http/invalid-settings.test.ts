import { expect, test } from "vitest";
import { pawl } from "../cli/pawl-process.ts";

const BAD: [name: string, args: string[], env: Record<string, string>, sentence: string][] = [
  ["a port that is none", ["--port", "abc"], {}, '--port is "abc", not a whole number from 0 to 65535.'],
  ["a port beyond all ports", [], { PAWL_PORT: "70000" }, "PAWL_PORT is 70000, not a whole number"],
  [
    "a level that is none",
    [],
    { PAWL_LOG_LEVEL: "inof" },
    'PAWL_LOG_LEVEL is "inof", not one of trace, debug, info, warn, error, fatal, silent; did you mean "info"?',
  ],
  [
    "a variable that is none",
    [],
    { PAWL_PROT: "1" },
    "there is no setting PAWL_PROT; did you mean PAWL_PORT?",
  ],
  ["a sweep without a number", [], { PAWL_SWEEP_SECONDS: "often" }, 'PAWL_SWEEP_SECONDS is "often", not'],
  ["an origin that is none", [], { PAWL_CORS_ORIGINS: "example" }, 'PAWL_CORS_ORIGINS is ["example"], not'],
  [
    "an origin with a path",
    [],
    { PAWL_CORS_ORIGINS: "https://b.example, https://a.example/app" },
    "; did you mean https://b.example,https://a.example?",
  ],
  [
    "an origin without a protocol",
    [],
    { PAWL_CORS_ORIGINS: "a.example:8443" },
    "; did you mean https://a.example:8443?",
  ],
  [
    "an origin with a pattern",
    [],
    { PAWL_CORS_ORIGINS: "https://*.example" },
    "not a list of origins like https://example.com, without paths.",
  ],
  [
    "an address as allowed host",
    [],
    { PAWL_ALLOWED_HOSTS: "https://a.example/" },
    "; did you mean a.example?",
  ],
  ...["short", "fifteen-letters", "sixteen letters, with spaces", "sixteen-letters-é"].map(
    (token): (typeof BAD)[number] => [
      `the admin token "${token}"`,
      [],
      { PAWL_ADMIN_TOKEN: token },
      "PAWL_ADMIN_TOKEN must have 16 to 500 ASCII characters and no spaces",
    ],
  ),
  [
    "an allowed host with a port",
    [],
    { PAWL_ALLOWED_HOSTS: "a.example,b.example:80" },
    'PAWL_ALLOWED_HOSTS is ["a.example","b.example:80"], not a list of host names',
  ],
  [
    "a database that is none",
    [],
    { DATABASE_URL: "mysql://x" },
    "DATABASE_URL is not the URL of a PostgreSQL server",
  ],
  [
    "a direct address that is none",
    [],
    { PAWL_DIRECT_URL: "nonsense" },
    "PAWL_DIRECT_URL is not the URL of a PostgreSQL server",
  ],
  [
    "an address with a password",
    [],
    { PAWL_DIRECT_URL: "postgres://pawl:hunter2@host:port/x" },
    "PAWL_DIRECT_URL is not the URL of a PostgreSQL server",
  ],
];

test.each(BAD)("%s is reported, and nothing is started", async (_, args, env, sentence) => {
  const { code, stdout, stderr } = await pawl(["start", ...args], { env });
  expect({ code, stdout }).toEqual({ code: args.length > 0 ? 2 : 1, stdout: "" });
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain("hunter2");
});
