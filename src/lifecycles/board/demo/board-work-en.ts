import { boardWork as work } from "./board-work.ts";
import type { BoardContent } from "./board-work.ts";

export const BOARD_EN: BoardContent = {
  names: {
    maya: "Maya Lindqvist",
    roman: "Roman Rivera",
    scout: "Scout",
    quill: "Quill",
    abacus: "Abacus",
    relay: "Relay",
  },
  projects: { main: "Lumen", website: "Website" },
  works: [
    work(
      "Compare three suppliers of oak veneer",
      "Price, lead time and certificates. One table, one recommendation.",
      [
        "Starting with the two suppliers we already bought from, then the one Nina met at the fair.",
        "The third supplier only sends prices by mail. I have asked for them.",
        "Table attached. Recommendation: Skogs AB, 9 days faster at the same price.",
      ],
    ),
    work(
      "Draft the newsletter for the autumn collection",
      "Three lamps, one story, no more than 300 words.",
      [
        "I will open with the story of the Beacon and keep the prices for the end.",
        "The photos of the Heron are not released yet.",
        "Draft is in the shared folder, 284 words. Two subject lines to choose from.",
      ],
    ),
    work(
      "Answer the distributor in Lyon about delivery dates",
      "They ask for 40 Beacons before 1 December. Check the workshop's schedule first.",
      [
        "Checking the workshop's schedule against their date.",
        "The date depends on the dimmers, which have not arrived yet.",
        "Answered: 24 pieces by 28 November, 16 a week later. They accepted.",
      ],
      "high",
    ),
    work(
      "Summarize last week's support chats",
      "The five most frequent questions, with an example of each.",
      [
        "Reading 212 chats; grouping by what people wanted to know.",
        "Thursday's chats are missing from the export.",
        "Top of the list: how to pair the dimmer. Proposed a page for it.",
      ],
    ),
    work(
      "Find out why returns of the Heron went up",
      "From 1.2% to 3.1% in a month. Check reasons, batches and shops.",
      [
        "Joining the returns with batch numbers first.",
        "The shop in Gdańsk leaves the reason empty. I have written to them.",
        "It is the switch in one batch (H-0931), 61 lamps. The workshop knows.",
      ],
      "critical",
    ),
    work("Translate the care instructions into Polish", "Source is the English text of version 4.", [
      "Using the glossary from the Czech translation.",
      "Line 12 describes a part that we no longer use. Which text is right?",
      "Done and proofread, without the paragraph about the old socket, as agreed.",
    ]),
    work(
      "Check the invoices of October against orders",
      "All of them; list those that do not match.",
      [
        "148 invoices. Matching by order number, then by amount.",
        "Two orders have the same number. Which one is valid?",
        "146 match. Two differ in freight, 38.40 EUR in total; listed with links.",
      ],
      "high",
    ),
    work("Prepare figures for the Monday meeting", "Orders, returns, stock of dimmers, open complaints.", [
      "Using the same four charts as last week.",
      "The dimmers are counted this afternoon; until then the stock is a guess.",
      "Four charts, one sentence each. Orders are up 6%.",
    ]),
    work(
      "Write alt texts for the product photos",
      "68 photos, English, no more than 120 characters each.",
      [
        "Going by collection, to keep the wording consistent.",
        "Nine photos show a lamp that I do not know. I need its name.",
        "68 of 68. Checked against the style guide.",
      ],
      "low",
      "website",
    ),
    work(
      "Make the checkout page load in under two seconds",
      "Measured on a slow phone. Today it takes 3.4 s.",
      [
        "Measuring first: what is loaded before the first field can be used?",
        "The payment script alone takes 1.1 s. I have asked the provider for a smaller one.",
        "1.7 s on the same phone. The map now loads only when it is opened.",
      ],
      "high",
      "website",
    ),
    work("Collect reviews of the Beacon from four shops", "Text, stars, date. Only this year's.", [
      "Starting with the two shops that have an export.",
      "One shop blocks scraping. I will ask for a file.",
      "173 reviews, 4.6 stars on average. Quotes that we may use are marked.",
    ]),
    work("Plan the photo day for the new pendant lamp", "Studio, lamp, stylist, a day before the 20th.", [
      "Asking the studio for the 14th or the 17th.",
      "The workshop is still reviewing the prototype.",
      "The 17th, 9:00, studio 2. Lamp and stylist are confirmed.",
    ]),
    work(
      "Inform customers of batch H-0931 about the switch",
      "61 lamps, 54 addresses. Apology, free replacement, how to return it.",
      [
        "Drafting one text for shops and one for private customers.",
        "Seven orders were paid in cash, so there is no address.",
        "47 mails sent, 7 shops called. The first four replacements are on their way.",
      ],
      "critical",
    ),
    work(
      "Clean up tags in the image archive",
      "The same object has up to five tags.",
      [
        "Listing tags by use, and merging the rare ones first.",
        "Someone else is editing the same folders right now.",
        "From 412 tags to 96. The old tags still find the pictures.",
      ],
      "low",
      "website",
    ),
    work("Check that all prices include the new VAT", "Estonia and Slovakia changed their rates.", [
      "Comparing shop, price list and invoices for both countries.",
      "The price list is locked by accounting until tonight.",
      "Shop and invoices are right. The price list had six old prices; corrected.",
    ]),
    work(
      "Suggest names for the wall lamp",
      "Ten names, none of them taken, easy to pronounce in six languages.",
      [
        "Lighthouses are used up; trying seabirds.",
        "Three of my favorites are registered in class 11.",
        "Ten names, checked. My choice would be “Tern”.",
      ],
      "low",
    ),
    work("Compare our delivery times with two competitors", "Ordered on the same day, to the same address.", [
      "The orders are placed; noting the promised dates.",
      "One parcel is lost. Waiting for the sender's answer.",
      "Ours took 4 days, theirs 3 and 6. Packing takes one of our days.",
    ]),
    work(
      "Fix broken links on the pages about repairs",
      "The checker found 23.",
      [
        "Starting with the most visited pages.",
        "Four lead to PDFs that no longer exist.",
        "23 of 23: 19 fixed, 4 pages now offer the form instead.",
      ],
      "normal",
      "website",
    ),
  ],
  remarks: [
    "Half done; nothing unusual so far.",
    "A second source confirms it.",
    "This takes longer than I thought, but it will be done today.",
    "I have asked sales about the wording.",
    "The first version is ready; reading it once more.",
    "The numbers are right. Now the text.",
    "Waiting for one answer; continuing with the rest.",
  ],
  escalations: [
    "We need this before the call with Lyon. What is blocking it?",
    "No update for a while. How far are you?",
    "The workshop is waiting for this. Can anyone help?",
  ],
  resumptions: [
    "I have the answer; continuing.",
    "It works again.",
    "Solved without it: there was a copy in the archive.",
  ],
  releases: ["This needs someone who can call them.", "Giving it back; something urgent came up."],
  rescues: [
    "This has been waiting too long. Taking over.",
    "I have read the journal and can continue from there.",
  ],
  cancellations: ["No longer needed: the fair was moved to spring.", "The agency has done it after all."],
  blockerCanceled: "Its blocker was canceled.",
  returned: "Back to the list. Who has time?",
};
