import type { DeliveryContent } from "./delivery-files.ts";

export const DELIVERY_EN: DeliveryContent = {
  names: { olga: "Olga Berg", "lumen-bot": "Lumen Bot", "courier-1": "Courier 1", "courier-2": "Courier 2" },
  folders: { manuals: "Manuals", catalogs: "Catalogs", models: "3D models", videos: "Videos" },
  files: {
    beaconManual: "Beacon assembly manual.pdf",
    heronManual: "Heron assembly manual.pdf",
    dimmerManual: "Connecting the dimmer.pdf",
    veneerCare: "Caring for veneer.pdf",
    autumnCatalog: "Catalog, autumn 2026.pdf",
    architectsCatalog: "Catalog for architects.pdf",
    priceList: "Price list.xlsx",
    beaconModel: "Beacon.step",
    heronModel: "Heron.step",
    ternModel: "Tern.step",
    assemblyVideo: "Assembly in five minutes.mp4",
    workshopVideo: "How the Beacon is made.mp4",
  },
  users: [
    ["410223871", "Anna Bell", "anna_bell"],
    ["533190245", "Daniel Falk", "dfalk"],
    ["298844107", "Mary Edwards", "mary_edwards"],
    ["671502938", "Noon Studio", "noon_studio"],
    ["184420993", "Elias Thorne", null],
    ["720031568", "Kate Fox", "kate_fox"],
    ["355718204", "Arthur Zane", "azane"],
    ["902417735", "Brightly Showroom", "brightly_shop"],
    ["447190826", "Judith Kramer", null],
    ["813305172", "Robin Quiet", "r_quiet"],
  ],
  errors: {
    NETWORK_TIMEOUT: "storage: no response in time",
    STORAGE_UNAVAILABLE: "storage: the storage is unavailable (503)",
    RATE_LIMITED: "telegram: too many requests (429)",
    FILE_NOT_FOUND: "storage: the file no longer exists (404)",
    USER_BLOCKED_BOT: "telegram: the user has blocked the bot (403)",
  },
};
