import type { ChatContent } from "./chats.ts";

export const CHATS_EN: ChatContent = {
  names: { "lumen-bot": "Lumen Bot", julia: "Julia Walsh", mark: "Mark Turner", sofia: "Sofia Kim" },
  chatIds: { julia: "main", mark: "noon-studio", sofia: "return-2214" },
  turns: [
    {
      question: "Here is a voice message with my notes on the window display, about six minutes.",
      actionType: "transcribe_audio",
      displayText: null,
      later: "Transcribing… 4 of 6 minutes",
      answer:
        "The transcript is ready. In short: move the Beacon to the left, use a smaller price tag, take out the second lamp.",
    },
    {
      question: "Can you sum up what we agreed on with the showroom?",
      actionType: "summarize",
      displayText: null,
      answer: "24 Beacons by November 28, 16 more a week later, 7% off, and delivery is on us.",
    },
    {
      question: "I need a picture: the Heron against a dark wall, in evening light.",
      actionType: "generate_image",
      displayText: null,
      later: "Creating an image… second attempt, warmer light",
      answer: "Done, three versions. I like the second one best: its shadow is softer.",
    },
    {
      question: "Here is a drawing of the alcove. Will the pendant lamp fit?",
      actionType: "process_file",
      displayText: "Reading the drawing…",
      answer: "It fits, with 14 cm to spare. I would move the mount 3 cm to the right.",
    },
    {
      question: "Where is my order 3107?",
      actionType: "track_order",
      displayText: "Asking the carrier…",
      answer:
        "It is in Hamburg, and will be with you tomorrow before 2 p.m. The code for the courier is 4471.",
    },
    {
      question: "Please translate the manual of the dimmer into Polish.",
      actionType: "process_file",
      displayText: "Translating the manual…",
      later: "Translating the manual… page 5 of 8",
      answer: "The translation is ready, eight pages. The terms match those of the previous manual.",
    },
    {
      question: "Please compare three lampshade fabrics by price and how well they resist fading.",
      actionType: "summarize",
      displayText: "Comparing fabrics…",
      answer: "Linen costs 12% more, but keeps its color twice as long. It is my choice for the window.",
    },
  ],
  thanks: ["Thank you!", "Great, let's do that.", "Got it, thanks.", "Just what I needed."],
  failures: [
    "That did not work. Please try again in a minute.",
    "That did not work: the service did not answer. I will try again later.",
  ],
  thinking: "Reading your message…",
  replies: [
    "I am the bot of the demo: I have read your message, but I know only the answers of my script. Ask me: Where is my order 3107?",
    "Thank you for your message. Pawl has shown you what I was doing; a real bot would now answer.",
  ],
};
