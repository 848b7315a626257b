/** A pawl on its ratchet. */
export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="logo-ground" />
        <path className="logo-rack" d="M6 23.5 11 17v6.500l5-6.500v6.500l5-6.500v6.500l5-6.500v6.500" />
        <path className="logo-pawl" d="M8.500 8.500 17.500 14" />
        <circle className="logo-pin" cx="8.500" cy="8.500" r="2.100" />
      </svg>
      <span>Pawl</span>
    </span>
  );
}
