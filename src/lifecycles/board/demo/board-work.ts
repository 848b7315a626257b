/** A piece of work on the board: what it is, and what is said of it on its way. */
export type BoardWork = {
  title: string;
  description: string;
  priority: "low" | "normal" | "high" | "critical";
  workspace: "main" | "website";
  /** Said when it is taken, when it halts, and when it is done. */
  plan: string;
  trouble: string;
  result: string;
};

function work(
  title: string,
  description: string,
  [plan, trouble, result]: readonly [string, string, string],
  priority: BoardWork["priority"] = "normal",
  workspace: BoardWork["workspace"] = "main",
): BoardWork {
  return { title, description, priority, workspace, plan, trouble, result };
}

export const BOARD_WORK: readonly [BoardWork, ...BoardWork[]] = [
  work(
    "Compare three suppliers of oak veneer",
    "Price, lead time and certificates. One table, one recommendation.",
    [
      "Starting with the two suppliers we already bought from, then the one Ingrid met at the fair.",
      "The third supplier sends prices by mail only. Asked for them.",
      "Table attached. Recommendation: Skogs AB, 9 days faster at the same price.",
    ],
  ),
  work("Draft the newsletter for the autumn collection", "Three lamps, one story, no more than 300 words.", [
    "I will open with the story of the Beacon and keep the prices for the end.",
    "The photos of the Heron are not released yet.",
    "Draft is in the shared folder, 284 words. Two subject lines to choose from.",
  ]),
  work(
    "Answer the distributor in Lyon about delivery dates",
    "They ask for 40 Beacons before 1 December. Check the plan of the workshop first.",
    [
      "Checking the workshop's plan against their date.",
      "The date depends on the dimmers, which are still on their way.",
      "Answered: 24 pieces by 28 November, 16 a week later. They accepted.",
    ],
    "high",
  ),
  work("Summarise last week's support chats", "The five most frequent questions, with an example of each.", [
    "Reading 212 chats; grouping by what people wanted to know.",
    "Chats of Thursday are missing from the export.",
    "Top of the list: how to pair the dimmer. Proposed a page for it.",
  ]),
  work(
    "Find out why returns of the Heron went up",
    "From 1.2 % to 3.1 % in a month. Look at reasons, batches and shops.",
    [
      "Joining the returns with batch numbers first.",
      "The shop in Gdańsk does not fill in the reason. Wrote to them.",
      "It is one batch (H-0931): the switch. Told the workshop, 61 pieces are affected.",
    ],
    "critical",
  ),
  work("Translate the care instructions into Polish", "Source is the English text of version 4.", [
    "Using the glossary from the Czech translation.",
    "Line 12 is about a part that we do not build in any more. Which text is right?",
    "Done and proofread. The paragraph about the old socket is left out, as agreed.",
  ]),
  work(
    "Check the invoices of October against orders",
    "All of them; list what does not match.",
    [
      "148 invoices. Matching by order number, then by amount.",
      "Two orders carry the same number. Somebody has to say which one counts.",
      "146 match. Two differ in freight, 38.40 EUR in total; listed with links.",
    ],
    "high",
  ),
  work("Prepare figures for the Monday meeting", "Orders, returns, stock of dimmers, open complaints.", [
    "Taking the same four charts as last week.",
    "Stock of dimmers is counted this afternoon; the figure would be a guess.",
    "Four charts, one sentence each. Orders are up 6 %.",
  ]),
  work(
    "Write alt texts for the product photos",
    "68 photos, English, no more than 120 characters each.",
    [
      "Going by collection, so that the words stay the same.",
      "Nine photos show a lamp that I do not know. Need names.",
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
      "The payment script alone takes 1.1 s. Asked the provider about the slim one.",
      "1.7 s on the same phone. The map is loaded only when somebody opens it.",
    ],
    "high",
    "website",
  ),
  work("Collect reviews of the Beacon from four shops", "Text, stars, date. Only those of this year.", [
    "Starting with the two shops that have an export.",
    "One shop blocks automatic reading. I will ask for a file.",
    "173 reviews, 4.6 stars on average. Quotes that we may use are marked.",
  ]),
  work("Plan the photo day for the new pendant lamp", "Studio, lamp, stylist, a day before the 20th.", [
    "Asking the studio for the 14th or the 17th.",
    "The prototype is still in the workshop's review.",
    "The 17th, 9:00, studio 2. Lamp and stylist are confirmed.",
  ]),
  work(
    "Tell customers of batch H-0931 about the switch",
    "61 pieces, 54 addresses. Apology, free replacement, how to send it back.",
    [
      "Drafting one text for shops and one for people.",
      "Seven orders were paid in cash: there is no address.",
      "47 mails sent, 7 shops called. First four replacements are on their way.",
    ],
    "critical",
  ),
  work(
    "Clean up tags in the image archive",
    "The same thing has up to five names.",
    [
      "Listing tags by how often they are used; merging from the rare end.",
      "Somebody else is editing the same folders right now.",
      "From 412 tags to 96. Old names still find the pictures.",
    ],
    "low",
    "website",
  ),
  work("Check that all prices include the new VAT", "Estonia and Slovakia changed theirs.", [
    "Comparing shop, price list and invoices for both countries.",
    "The price list is locked by accounting until tonight.",
    "Shop and invoices are right. Price list had six old prices; corrected.",
  ]),
  work(
    "Suggest names for the wall lamp",
    "Ten names, none of them taken, easy to say in six languages.",
    [
      "Birds and lighthouses are used up; trying tools of sailors.",
      "Three of my favourites are registered in class 11.",
      "Ten names, checked. Mine would be “Tern”.",
    ],
    "low",
  ),
  work("Compare our delivery times with two competitors", "Ordered on the same day, to the same address.", [
    "Orders are placed; noting what each of them promises.",
    "One parcel is lost. Waiting for what its sender says.",
    "We: 4 days. They: 3 and 6. Packing takes a day of ours.",
  ]),
  work(
    "Fix broken links on the pages about repairs",
    "The checker found 23.",
    [
      "Going through them by the page with the most visitors.",
      "Four lead to PDFs that nobody can find any more.",
      "23 of 23: 19 mended, 4 pages now offer the form instead.",
    ],
    "normal",
    "website",
  ),
];

/** What is said on the way. */
export const REMARKS = [
  "Half of it is done; nothing unusual so far.",
  "Found a second source, and it says the same.",
  "This takes longer than I thought. Still today.",
  "Asked Maya about the wording.",
  "First version is there; reading it once more with fresh eyes.",
  "The numbers are right. Now the text.",
  "Waiting for one answer, going on with the rest.",
] as const;

export const ESCALATIONS = [
  "We need this before the call with Lyon. What is in the way?",
  "No word for a while: please say where you are.",
  "The workshop waits for this. Can somebody help?",
] as const;

export const RESUMPTIONS = [
  "Got the answer, going on.",
  "It works again.",
  "Solved without it: there was a copy in the archive.",
] as const;

export const RELEASES = [
  "I am the wrong one for this: it needs somebody who can call them.",
  "Giving it back, something urgent came in between.",
] as const;

export const RESCUES = [
  "It lies here too long. I take it from here.",
  "Read the journal; I can go on where it stopped.",
] as const;

export const CANCELLATIONS = [
  "Not needed any more: the fair was moved to spring.",
  "Done by the agency after all.",
] as const;
