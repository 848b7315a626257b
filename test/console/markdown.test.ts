import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { seriousFindings } from "./serious-findings.ts";
import { withConsole } from "./console-setup.ts";

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;

const HOSTILE = `
<script>window.hacked = 1</script>
<img src=x onerror="window.hacked = 1">
<svg/onload="window.hacked = 1">
<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>
<a href="javascript:window.hacked = 1">raw</a>

[plain](javascript:window.hacked=1) [case](JaVaScRiPt:window.hacked=1) [tab](java\tscript:window.hacked=1)
[entity](javascript&#58;window.hacked=1) [angle](<javascript:window.hacked=1>) [data](data:text/html,x)
[title](https://example.org '" onmouseover="window.hacked=1') ![image](https://example.org/pixel.png)
![x](x" onerror="window.hacked=1) <javascript:window.hacked=1> [reference]

[reference]: javascript:window.hacked=1 "x"

\`\`\`"><script>window.hacked=1</script>
</code></pre><script>window.hacked = 1</script>
\`\`\`

| <script>window.hacked=1</script> | b |
| - | - |
| [c](javascript:window.hacked=1) | </table> |
`;

withConsole("Markdown", (setup) => {
  const openTask = async (description: string, options = {}): Promise<Page> => {
    const id = await setup().createTask("Written in Markdown", { description });
    const page = await setup().openPage("ann", `/tasks/${id}`, options);
    await page.locator(".markdown").first().waitFor();
    return page;
  };

  test("a description is rendered: headings, lists, code, quotes, tables and links", async () => {
    const page = await openTask(
      "# Steps\n\n1. **cut** the `steel`\n2. weld\n   - [x] left\n   - [ ] right\n\n> as drawn\n\n```sh\nnpm test\n```\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\nSee https://example.org/a?b=1&c=2, or [the plan](https://example.org/plan).",
    );
    const text = page.locator("dd .markdown");
    expect(await text.getByRole("heading", { name: "Steps" }).count()).toBe(1);
    expect(await text.locator("ol > li").count()).toBe(2);
    expect(await text.locator("ol > li strong").textContent()).toBe("cut");
    expect(await text.locator("ul > li").allTextContents()).toEqual(["☑ left", "☐ right"]);
    expect(await text.locator("blockquote").textContent()).toBe("as drawn");
    expect(await text.locator("pre").textContent()).toBe("npm test");
    expect(await text.getByRole("cell").allTextContents()).toEqual(["1", "2"]);
    const links = await text.getByRole("link").all();
    expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual([
      "https://example.org/a?b=1&c=2",
      "https://example.org/plan",
    ]);
    for (const link of links) expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  });

  test("a hostile description and comment run no script, load nothing and hide nothing", async () => {
    // The page fails the test by itself if it requests another server or if the security policy stops a script.
    const id = await setup().createTask("Written by an attacker", { description: HOSTILE });
    await setup().move("ann", id, "claim", { comment: HOSTILE });
    const page = await setup().openPage("ann", `/tasks/${id}`);
    await page.locator(".said .markdown").waitFor();
    for (const place of ["dd .markdown", ".said .markdown"]) {
      const text = page.locator(place);
      expect(
        await text
          .locator("script, img, svg, iframe, object, [onerror], [onmouseover], [srcdoc], [style]")
          .count(),
      ).toBe(0);
      const links = await text.getByRole("link").all();
      expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual([
        "https://example.org/",
        "https://example.org/pixel.png",
      ]);
      expect(await text.innerText()).toContain("[plain](javascript:window.hacked=1)");
      expect(await text.innerText()).toContain('<img src=x onerror="window.hacked = 1">');
    }
    expect(await page.evaluate("'hacked' in window")).toBe(false);
  });

  test("line breaks of a plain comment are kept, and an edit shows the source", async () => {
    const id = await setup().createTask("Commented plainly");
    await setup().move("ann", id, "comment", { comment: "first line\nsecond line" });
    await setup().move("ann", id, "edit", { payload: { description: "**new**" } });
    const page = await setup().openPage("ann", `/tasks/${id}`);
    const said = page.locator(".said", { hasText: "first line" });
    expect(await said.innerText()).toBe("first line\nsecond line");
    expect(await page.locator(".change ins").textContent()).toBe("**new**");
    expect(await page.locator("dd .markdown strong").textContent()).toBe("new");
  });

  test("long words, code and tables stay within a phone, and scroll by the keyboard", async () => {
    const wide = "wide".repeat(100);
    const page = await openTask(
      `${wide}\n\n\`${wide}\`\n\n    ${wide}\n\n|${"a long cell|".repeat(20)}\n|${"-|".repeat(20)}\n\n- ${wide}\n\n${"## " + wide}`,
      PHONE,
    );
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await page.locator(".markdown pre").getAttribute("tabindex")).toBe("0");
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("each paragraph has the direction of its language, and code is left to right", async () => {
    const page = await openTask(
      "שלום עולם **מודגש**\n\nan English paragraph\n\n- مرحبا\n\n```\nconst a = 'שלום';\n```",
    );
    const direction = (part: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector("${part}")).direction`);
    expect(await direction(".markdown > p:nth-child(1)")).toBe("rtl");
    expect(await direction(".markdown > p:nth-child(2)")).toBe("ltr");
    expect(await direction(".markdown li")).toBe("rtl");
    expect(await direction(".markdown pre")).toBe("ltr");
  });

  test("a description of the maximum length is shown in full, as it was written", async () => {
    const page = await openTask(`${"**x** ".repeat(16_000)}the end`);
    const shown = (await page.locator("dd .markdown").textContent()) ?? "";
    expect(shown.length).toBe(96_007);
    expect(shown.endsWith("the end")).toBe(true);
  });
});
