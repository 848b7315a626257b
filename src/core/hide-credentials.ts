/** Removes the user and the password from an address, even a malformed one, so that it can be shown. */
export function hideCredentials(address: string): string {
  return address.replace(/^((?:[^@/]*\/\/)?).*@/s, "$1…@");
}
