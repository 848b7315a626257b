import { DeliveryFault } from "../faults.ts";

/** One page of a listing. */
export type Listing = {
  objects: { key: string; size: number; etag: string }[];
  folders: string[];
  /** Token of the next page. */
  next: string | null;
};

/**
 * Reads the answer to ListObjectsV2. Its elements have no attributes and are not nested in themselves, and keys are
 * percent-encoded, so no XML parser is needed.
 */
export function parseListing(xml: string): Listing {
  // The page of a proxy must not pass for an empty folder.
  if (!xml.includes("</ListBucketResult>")) throw new DeliveryFault({ side: "storage", status: 502 });
  const isEncoded = textIn(xml, "EncodingType") === "url";
  const token = textIn(xml, "NextContinuationToken");
  const keyIn = (part: string, name: string) => {
    const text = textIn(part, name) ?? "";
    return isEncoded ? decodeURIComponent(text.replaceAll("+", " ")) : text;
  };
  return {
    objects: partsOf(xml, "Contents").map((part) => ({
      key: keyIn(part, "Key"),
      size: Number(textIn(part, "Size") ?? 0),
      etag: textIn(part, "ETag") ?? textIn(part, "LastModified") ?? "",
    })),
    folders: partsOf(xml, "CommonPrefixes").map((part) => keyIn(part, "Prefix")),
    next: token === "" || textIn(xml, "IsTruncated") !== "true" ? null : token,
  };
}

/** Returns the code of an error, such as `NoSuchKey`; empty if the answer has none. */
export function errorCodeIn(xml: string): string {
  return textIn(xml, "Code") ?? "";
}

function partsOf(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .map((part) => part.slice(0, part.indexOf(`</${name}>`)));
}

function textIn(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? null : decodeEntities(xml.slice(start + name.length + 2, end));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex as string, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name as string] ?? whole;
  });
}
