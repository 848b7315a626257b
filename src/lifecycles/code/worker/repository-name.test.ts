import { expect, test } from "vitest";
import { shortAddress } from "./repository-name.ts";

test.each([
  ["https://github.com/acme/shop.git", "github.com/acme/shop"],
  ["https://ann:secret@GitHub.com/acme/shop/", "github.com/acme/shop"],
  ["git@github.com:acme/shop.git", "github.com/acme/shop"],
  ["ssh://git@example.org:2222/acme/shop.git", "example.org/acme/shop"],
  ["example.org:shop", "example.org/shop"],
  ["/srv/git/shop.git", "/srv/git/shop"],
  ["file:///srv/git/shop.git", "/srv/git/shop"],
  ["../shop.git", "../shop"],
])("%s is named %s", (address, name) => {
  expect(shortAddress(address)).toBe(name);
});
