import { createHash } from "node:crypto";
import { refusalCodesOf, isMedia } from "../../api/index.ts";
import type { Reply, Route, RouteTable } from "../../api/index.ts";
import { PROBLEMS } from "../../core/index.ts";
import type { Problem } from "../../core/index.ts";
import type { OwnProblems } from "../routing/problem-reply.ts";
import { z } from "zod";

type ApiDocs = { table: RouteTable; problems: OwnProblems; version: string };

/** Renders the API as one self-contained page: no scripts, no fonts, no external files. */
export function docsPage({ table, problems, version }: ApiDocs): { page: string; policy: string } {
  const groups = [...new Set(Object.values(table).map(({ group }) => group))];
  const sections = groups.map((group) => {
    const routes = Object.entries(table).filter(([, route]) => route.group === group);
    return `<h2 id="${html(group)}">${html(group)}</h2>${routes.map(([name, route]) => routeSection(name, route, problems)).join("")}`;
  });
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pawl API</title>
<style>${STYLE}</style>
<h1>Pawl API <small>${html(version)}</small></h1>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> with every request, except to routes marked as open. Errors are sent
as <code>application/problem+json</code> with one of the <a href="#problems">codes below</a>. The lifecycles, their actions and
inputs are in <a href="/openapi.json">the OpenAPI document</a>.</p>
<nav>${[...groups, "problems"].map((group) => `<a href="#${html(group)}">${html(group)}</a>`).join(" ")}</nav>
${sections.join("\n")}
<h2 id="problems">Problems</h2>
<table><tr><th>code<th>status<th>what it means<th>what to do</tr>
${Object.entries<Problem>({ ...PROBLEMS, ...problems })
  .map(
    ([code, { status, title, next }]) =>
      `<tr id="${code}"><td><code>${code}</code><td>${status}<td>${html(title)}<td>${prose(next)}</tr>`,
  )
  .join("\n")}
</table>
</html>
`;
  const hash = createHash("sha256").update(STYLE).digest("base64");
  return { page, policy: `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'` };
}

function routeSection(name: string, route: Route, problems: OwnProblems): string {
  const { method, path, summary, about, access = "member", query, body, replies } = route;
  return `<section id="${html(name)}">
<h3><code><b>${method}</b> ${html(path)}</code></h3>
<p>${prose(summary)}. ${about === undefined ? "" : prose(about)} ${ACCESS[access]}</p>
${query ? shape("Query", query, "input") : ""}
${body ? shape("Body", body, "input") : ""}
${Object.entries(replies)
  .map(([status, reply]) => answer(status, reply))
  .join("")}
<p class="codes">${refusalCodesOf(route, problems)
    .map((code) => `<a href="#${html(code)}">${html(code)}</a>`)
    .join(" ")}</p>
</section>`;
}

const ACCESS = { open: "<i>Open: needs no token.</i>", member: "", admin: "<i>For admins.</i>" };

function answer(status: string, reply: Reply): string {
  if (reply === null) return `<p>${status}: no body</p>`;
  return isMedia(reply)
    ? `<p>${status}: <code>${html(reply.media)}</code></p>`
    : shape(status, reply, "output");
}

function shape(title: string, schema: z.ZodType, io: "input" | "output"): string {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return `<details><summary>${title}</summary><pre>${html(JSON.stringify(json, null, 2))}</pre></details>`;
}

function html(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function prose(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1f24;background:#fff}
h2{margin-top:3rem;border-bottom:1px solid #d0d4da}h3{margin-bottom:0}small{color:#667}
section{margin:1.5rem 0}pre{background:#f4f5f7;padding:1rem;overflow:auto;font-size:13px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #e4e6ea}
nav a,.codes a{margin-right:.6rem}.codes{font-size:13px}:target{background:#fff6d6}
@media(prefers-color-scheme:dark){body{color:#e6e8ec;background:#14161a}pre{background:#1f2329}h2,td,th{border-color:#333942}a{color:#8ab4ff}:target{background:#3a3417}}
`;
