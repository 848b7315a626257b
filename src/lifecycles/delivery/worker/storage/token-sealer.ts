import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Secrets = { accessToken: string; refreshToken: string | null; clientSecret: string | null };

/** Encrypts tokens with a key that follows from the configured secrets, so that the database never has them in clear. */
export class TokenSealer {
  /** Identifies the configured tokens. */
  readonly id: string;
  private readonly key: Uint8Array;

  constructor({ accessToken, refreshToken, clientSecret }: Secrets) {
    const pair = `${accessToken}\n${refreshToken ?? ""}`;
    this.id = createHash("sha256").update(pair).digest("base64url");
    this.key = new Uint8Array(
      hkdfSync("sha256", `${pair}\n${clientSecret ?? ""}`, "", "pawl storage token", 32),
    );
  }

  seal(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv);
    const sealed = [iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64");
  }

  /** Returns the text; null if it was sealed with other secrets, or is damaged. */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed, "base64");
    try {
      const decipher = createDecipheriv(ALGORITHM, this.key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
      return Buffer.concat(text).toString("utf8");
    } catch {
      return null;
    }
  }
}
