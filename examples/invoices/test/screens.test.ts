import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { day, invoice, openOffice } from "./office.ts";

const CHROMIUM = process.env.PAWL_CHROMIUM ?? "/usr/bin/chromium";
const noBrowser = !existsSync(CHROMIUM);
if (noBrowser) console.warn(`skipped: there is no browser at ${CHROMIUM}; set PAWL_CHROMIUM to one`);

describe.skipIf(noBrowser)("the screens in a browser", () => {
  let office: Awaited<ReturnType<typeof openOffice>>;
  let browser: Browser;
  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-gpu"];
    browser = await chromium.launch({ executablePath: CHROMIUM, args, timeout: 180_000 });
    office = await openOffice();
  });
  afterAll(async () => {
    await browser.close();
    await office.server.stop();
  });

  test("show payments per month and record one", async () => {
    const { ann, dora } = office;
    const { id } = await ann.invoices.create(invoice(90_000, { due_on: day(-3), supplier: "Paper Mill" }));
    await dora.invoices.act(id, "approve");
    const page = await visit("/lifecycles/invoices/board", "en");
    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByText("No payments yet.").waitFor();

    await page.getByRole("button", { name: "Record a payment" }).click();
    await page.getByLabel("Amount in cents").fill("60000");
    await page.getByLabel("Paid on").fill(day(0));
    await page.getByRole("dialog").getByRole("button", { name: "Record a payment" }).click();

    const month = page.getByRole("list", { name: "Payments per month" }).locator("li").last();
    expect(await month.getAttribute("title")).toContain("$600.00");
    await page.getByText("$300.00").first().waitFor();
  });

  test("show the payments of an invoice on its page, in Russian", async () => {
    const { ann, dora } = office;
    const { id } = await ann.invoices.create(invoice(90_000));
    await dora.invoices.act(id, "approve");
    await ann.invoices.act(id, "record_payment", { payload: { amount_cents: 20_000, paid_on: day(0) } });
    const page = await visit(`/tasks/${id}`, "ru");
    const panel = page.getByRole("region", { name: "Платежи" });
    await panel.getByText(/^осталось 700,00/).waitFor();
    await page.getByText("К оплате").first().waitFor();
    await page.getByRole("link", { name: "invoices" }).first().waitFor();
  });

  /** Opens a page as ann; an uncaught error in the page fails the test. */
  async function visit(path: string, locale: string) {
    const { server, ann } = office;
    const context = await browser.newContext({ locale });
    context.setDefaultTimeout(180_000);
    await context.request.post(`${server.url}/api/session`, { data: { token: ann.token } });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    await page.goto(server.url + path);
    return page;
  }
});
