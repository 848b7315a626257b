/** An address as it may be shown: the user and the password before the host are left out, also where it is malformed. */
export function hideCredentials(address: string): string {
  return address.replace(/^((?:[^@/]*\/\/)?).*@/s, "$1…@");
}
